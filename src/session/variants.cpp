#include "session/variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "host/cpu.h"
#include "host/steady_clock.h"
#include "results/whole_file.h"
#include "session/variant_cache.h"
#include "session/worker_process.h"
#include "statistics/race.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

/// A program that takes longer to answer is considered hung.
constexpr std::chrono::seconds longest_answer_time{3};
constexpr std::int64_t small_product = 512, large_product = 1024;
constexpr std::array<std::int64_t, 4> verified{0, 511, 131'072, 262'143};  // elements of the small one

/// A float32 product of size x size x size, by one call of the library.
Case product(std::int64_t size) {
  const Workload& matmul = *find_workload("matmul");
  return make_case(matmul,
                   {{"m", size}, {"n", size}, {"k", size}, {"dtype", std::string("f32")}, {"tuned", false}});
}

/// The program in one variant, in the race until something goes wrong.
class Racer {
 public:
  Racer(const std::filesystem::path& program, const WorkerOptions& options, const answer::Variant& variant)
      : variant_(variant),
        worker_(std::make_unique<WorkerProcess>(program, with_variables(options, variant.environment))) {}

  bool is_in() const { return worker_ != nullptr; }
  void leave() {
    worker_.reset();
    times_.rounds.clear();
  }
  void fall_behind() {
    leave();
    times_.far_behind = true;
  }

  void say_hello(int threads) {
    const auto hello = ask<answer::Hello>(request::Hello{.threads = threads});
    if (!hello || hello->variant != variant_.name) leave();
  }
  void prepare(std::int64_t size) {
    if (!ask<answer::Ready>(request::Prepare{.problem = product(size)})) return;
    constexpr double enough_seconds = 0.003;
    const auto first = sample(1);
    if (!first) return;
    iterations_ = std::max<std::int64_t>(1, std::llround(enough_seconds / *first));
  }
  /// Some elements of what it has computed; none if it has left.
  std::vector<double> elements() {
    const auto shown = ask<Evidence>(request::Verify{.elements = {verified.begin(), verified.end()}});
    return shown ? shown->elements : std::vector<double>();
  }
  void take_sample() {
    if (const auto seconds = sample(iterations_)) times_.rounds.push_back(*seconds);
  }

  double fastest_round() const {
    return times_.rounds.empty() ? std::numeric_limits<double>::infinity() : std::ranges::min(times_.rounds);
  }
  /// Its times, which begin again.
  RacedTimes take_times() { return std::exchange(times_, {.far_behind = times_.far_behind}); }

 private:
  template <typename T>
  std::optional<T> ask(const Request& request) {
    if (!worker_) return std::nullopt;
    auto asked = worker_->ask<T>(request, longest_answer_time);
    if (auto* answer = std::get_if<T>(&asked)) return std::move(*answer);
    leave();
    return std::nullopt;
  }
  std::optional<double> sample(std::int64_t iterations) {
    const auto answer =
        ask<answer::Sample>(request::Sample{.iterations = iterations, .device_seconds = false});
    if (answer && answer->seconds > 0) return answer->seconds;
    leave();
    return std::nullopt;
  }

  answer::Variant variant_;
  std::unique_ptr<WorkerProcess> worker_;  // null: out of the race
  std::int64_t iterations_ = 1;
  RacedTimes times_;
};

/// Takes `count` rounds, or more if they start before `end`, and returns how many. The order is reversed from
/// one round to the next, so that no program always follows the same other one.
int take_rounds(std::vector<Racer>& racers, int count, Clock::time_point end = Clock::time_point::min()) {
  std::vector<Racer*> order;
  order.reserve(racers.size());
  for (Racer& racer : racers) order.push_back(&racer);
  int round = 0;
  for (; (round < count || Clock::now() < end) && std::ranges::any_of(racers, &Racer::is_in); ++round) {
    for (Racer* racer : order) {
      if (racer->is_in()) racer->take_sample();
    }
    std::ranges::reverse(order);
  }
  return round;
}

/// Removes what computes another product than the first.
void check_elements(std::vector<Racer>& racers) {
  constexpr double by_rounding = 1e-3;  // in sums of 512 products of numbers below 1
  const std::vector<double> right = racers.front().elements();
  for (Racer& racer : racers) {
    const std::vector<double> other = racer.elements();
    const bool agrees = std::ranges::equal(right, other, [](double a, double b) {
      return std::abs(a - b) <= by_rounding * std::max(1.0, std::abs(a));
    });
    if (!agrees) racer.leave();
  }
}

/// Removes what is far behind in a few rounds, so that the time is used for the others. Returns the seconds
/// of the fastest.
double drop_far_behind(std::vector<Racer>& racers) {
  constexpr double far_behind = 1.5;
  take_rounds(racers, 3);
  double fastest = std::numeric_limits<double>::infinity();
  for (const Racer& racer : racers) fastest = std::min(fastest, racer.fastest_round());
  for (Racer& racer : racers) {
    if (racer.is_in() && racer.fastest_round() > far_behind * fastest)
      racer.fall_behind();
    else
      racer.take_times();
  }
  return fastest;
}

/// The times of each variant, the program's own first. A round is a product of either size, and its time
/// their geometric mean.
std::vector<RacedTimes> race(const std::filesystem::path& program, const WorkerOptions& options,
                             const std::vector<answer::Variant>& variants, int threads) {
  constexpr double slow_product = 0.02;
  constexpr int least_rounds = 8;  // the interval of a median needs six
  constexpr std::chrono::milliseconds duration{1500};
  std::vector<Racer> racers;
  racers.reserve(variants.size());
  for (const answer::Variant& variant : variants) racers.emplace_back(program, options, variant);
  for (Racer& racer : racers) racer.say_hello(threads);
  for (Racer& racer : racers) racer.prepare(small_product);
  check_elements(racers);
  const bool has_large = drop_far_behind(racers) < slow_product;
  std::vector<RacedTimes> all(racers.size());
  const auto race_on = [&] {
    if (has_large) {
      for (Racer& racer : racers) racer.prepare(large_product);
    }
    const int rounds = take_rounds(racers, least_rounds, Clock::now() + duration);
    std::vector<RacedTimes> large;
    if (has_large) {
      for (Racer& racer : racers) large.push_back(racer.take_times());
      for (Racer& racer : racers) racer.prepare(small_product);
      take_rounds(racers, rounds);
    }
    for (std::size_t i = 0; i < racers.size(); ++i) {
      const RacedTimes times = racers[i].take_times();
      all[i].far_behind = times.far_behind;
      for (std::size_t round = 0; round < times.rounds.size(); ++round) {
        const double seconds = times.rounds[round];
        all[i].rounds.push_back(has_large ? std::sqrt(seconds * large[i].rounds.at(round)) : seconds);
      }
      if (!racers[i].is_in()) all[i].rounds.clear();
    }
  };
  race_on();
  if (is_undecided(all)) race_on();
  return all;
}

/// The choice for one program, in the cache file or to be made.
class VariantsOfProgram {
 public:
  explicit VariantsOfProgram(const answer::Hello& hello) {
    key_.processor = cpu_identity();
    key_.features = fmt::format("{}", fmt::join(cpu_features(), " "));
    variants_.push_back({.name = hello.variant});
    variants_.insert(variants_.end(), hello.variants.begin(), hello.variants.end());
    for (const auto& [library, version] : hello.libraries) {
      key_.library += (key_.library.empty() ? "" : ", ") + library;
      key_.version += (key_.version.empty() ? "" : ", ") + version;
    }
    for (const auto& [library, file] : hello.library_files)
      key_.file += (key_.file.empty() ? "" : ", ") + file;
  }

  const answer::Variant& own() const { return variants_.front(); }
  const std::vector<answer::Variant>& variants() const { return variants_; }
  /// Why it was not found in the cache file, or is not kept there.
  const std::optional<Note>& problem() const { return problem_; }

  /// The variant that was chosen before; null if there is none.
  const answer::Variant* kept() {
    try {
      const auto name = cached_choice(text(), key_);
      const auto found = std::ranges::find(variants_, name.value_or(""), &answer::Variant::name);
      return name && found != variants_.end() ? &*found : nullptr;
    } catch (const DamagedCache& e) {
      problem_ = {.kind = NoteKind::kernel_choices_damaged, .about = {file_.string(), e.what()}};
    } catch (const std::system_error&) {  // writing it fails as well, and reports why
    }
    return nullptr;
  }

  void keep(const answer::Variant& chosen) {
    Note not_kept{.kind = NoteKind::kernel_choices_not_kept};
    std::string before;
    try {
      before = text();                 // another program may have been raced meanwhile
    } catch (const std::exception&) {  // it is replaced, or cannot be written either
    }
    const std::string now = with_choice(before, key_, chosen.name);
    try {
      if (!file_.empty()) return write_whole_file(file_, now);
    } catch (const std::system_error& e) {
      not_kept.about = {file_.string(), e.code().message()};
    }
    choices_of_this_run() = now;
    problem_ = std::move(not_kept);
  }

 private:
  /// In place of a file that cannot be written: both sides of a gate take the same kernels of one library.
  static std::string& choices_of_this_run() {
    static std::string text;
    return text;
  }
  std::string text() const {
    return choices_of_this_run().empty() && !file_.empty() ? read_choices(file_) : choices_of_this_run();
  }

  ChoiceKey key_;
  std::vector<answer::Variant> variants_;  // the program's own first
  std::filesystem::path file_ = choices_file();
  std::optional<Note> problem_;
};

}  // namespace

ChosenVariant choose_variant(const std::filesystem::path& program, const answer::Hello& hello,
                             const WorkerOptions& options, int threads) {
  VariantsOfProgram choice(hello);
  const answer::Variant* chosen = choice.kept();
  if (chosen == nullptr) {
    const std::vector<RacedTimes> times = race(program, options, choice.variants(), threads);
    if (Interruption::requested()) throw Interrupted();
    chosen = &choice.variants()[fastest_of(times)];
    // A race without the program's own kernels has decided nothing.
    if (!times.front().rounds.empty() || times.front().far_behind) choice.keep(*chosen);
  }
  ChosenVariant made{.environment = chosen->environment};
  if (chosen != &choice.own())
    made.notes.push_back({.kind = NoteKind::kernels_replaced, .about = {choice.own().name, chosen->name}});
  if (choice.problem()) made.notes.push_back(*choice.problem());
  return made;
}

}  // namespace breakeven
