#include "backends/cblas/kernel_race.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backends/cblas/gemm.h"
#include "backends/cblas/library.h"
#include "host/cpu.h"
#include "host/library_variables.h"
#include "host/steady_clock.h"

namespace breakeven::cblas {
namespace {

constexpr const char* race_variable = "BREAKEVEN_KERNEL_RACE";
/// A process that takes longer to answer is considered hung.
constexpr std::chrono::seconds patience{3};
constexpr std::int32_t small_product = 512, large_product = 1024;

/// A copy of this process's environment in which variables can be replaced.
class ChangedEnvironment {
 public:
  void set(std::string_view name, std::string_view value) {
    std::erase_if(entries_, [&](const std::string& entry) {
      return entry.starts_with(name) && entry.substr(name.size()).starts_with('=');
    });
    entries_.push_back(fmt::format("{}={}", name, value));
  }
  /// Pointers for execve(), valid until the next set().
  std::vector<char*> pointers() {
    std::vector<char*> all;
    for (std::string& entry : entries_) all.push_back(entry.data());
    all.push_back(nullptr);
    return all;
  }

 private:
  static std::vector<std::string> own() {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
    return all;
  }
  std::vector<std::string> entries_ = own();
};

ChangedEnvironment environment_of(const Kernels& kernels) {
  ChangedEnvironment environment;
  environment.set(race_variable, "1");
  if (!kernels.value.empty()) environment.set(kernels_variable(library_name()), kernels.value);
  // Threads of the waiting processes must not spin.
  for (const auto& [name, value] : missing_spin_settings()) environment.set(name, value);
  return environment;
}

/// A process that computes with some of the kernels, and a socket to it.
class Contender {
 public:
  explicit Contender(const Kernels& kernels) {
    std::array<int, 2> ends{-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
    socket_ = ends[0];
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO})  // libraries may print messages
      posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
    ChangedEnvironment environment = environment_of(kernels);
    std::array<char*, 2> arguments{program_invocation_name, nullptr};
    if (posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, arguments.data(),
                    environment.pointers().data()) != 0)
      pid_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
  }
  ~Contender() {
    if (socket_ >= 0) close(socket_);
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  Contender(Contender&&) = delete;
  Contender& operator=(Contender&&) = delete;

  /// True if the process has started and uses the requested kernels.
  bool takes(const std::string& name, Clock::time_point deadline) {
    std::array<char, 64> said{};
    const auto size = receive(said.data(), said.size(), deadline);
    return size && std::string_view(said.data(), *size) == name;
  }
  /// The seconds that a product of this size takes; empty for a process that died or hangs.
  std::optional<double> time(std::int32_t size) {
    double seconds = 0;
    if (send(socket_, &size, sizeof size, MSG_NOSIGNAL) != sizeof size ||
        receive(&seconds, sizeof seconds, Clock::now() + patience) != sizeof seconds)
      return std::nullopt;
    return seconds;
  }

 private:
  std::optional<std::size_t> receive(void* data, std::size_t most, Clock::time_point deadline) const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd readable{.fd = socket_, .events = POLLIN, .revents = 0};
    if (pid_ <= 0 || poll(&readable, 1, static_cast<int>(std::max<std::int64_t>(0, left))) != 1)
      return std::nullopt;
    const ssize_t size = recv(socket_, data, most, 0);
    return size > 0 ? std::optional(static_cast<std::size_t>(size)) : std::nullopt;
  }

  int socket_ = -1;
  pid_t pid_ = -1;
};

struct Racer {
  std::unique_ptr<Contender> process;  // null: out of the race
  RacedKernels result;

  void leave() {
    process.reset();
    result.rounds.clear();
  }

  /// Times one round: the geometric mean over the sizes.
  void take_turn(std::span<const std::int32_t> sizes) {
    double logarithms = 0;
    for (const std::int32_t size : sizes) {
      const auto seconds = process->time(size);
      if (!seconds) return leave();
      logarithms += std::log(*seconds);
    }
    result.rounds.push_back(std::exp(logarithms / static_cast<double>(sizes.size())));
  }

  double fastest_round() const {
    return result.rounds.empty() ? std::numeric_limits<double>::infinity()
                                 : *std::min_element(result.rounds.begin(), result.rounds.end());
  }
};

/// Runs `count` rounds, or more if they start before `end`. The order is reversed from one round to the next,
/// so that no process always follows the same other one.
void take_rounds(std::vector<Racer>& racers, std::span<const std::int32_t> sizes, int count,
                 Clock::time_point end) {
  std::vector<Racer*> order;
  order.reserve(racers.size());
  for (Racer& racer : racers) order.push_back(&racer);
  for (int round = 0; round < count || Clock::now() < end; ++round) {
    for (Racer* racer : order) {
      if (racer->process) racer->take_turn(sizes);
    }
    std::reverse(order.begin(), order.end());
  }
}

/// Removes the processes that are far behind in short rounds, so that the time is used for the others.
/// Returns the seconds of the fastest.
double drop_far_behind(std::vector<Racer>& racers) {
  constexpr double far_behind = 1.5;
  take_rounds(racers, std::array{small_product}, 3, Clock::time_point::min());
  double fastest = std::numeric_limits<double>::infinity();
  for (const Racer& racer : racers) fastest = std::min(fastest, racer.fastest_round());
  for (Racer& racer : racers) {
    if (!racer.process) continue;
    racer.result.far_behind = racer.fastest_round() > far_behind * fastest;
    if (racer.result.far_behind) racer.process.reset();
    racer.result.rounds.clear();
  }
  return fastest;
}

/// Computes at the other end of a Contender's socket. A time is that of the fastest of the products that fit
/// in a few milliseconds.
class Products {
 public:
  Products() {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      a_[i] = static_cast<float>(i % 251) / 251 - 0.5F;
      b_[i] = static_cast<float>(i % 241) / 241 - 0.5F;
    }
    multiply(small_product);  // starts the threads
  }
  double time(std::int32_t size) {
    constexpr double enough_seconds = 0.003;
    const auto start = Clock::now();
    double fastest = std::numeric_limits<double>::infinity();
    do {
      const auto begun = Clock::now();
      multiply(size);
      fastest = std::min(fastest, seconds_since(begun));
    } while (seconds_since(start) < enough_seconds);
    return fastest;
  }

 private:
  void multiply(std::int32_t size) {
    gemm(size, size, size, Matrix<float>{.data = a_.data(), .stride = size},
         Matrix<float>{.data = b_.data(), .stride = size}, 0.0F, c_.data(), size);
  }
  static std::vector<float> matrix() {
    return std::vector<float>(static_cast<std::size_t>(large_product) * large_product);
  }
  std::vector<float> a_ = matrix(), b_ = matrix(), c_ = matrix();
};

/// The number of threads that the driver gives its workers.
int threads_to_use() {
  const char* variable = std::getenv("OMP_NUM_THREADS");
  const std::string_view said(variable != nullptr ? variable : "");
  int threads = 0;
  std::from_chars(said.data(), said.data() + said.size(), threads);
  return threads > 0 ? threads : compute_threads();
}

std::vector<RacedKernels> results_of(const std::vector<Racer>& racers) {
  std::vector<RacedKernels> results;
  results.reserve(racers.size());
  for (const Racer& racer : racers) results.push_back(racer.result);
  return results;
}

}  // namespace

std::vector<RacedKernels> race_kernels(std::span<const Kernels> contenders) {
  constexpr double slow_product = 0.02;
  constexpr int least_rounds = 8;  // the interval of a median needs six
  constexpr std::chrono::seconds duration{2};
  const auto start = Clock::now();
  std::vector<Racer> racers;
  for (const Kernels& kernels : contenders)
    racers.push_back({.process = std::make_unique<Contender>(kernels), .result = {}});
  for (std::size_t i = 0; i < racers.size(); ++i) {
    if (!racers[i].process->takes(contenders[i].name, start + patience)) racers[i].process.reset();
  }
  std::vector<std::int32_t> sizes{small_product};
  if (drop_far_behind(racers) < slow_product) sizes.push_back(large_product);
  take_rounds(racers, sizes, least_rounds, Clock::now() + duration);
  if (is_undecided(results_of(racers))) take_rounds(racers, sizes, least_rounds, Clock::now() + duration);
  return results_of(racers);
}

void join_race() {
  if (std::getenv(race_variable) == nullptr) return;
  use_library_threads(threads_to_use());
  Products products;
  const std::string kernels = library_kernels();
  if (send(STDIN_FILENO, kernels.data(), kernels.size(), MSG_NOSIGNAL) < 0) _exit(EXIT_FAILURE);
  for (std::int32_t size = 0; recv(STDIN_FILENO, &size, sizeof size, 0) == sizeof size;) {
    const double seconds = products.time(size);
    if (send(STDIN_FILENO, &seconds, sizeof seconds, MSG_NOSIGNAL) < 0) break;
  }
  _exit(EXIT_SUCCESS);
}

}  // namespace breakeven::cblas
