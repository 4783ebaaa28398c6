// Measures the driver's own cost: reading configs, deciding after every sample, communicating with workers,
// saving, reporting, and what `compare`, `rank` and `history check` do. The options are Google Benchmark's.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "history/check.h"
#include "plan/config.h"
#include "protocol/messages.h"
#include "rank/rank.h"
#include "reports/document/builders.h"
#include "reports/render/html.h"
#include "reports/render/terminal.h"
#include "reports/words/words.h"
#include "results/result.h"
#include "session/discovery.h"
#include "session/schedule.h"
#include "session/worker_process.h"
#include "statistics/summary.h"
#include "verdicts/compare.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

constexpr int many_cases = 10'000;

/// A temporary folder for the files of one benchmark.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("breakeven-bench-{}", getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;
  fs::path file(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// Writes a config of 100 x 100 products.
fs::path write_config(const Folder& folder) {
  auto path = folder.file("config.json");
  std::ofstream(path) << R"({"workloads": [{"op": "matmul", "m": {"from": 1, "to": 100, "step": 1},
                             "n": {"from": 1, "to": 100, "step": 1}, "k": "m", "dtype": "f32"}]})";
  return path;
}

std::vector<double> random_seconds(std::size_t count, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::lognormal_distribution<double> seconds(-7, 0.05);
  std::vector<double> values(count);
  for (double& value : values) value = seconds(generator);
  return values;
}

/// The final result of a run of `many_cases` products on one backend, or of the first `count` of them. Times
/// are random: another seed is another run.
Result large_result(std::size_t launches = 1, std::size_t count = many_cases, unsigned seed = 1) {
  const Folder folder;
  Config config = read_config(write_config(folder));
  config.cases.resize(count);
  Result result;
  result.complete = true;  // otherwise the writer would skip most of the writing
  result.config = config.json;
  BackendRecord backend;
  backend.name = "openblas";
  backend.available = true;
  result.backends.push_back(backend);
  for (const auto& [problem, label] : config.cases) {
    CaseResult& c = result.cases.emplace_back();
    c.id = problem.id();
    c.op = problem.workload->op();
    c.parameters = problem.parameters;
    c.dtype = "f32";
    c.backend = backend.name;
    c.device = "cpu";
    c.status = Status::ok;
    std::vector<std::vector<double>> samples;
    for (std::size_t i = 0; i < launches; ++i) samples.push_back(random_seconds(30 / launches, ++seed));
    c.seconds = summarise(samples, 1000);
    c.flop = problem.flop();
    c.bytes = problem.bytes();
    c.verification =
        Verification{.error = 1e-7, .tolerance = 1e-6, .correct = true, .detail = {}, .elements = 256};
  }
  return result;
}

void expand_config(benchmark::State& state) {
  const Folder folder;
  const auto path = write_config(folder);
  for (auto _ : state) {
    const Config config = read_config(path);
    if (config.cases.size() != many_cases) return state.SkipWithError("another number of cases");
  }
  state.SetItemsProcessed(state.iterations() * many_cases);
}
BENCHMARK(expand_config)->Unit(benchmark::kMillisecond);

void case_ids(benchmark::State& state) {
  const Folder folder;
  const Config config = read_config(write_config(folder));
  for (auto _ : state) {
    for (const auto& planned : config.cases) benchmark::DoNotOptimize(planned.problem.id());
  }
  state.SetItemsProcessed(state.iterations() * many_cases);
}
BENCHMARK(case_ids)->Unit(benchmark::kMillisecond);

void interval_of_one_launch(benchmark::State& state) {
  const auto values = random_seconds(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(median_interval(values));
}
BENCHMARK(interval_of_one_launch)->RangeMultiplier(10)->Range(10, 1000);

void interval_of_three_launches(benchmark::State& state) {
  const std::vector<std::vector<double>> launches(3,
                                                  random_seconds(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(median_interval(launches));
}
BENCHMARK(interval_of_three_launches)->Arg(100)->Unit(benchmark::kMillisecond);

/// The decision after a sample whether the case is done, at counts at which progress() examines all samples.
void decide_whether_done(benchmark::State& state) {
  const std::vector<std::vector<double>> launches{random_seconds(static_cast<std::size_t>(state.range(0)))};
  const Measure measure{.precision = 1e-6};
  for (auto _ : state)
    benchmark::DoNotOptimize(progress(launches, 0, measure.precision, measure.max_seconds));
}
BENCHMARK(decide_whether_done)->Arg(10)->Arg(100)->Arg(960);

Answer typical_sample() {
  return answer::Sample{.iterations = 1234,
                        .seconds = 8.123456789e-6,
                        .cpu_seconds = 1.61234567e-5,
                        .device_seconds = {},
                        .joules = 1.2345678e-4,
                        .latencies = {},
                        .losses = {}};
}

void write_sample(benchmark::State& state) {
  const Answer sample = typical_sample();
  for (auto _ : state) benchmark::DoNotOptimize(to_line(sample));
}
BENCHMARK(write_sample);

void read_sample(benchmark::State& state) {
  const std::string line = to_line(typical_sample());
  for (auto _ : state) benchmark::DoNotOptimize(parse_answer<answer::Sample>(line));
}
BENCHMARK(read_sample);

Answer typical_evidence() {
  return Evidence{.elements = random_seconds(256), .projections = random_seconds(512), .losses = {}};
}

void write_evidence(benchmark::State& state) {
  const Answer evidence = typical_evidence();
  for (auto _ : state) benchmark::DoNotOptimize(to_line(evidence));
}
BENCHMARK(write_evidence);

void read_evidence(benchmark::State& state) {
  const std::string line = to_line(typical_evidence());
  for (auto _ : state) benchmark::DoNotOptimize(parse_answer<Evidence>(line));
}
BENCHMARK(read_evidence);

/// Saves a result in which only the last of many cases has changed.
void save_result(benchmark::State& state) {
  const Folder folder;
  const Result result = large_result();
  ResultWriter writer(folder.file("result.json"), report_words());
  writer.update(result, 0);
  for (auto _ : state) writer.update(result, result.cases.size() - 1);
}
BENCHMARK(save_result)->Unit(benchmark::kMillisecond);

void report_in_the_terminal(benchmark::State& state) {
  const Result result = large_result();
  const Measured measured{.results = {result}};
  for (auto _ : state) benchmark::DoNotOptimize(render_terminal(document_of(measured), {}));
}
BENCHMARK(report_in_the_terminal)->Unit(benchmark::kMillisecond);

void report_as_a_page(benchmark::State& state) {
  const Measured measured{.results = {large_result()}};
  std::string page;
  for (auto _ : state) page = render_html(document_of(measured));
  state.counters["bytes"] = static_cast<double>(page.size());
}
BENCHMARK(report_as_a_page)->Unit(benchmark::kMillisecond);

/// Reading takes nearly all of the time of `compare`.
void read_result_of_five_launches(benchmark::State& state) {
  const std::string text = to_json_text(large_result(5), report_words());
  for (auto _ : state) benchmark::DoNotOptimize(result_from_text(text, "result.json"));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_result_of_five_launches)->Unit(benchmark::kMillisecond);

void compare_results_of_five_launches(benchmark::State& state) {
  const Result base = large_result(5), head = large_result(5, many_cases, 1'000'000);
  for (auto _ : state) {
    state.PauseTiming();
    Result of_base = base, of_head = head;  // which the comparison frees
    state.ResumeTiming();
    benchmark::DoNotOptimize(
        render_terminal(document_of(compare_results(std::move(of_base), std::move(of_head), {})), {}));
  }
}
BENCHMARK(compare_results_of_five_launches)->Unit(benchmark::kMillisecond);

void rank_a_hundred_machines(benchmark::State& state) {
  std::vector<Result> machines;
  for (unsigned i = 0; i < 100; ++i) {
    machines.push_back(large_result(5, 50, 1000 * i));
    machines.back().host.name = fmt::format("machine {}", i);
  }
  for (auto _ : state) benchmark::DoNotOptimize(render_terminal(document_of(rank_by_work(machines, {})), {}));
}
BENCHMARK(rank_a_hundred_machines)->Unit(benchmark::kMillisecond);

/// 1,000 runs of 500 cases. Every tenth case is slower in the last 100 runs.
void check_a_long_history(benchmark::State& state) {
  constexpr std::size_t runs = 1000, cases = 500;
  History history{.machines = {{.id = 1, .name = "host", .description = ""}}, .runs = {}, .series = {}};
  for (std::size_t run = 0; run < runs; ++run) {
    Run& added = history.runs.emplace_back();
    added.id = static_cast<std::int64_t>(run) + 1;
    added.machine = 1;
  }
  const std::vector<double> seconds = random_seconds(cases * runs);
  for (std::size_t i = 0; i < cases; ++i) {
    Series& series = history.series.emplace_back();
    series.id = static_cast<std::int64_t>(i) + 1;
    series.machine = 1;
    series.case_id = fmt::format("case/{}", i);
    for (std::size_t run = 0; run < runs; ++run) {
      const double factor = i % 10 == 0 && run >= 900 ? 1.1 : 1;
      series.measurements.push_back({.run = run, .seconds = factor * seconds[i * runs + run]});
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(check_history(history, {}));
}
BENCHMARK(check_a_long_history)->Unit(benchmark::kMillisecond);

/// One sample of a product 1 x 1 x 1: the pipes, the messages, and take_sample().
class Conversation : public benchmark::Fixture {
 public:
  void SetUp(benchmark::State& state) override {
    for (const auto& backend : find_backends(backend_folders())) {
      if (backend.name != "reference") continue;
      worker_ = std::make_unique<WorkerProcess>(backend.path, worker_options(1));
      worker_->ask<answer::Hello>(request::Hello{}, timeout);
      const Workload& matmul = *find_workload("matmul");
      Parameters smallest = matmul.examples().front();
      for (const char* size : {"m", "n", "k"}) smallest.set(size, std::int64_t{1});
      if (std::holds_alternative<answer::Ready>(worker_->ask<answer::Ready>(
              request::Prepare{.problem = make_case(matmul, smallest)}, timeout))) {
        return;
      }
    }
    state.SkipWithError("breakeven-backend-reference is not beside this program: build it too");
  }
  void TearDown(benchmark::State&) override { worker_.reset(); }

 protected:
  static constexpr std::chrono::seconds timeout{10};
  std::unique_ptr<WorkerProcess> worker_;
};

BENCHMARK_DEFINE_F(Conversation, sample)(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(worker_->ask<answer::Sample>(request::Sample{.iterations = 1}, timeout));
}
BENCHMARK_REGISTER_F(Conversation, sample)->UseRealTime();

BENCHMARK_DEFINE_F(Conversation, sample_and_quiet)(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(worker_->ask<answer::Sample>(request::Sample{.iterations = 1}, timeout));
    worker_->wait_until_quiet();
  }
}
BENCHMARK_REGISTER_F(Conversation, sample_and_quiet)->UseRealTime();

}  // namespace
}  // namespace breakeven

BENCHMARK_MAIN();
