// Results and histories for the tests of the history.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "history/history.h"
#include "results/result.h"

namespace breakeven::sample {

inline CaseResult timed(const std::string& id, double seconds) {
  CaseResult c;
  c.id = id;
  c.op = "matmul";
  c.dtype = "f32";
  c.backend = "openblas";
  c.status = Status::ok;
  c.seconds = Timing{.median = seconds,
                     .ci_low = seconds * 0.99,
                     .ci_high = seconds * 1.01,
                     .samples = {seconds},
                     .launches = {1},
                     .iterations = 1};
  return c;
}

inline CaseResult not_ok(const std::string& id, Status status) {
  CaseResult c = timed(id, 1);
  c.status = status;
  c.seconds.reset();
  return c;
}

/// A run of these cases on the machine "host"; two runs differ by their time.
inline Result run_of(std::vector<CaseResult> cases, const std::string& created = "2026-01-01T00:00:00Z") {
  Result r;
  r.created = created;
  r.complete = true;
  r.host.name = "host";
  r.host.cpu = "A CPU";
  r.host.cpus = 2;
  r.host.threads = 2;
  r.config = "{}";
  BackendRecord backend;
  backend.name = "openblas";
  backend.version = "0.1.0";
  backend.libraries = {{"OpenBLAS", "0.3.21"}};
  backend.available = true;
  r.backends = {backend};
  r.cases = std::move(cases);
  return r;
}

/// `runs` times around a millisecond, which spread by about 1 %, and are `factor` times as long from `begin`
/// on (and again from `undone` on).
inline std::vector<double> stepped(std::size_t runs, std::size_t begin, double factor, std::uint64_t seed = 1,
                                   std::size_t undone = 1'000'000) {
  std::mt19937_64 generator(seed);
  std::vector<double> seconds(runs);
  for (std::size_t i = 0; i < runs; ++i) {
    const double noise = static_cast<double>(generator() >> 11U) * 0x1p-53 - 0.5;
    seconds[i] = 1e-3 * (1 + 0.03 * noise) * (i >= begin && i < undone ? factor : 1);
  }
  return seconds;
}

/// A history of one machine: run i, of commit "c<i>", gave `seconds[s][i]` of series "case/<s>".
inline History history_of(const std::vector<std::vector<double>>& seconds) {
  History history;
  history.machines = {{.id = 1, .name = "host", .description = "A CPU, 2 CPUs"}};
  for (std::size_t s = 0; s < seconds.size(); ++s) {
    Series& series = history.series.emplace_back();
    series.id = static_cast<std::int64_t>(s + 1);
    series.machine = 1;
    series.case_id = "case/" + std::to_string(s);
    series.backend = "openblas";
    for (std::size_t i = 0; i < seconds[s].size(); ++i)
      series.measurements.push_back({.run = i, .status = Status::ok, .seconds = seconds[s][i]});
    while (history.runs.size() < seconds[s].size()) {
      Run& run = history.runs.emplace_back();
      run.id = static_cast<std::int64_t>(history.runs.size());
      run.machine = 1;
      run.commit = "c" + std::to_string(history.runs.size() - 1);
      run.branch = "main";
      run.software = {{"openblas", {.text = "0.1.0"}}};
    }
  }
  return history;
}

}  // namespace breakeven::sample
