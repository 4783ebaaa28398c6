#include "worker/timing.h"

#include <benchmark/benchmark.h>

#include <ctime>
#include <utility>
#include <vector>

#include "host/cache.h"
#include "host/energy.h"
#include "host/steady_clock.h"
#include "worker/communicator.h"

namespace breakeven {
namespace {

/// CPU time of all threads of this process, in seconds.
double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Stores the report of a run instead of printing it.
class Capture final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override { run_ = runs.at(0); }
  const Run& run() const { return run_; }

 private:
  Run run_;
};

/// Google Benchmark's list of what to run is global: a benchmark that an exception left in it would run in
/// the next sample, too.
class EmptiesTheList {
 public:
  EmptiesTheList() = default;
  ~EmptiesTheList() { benchmark::ClearRegisteredBenchmarks(); }
  EmptiesTheList(const EmptiesTheList&) = delete;
  EmptiesTheList& operator=(const EmptiesTheList&) = delete;
  EmptiesTheList(EmptiesTheList&&) = delete;
  EmptiesTheList& operator=(EmptiesTheList&&) = delete;
};

/// The number of iterations before the clock starts: a tenth of a sample's on a GPU. It may have computed for
/// another process until now, and the switch takes an H100 a fifth of a millisecond,
/// which is no part of the work.
std::int64_t untimed_iterations(std::int64_t iterations, const SampleMode& mode) {
  if (!mode.on_device || !mode.device_seconds) return 0;
  constexpr std::int64_t part = 10;
  return mode.each_iteration ? 1 : (iterations + part - 1) / part;
}

/// The loop that a sample times, run by Google Benchmark.
class TimedLoop {
 public:
  TimedLoop(Prepared& prepared, const SampleMode& mode, std::int64_t iterations)
      : prepared_(prepared), mode_(mode), iterations_(iterations) {}

  void run(benchmark::State& state) {
    cpu_seconds -= process_cpu_seconds();
    if (mode_.cold || mode_.each_iteration) {
      run_one_by_one(state);
    } else {
      run_all_at_once(state);
    }
    cpu_seconds += process_cpu_seconds();
  }
  /// One iteration, which a GPU has not finished yet.
  void enqueue() {
    if (mode_.transfer.moves()) prepared_.copy_inputs_to_device();
    prepared_.run_many(mode_.transfer.repetitions);
    if (mode_.transfer.moves()) fetched_ = prepared_.copy_outputs_to_host();
  }
  void iterate(std::int64_t times) {
    if (!mode_.transfer.moves()) return prepared_.run_many(times * mode_.transfer.repetitions);
    for (std::int64_t i = 0; i < times; ++i) {
      enqueue();
      // The requester waits for a result that is copied to the host before the next iteration.
      if (fetched_) prepared_.wait();
    }
  }

  double cpu_seconds = 0;         // of the timed iterations
  std::vector<double> latencies;  // seconds of each iteration, if requested

 private:
  void run_all_at_once(benchmark::State& state) {
    // A single batch, so that the two clock readings enclose only the loop that a user would write.
    while (state.KeepRunningBatch(iterations_)) time(state, [&] { iterate(iterations_); });
  }
  void run_one_by_one(benchmark::State& state) {
    if (mode_.each_iteration) latencies.reserve(static_cast<std::size_t>(iterations_));
    for (auto _ : state) {
      if (mode_.cold) flush();
      const double seconds = time(state, [&] { enqueue(); });
      if (mode_.each_iteration) latencies.push_back(seconds);
    }
  }
  void flush() {
    // Not around each iteration: whoever reads his CPU time lets the kernel take the CPU away right then,
    // beside the clock.
    cpu_seconds += process_cpu_seconds();
    if (!prepared_.flush() || mode_.transfer.moves()) flush_caches();
    cpu_seconds -= process_cpu_seconds();
  }
  double time(benchmark::State& state, const auto& work) {
    communicator().barrier();  // otherwise the time would include how much later other ranks begin
    const auto start = Clock::now();
    work();
    prepared_.wait();
    const double seconds = seconds_since(start);
    state.SetIterationTime(seconds);
    return seconds;
  }

  Prepared& prepared_;
  const SampleMode& mode_;
  std::int64_t iterations_;
  bool fetched_ = false;
};

}  // namespace

answer::Sample take_sample(Prepared& prepared, const std::string& name, std::int64_t iterations,
                           const SampleMode& mode) {
  TimedLoop loop(prepared, mode, iterations);
  const EnergyMeter meter;
  Capture capture;
  const EmptiesTheList empties;
  benchmark::RegisterBenchmark(name.c_str(), [&](benchmark::State& state) { loop.run(state); })
      ->UseManualTime()
      ->Iterations(iterations)
      ->Repetitions(1);
  const std::int64_t untimed = untimed_iterations(iterations, mode);
  prepared.prepare_runs((untimed + iterations) * mode.transfer.repetitions);
  if (untimed > 0) {
    loop.iterate(untimed);
    prepared.wait();
  }
  const double communication_before = communicator().seconds();
  const auto joules_before = meter.joules();
  benchmark::RunSpecifiedBenchmarks(&capture, ".");
  const auto joules_after = meter.joules();

  const auto count = static_cast<double>(iterations);
  answer::Sample sample;
  sample.iterations = iterations;
  sample.seconds = capture.run().real_accumulated_time / count;
  sample.cpu_seconds = loop.cpu_seconds / count;
  sample.latencies = std::move(loop.latencies);
  if (const double spent = communicator().seconds() - communication_before; spent > 0)
    sample.communication_seconds = spent / count;
  if (mode.device_seconds) {
    prepared.prepare_runs(iterations * mode.transfer.repetitions);
    sample.device_seconds =
        prepared.device_seconds([&] { loop.enqueue(); }, mode.transfer.repetitions, iterations, mode.cold);
  }
  // The cache flushes of a cold sample use energy too, so the energy of the work itself is unknown. It is
  // also unknown if the counter has wrapped to 0, as it does about once per hour of work.
  if (joules_before && joules_after && *joules_after >= *joules_before && mode.host_energy && !mode.cold)
    sample.joules = (*joules_after - *joules_before) / count;
  return sample;
}

}  // namespace breakeven
