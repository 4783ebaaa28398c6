#include "session/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "host/cache_folder.h"
#include "host/cpu.h"
#include "session/discovery.h"
#include "session/identity.h"
#include "session/mismatch.h"
#include "session/worker_process.h"
#include "text/counted.h"

namespace breakeven {
namespace {

using Seconds = std::chrono::duration<double>;

/// Why a request was not answered as it should be; empty if it was.
template <typename T>
std::string no_answer(const Asked<T>& asked) {
  if (const auto* refusal = std::get_if<answer::Refusal>(&asked))
    return fmt::format("refused ({}): {}", refusal->status, refusal->reason);
  if (const auto* lost = std::get_if<WorkerLost>(&asked)) return lost->reason;
  return "";
}

WorkerOptions limited_options(int threads) {
  WorkerOptions options = worker_options(threads);
  options.time_limit = "--timeout";
  options.environment.emplace_back(reference_cache_variable, "0");
  return options;
}

class Conformance {
 public:
  Conformance(std::filesystem::path program, const std::filesystem::path& reference_backend, double timeout,
              const std::function<bool(const std::string&)>& is_wanted,
              const std::function<void(const Check&)>& report)
      : program_(std::move(program)),
        timeout_(timeout),
        is_wanted_(is_wanted),
        report_(report),
        reference_(reference_backend, limited_options(threads_)) {
    reference_.ask<answer::Hello>(hello_request(), timeout_);
  }

  std::vector<Check> run() {
    if (!greet()) return std::move(checks_);
    stays_alive_after("a line that is not JSON", "this is not JSON");
    stays_alive_after("JSON that is not an object", "[1, 2]");
    stays_alive_after("an unknown request", R"({"request":"dance"})");
    stays_alive_after("an unknown operation",
                      R"({"request":"prepare","op":"no_such_operation","parameters":{},"seed":1})");
    stays_alive_after("a sample of nothing prepared", R"({"request":"sample","iterations":1})");
    for (const auto& [op, dtypes] : hello_.supports) operation(op, dtypes);
    ends();
    return std::move(checks_);
  }

 private:
  void add(std::string name, const std::string& failure) {
    add({.name = std::move(name),
         .outcome = failure.empty() ? Check::Outcome::passed : Check::Outcome::failed,
         .detail = failure});
  }
  void skip(std::string name, std::string reason) {
    add({.name = std::move(name), .outcome = Check::Outcome::skipped, .detail = std::move(reason)});
  }
  void add(Check check) {
    checks_.push_back(std::move(check));
    report_(checks_.back());
  }

  /// A running program that has said hello. It is started again if it has died, so that one fault is one
  /// failed check.
  WorkerProcess& worker() {
    if (!worker_ || worker_->cpu_seconds() == std::nullopt) {
      worker_ = std::make_unique<WorkerProcess>(program_, limited_options(threads_));
      worker_->ask<answer::Hello>(hello_request(), timeout_);
    }
    return *worker_;
  }

  bool greet() {
    worker_ = std::make_unique<WorkerProcess>(program_, limited_options(threads_));
    auto asked = worker_->ask<answer::Hello>(hello_request(), timeout_);
    std::string failure = no_answer(asked);
    if (auto* hello = std::get_if<answer::Hello>(&asked)) {
      hello_ = std::move(*hello);
      failure = hello_fault(hello_, program_);
    }
    add("hello", failure);
    return failure.empty();
  }

  void stays_alive_after(const std::string& what, const std::string& line) {
    const auto answered = worker().exchange(line, timeout_);
    std::string failure;
    if (const auto* lost = std::get_if<WorkerLost>(&answered)) {
      failure = lost->reason;
    } else {
      try {
        if (!std::holds_alternative<answer::Refusal>(
                parse_answer<answer::Done>(std::get<std::string>(answered)))) {
          failure = R"(answered that all is well; must be {"ok": false, "status": ..., "reason": ...})";
        }
      } catch (const ProtocolError& e) {
        failure = e.what();
      }
    }
    add(fmt::format("refuses {}", what), failure);
  }

  void operation(const std::string& op, const std::vector<std::string>& dtypes) {
    const Workload* workload = find_workload(op);
    if (workload == nullptr) return skip(op, "this driver knows no such operation");
    for (const auto& dtype : dtypes) {
      for (Parameters parameters : workload->examples()) {
        parameters.set("dtype", dtype);
        try {
          one_case(make_case(*workload, parameters));
        } catch (const InvalidCase&) {
          // Not every example supports every dtype: there are no gradients in s8.
        }
      }
    }
  }

  void one_case(const Case& problem) {
    if (!is_wanted_(problem.id())) return;
    const Workload& workload = *problem.workload;
    constexpr std::uint64_t seed = 7;
    const auto elements = elements_to_check(workload.output(problem.parameters).elements(), seed);
    auto expected = reference_.ask<Evidence>(
        request::Expect{.problem = problem, .seed = seed, .elements = elements}, timeout_);
    const auto* truth = std::get_if<Evidence>(&expected);
    if (truth == nullptr) return skip(problem.id(), "no truth: " + no_answer(expected));
    const auto prepared = worker().ask<answer::Ready>(
        request::Prepare{.problem = problem, .seed = seed, .cold = false}, timeout_);
    if (const auto* refusal = std::get_if<answer::Refusal>(&prepared);
        refusal != nullptr && refusal->status == "unsupported")
      return skip(problem.id(), "unsupported: " + refusal->reason);
    if (const auto* ready = std::get_if<answer::Ready>(&prepared)) {
      if (const std::string why = mismatch_of(problem, *ready); !why.empty())
        return skip(problem.id(), "unsupported: " + why);
    }
    std::string failure = no_answer(prepared);
    if (failure.empty()) failure = verify(problem, *truth, elements);
    if (failure.empty()) failure = sample(workload, 1);
    if (failure.empty()) failure = sample(workload, 3);
    if (failure.empty()) failure = sample(workload, 2, /*device_seconds=*/false);
    // Running must not change the result, that is, the inputs and, for networks, the initial weights.
    if (failure.empty()) failure = verify(problem, *truth, elements);
    if (failure.empty() && hello_.takes_threads && threads_ > 1) {
      const auto with_fewer = worker().ask<answer::Ready>(
          request::Prepare{.problem = problem, .seed = seed, .cold = false, .threads = threads_ - 1},
          timeout_);
      failure = no_answer(with_fewer);
      if (failure.empty()) failure = verify(problem, *truth, elements);
      if (!failure.empty())
        failure = fmt::format("with {} of {} threads: {}", threads_ - 1, threads_, failure);
    }
    if (failure.empty()) failure = no_answer(worker().ask<answer::Done>(request::Release{}, timeout_));
    add(problem.id(), failure);
  }

  std::string verify(const Case& problem, const Evidence& truth, const std::vector<std::int64_t>& elements) {
    const auto asked = worker().ask<Evidence>(request::Verify{.elements = elements}, timeout_);
    const auto* shown = std::get_if<Evidence>(&asked);
    if (shown == nullptr) return no_answer(asked);
    const auto verdict = judge(truth, *shown, problem.workload->tolerance(problem.parameters, truth));
    return verdict.correct ? "" : "wrong: " + verdict.detail;
  }

  std::string sample(const Workload& workload, std::int64_t iterations, bool device_seconds = true) {
    const auto asked = worker().ask<answer::Sample>(
        request::Sample{.iterations = iterations, .device_seconds = device_seconds}, timeout_);
    const auto* s = std::get_if<answer::Sample>(&asked);
    if (s == nullptr) return no_answer(asked);
    if (s->iterations != iterations)
      return fmt::format("ran {} where {} requested", counted_text(s->iterations, "iteration", "iterations"),
                         counted_text(iterations, "was", "were"));
    if (!(s->seconds > 0)) return fmt::format("'seconds' is {} and must be above 0", s->seconds);
    if (std::ranges::any_of(s->latencies, [](double latency) { return latency < 0; }))
      return "'latencies' holds a time below 0";
    if (!device_seconds && s->device_seconds && !hello_.device_id.empty())
      return "gave device_seconds though told not to, around which energy is read (device_id)";
    if (workload.measures_latency() && std::ssize(s->latencies) != iterations) {
      return fmt::format("gave {} for {}", counted_text(s->latencies.size(), "latency", "latencies"),
                         counted_text(iterations, "iteration", "iterations"));
    }
    return "";
  }

  void ends() {
    const auto status = worker().quit(time_to_quit(hello_.device));
    std::string failure = how_it_ended(status);
    // Every further answer of a lost worker is the reason why it was lost.
    if (const auto why = worker_->exchange("", timeout_); !status && std::holds_alternative<WorkerLost>(why))
      failure = std::get<WorkerLost>(why).reason;
    add("ends when asked to quit", failure);
    WorkerProcess second(program_, limited_options(threads_));
    second.ask<answer::Hello>(hello_request(), timeout_);
    const Seconds longest = std::max(Seconds(5), Seconds(time_to_quit(hello_.device)));
    add("ends at the end of its input", how_it_ended(second.end_input(longest)));
  }

  static std::string how_it_ended(std::optional<int> status) {
    if (!status) return "had to be killed";
    return *status == 0 ? "" : fmt::format("ended with exit status {}", *status);
  }

  request::Hello hello_request() const { return {.protocol = protocol_version, .threads = threads_}; }

  std::filesystem::path program_;
  Seconds timeout_;
  const int threads_ = compute_threads();  // those of a run: some faults need several
  const std::function<bool(const std::string&)>& is_wanted_;
  const std::function<void(const Check&)>& report_;
  WorkerProcess reference_;
  std::unique_ptr<WorkerProcess> worker_;
  answer::Hello hello_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> check_conformance(const std::filesystem::path& program,
                                     const std::filesystem::path& reference_backend, double timeout,
                                     const std::function<bool(const std::string& id)>& is_wanted,
                                     const std::function<void(const Check&)>& report) {
  return Conformance(program, reference_backend, timeout, is_wanted, report).run();
}

}  // namespace breakeven
