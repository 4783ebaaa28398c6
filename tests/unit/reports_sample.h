// Results for the tests of reports, made by hand.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "results/result.h"

namespace breakeven::sample {

/// An ok result of a product m x m x m in f32, its interval `half_width` to either side.
inline CaseResult product(const std::string& backend, std::int64_t m, double seconds,
                          std::optional<double> half_width = 0.01) {
  CaseResult r;
  r.id = "matmul/m=" + std::to_string(m) + "/f32";
  r.op = "matmul";
  for (const char* size : {"m", "n", "k"}) r.parameters.set(size, m);
  r.parameters.set("batch", std::int64_t{1});
  r.parameters.set("transpose_a", false);
  r.parameters.set("transpose_b", false);
  r.parameters.set("dtype", std::string("f32"));
  r.dtype = "f32";
  r.backend = backend;
  r.device = "cpu";
  r.status = Status::ok;
  r.seconds = Timing{};
  r.seconds->median = seconds;
  if (half_width) {
    r.seconds->ci_low = seconds * (1 - *half_width);
    r.seconds->ci_high = seconds * (1 + *half_width);
  }
  const auto side = static_cast<double>(m);
  r.flop = 2 * side * side * side;
  r.bytes = 12 * side * side;
  return r;
}

inline CaseResult refused(CaseResult r, Status status, std::string reason) {
  r.status = status;
  r.reason = std::move(reason);
  r.seconds.reset();
  return r;
}

inline CaseResult training(const std::string& backend) {
  CaseResult r;
  r.id = "train/network=mlp/batch=128/f32";
  r.op = "train_future";  // an operation this program does not know
  r.parameters.set("network", std::string("mlp"));
  r.parameters.set("batch", std::int64_t{128});
  r.parameters.set("target_accuracy", 0.9);
  r.parameters.set("dtype", std::string("f32"));
  r.dtype = "f32";
  r.backend = backend;
  r.device = "cpu";
  r.status = Status::ok;
  r.seconds = Timing{};
  r.seconds->median = 0.002;
  r.seconds->ci_low = 0.00198;
  r.seconds->ci_high = 0.00202;
  r.samples = 128;
  r.flop = 1e9;
  r.bytes = 1e6;
  r.training = Training{};
  r.training->loss = {2.3456, 1.2, 0.41234};
  r.training->accuracy = 0.8973;
  r.training->epoch_seconds = {0.94, 0.93};
  r.training->seconds_to_accuracy = 34.25;
  return r;
}

inline BackendRecord backend(const std::string& name, bool available, const std::string& reason = "") {
  BackendRecord b;
  b.name = name;
  b.version = "0.1.0";
  b.device = "cpu";
  b.available = available;
  b.reason = reason;
  return b;
}

inline Result result(std::vector<CaseResult> cases) {
  Result r;
  r.created = "2026-11-01T12:00:00Z";
  r.complete = true;
  r.tool_version = "0.1.0";
  r.host.name = "host";
  r.host.cpu = "A CPU";
  r.host.cores = 2;
  r.host.threads = 2;
  r.host.cpus = 2;
  r.config = R"({"title": "Which is faster?"})";
  r.cases = std::move(cases);
  return r;
}

}  // namespace breakeven::sample
