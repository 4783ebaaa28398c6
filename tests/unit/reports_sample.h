// Results for the tests of reports, made by hand.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/result.h"
#include "workloads/workload.h"

namespace breakeven::sample {

/// A case of `op` on the backend `b`, whose samples took `seconds` and a tenth more.
inline CaseResult measured_case(const char* op, const Parameters& given, double seconds) {
  const Case problem = make_case(*find_workload(op), given);
  CaseResult r;
  r.id = problem.id();
  r.op = op;
  r.parameters = problem.parameters;
  r.dtype = problem.parameters.text("dtype");
  r.backend = "b";
  r.device = "cpu";
  r.status = Status::ok;
  r.seconds = Timing{};
  r.seconds->median = 1.1 * seconds;
  r.seconds->samples = {1.1 * seconds, seconds, 1.2 * seconds};
  r.flop = problem.flop();
  r.bytes = problem.bytes();
  return r;
}

/// An ok result of a product m x m x m in f32, its interval `half_width` to either side.
inline CaseResult product(const std::string& backend, std::int64_t m, double seconds,
                          std::optional<double> half_width = 0.01) {
  CaseResult r;
  r.id = fmt::format("matmul/m={0}/n={0}/k={0}/f32", m);
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

/// The same of so many launches.
inline CaseResult of_launches(std::size_t launches, CaseResult r) {
  r.seconds->launches.assign(launches, 1);
  return r;
}

/// The case as a file has it: with the id of its parameters, a sample of its median, and a verification.
inline CaseResult recorded(CaseResult r) {
  r.id = make_case(*find_workload(r.op), r.parameters).id();
  r.seconds =
      Timing{.median = r.seconds->median, .samples = {r.seconds->median}, .launches = {1}, .iterations = 1};
  r.verification.emplace();
  r.verification->tolerance = 1;
  r.verification->correct = true;
  r.verification->elements = 1;
  return r;
}

inline CaseResult refused(CaseResult r, Status status, std::string reason) {
  r.status = status;
  r.reason = std::move(reason);
  r.seconds.reset();
  return r;
}

inline CaseResult on_gpu(CaseResult r) {
  r.device = "gpu";
  return r;
}

inline CaseResult in_dtype(CaseResult r, const std::string& dtype) {
  r.dtype = dtype;
  r.parameters.set("dtype", dtype);
  r.id = r.id.substr(0, r.id.rfind('/')) + "/" + dtype;
  return r;
}

/// Inference by the MLP: `batch` images in `seconds`.
inline CaseResult inference(const std::string& backend, std::int64_t batch, double seconds) {
  CaseResult r = product(backend, 1, seconds);
  r.op = "infer";
  r.id = "infer/batch=" + std::to_string(batch) + "/f32";
  r.parameters = {{"network", "mlp"}, {"batch", batch}, {"dtype", "f32"}};
  r.samples = batch;
  return r;
}

inline CaseResult training(const std::string& backend) {
  CaseResult r = product(backend, 1, 0.002);
  r.id = "train/network=mlp/batch=128/f32";
  r.op = "train_future";  // an operation this program does not know
  r.parameters = {{"network", "mlp"}, {"batch", 128}, {"target_accuracy", 0.9}, {"dtype", "f32"}};
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

/// The result as a file has it: with the backends of its cases.
inline Result recorded_result(std::vector<CaseResult> cases) {
  Result r = result(std::move(cases));
  for (const CaseResult& c : r.cases) {
    BackendRecord& added = r.backends.emplace_back(backend(c.backend, true));
    added.device = c.device;
  }
  return r;
}

/// The same on another machine.
inline Result on_machine(const std::string& name, Result r) {
  r.host.name = name;
  r.host.cpu = "CPU of " + name;
  return r;
}

/// Products that take m us on the CPU and `fixed` and a tenth of that on the GPU.
inline std::vector<CaseResult> with_gpu(double fixed) {
  std::vector<CaseResult> cases;
  for (const std::int64_t m : {64, 128, 256, 512}) {
    const double seconds = 1e-6 * static_cast<double>(m);
    cases.push_back(product("onednn", m, seconds));
    cases.push_back(product("blis", m, 2 * seconds));
    cases.push_back(on_gpu(product("cuda", m, fixed + seconds / 10)));
  }
  return cases;
}

}  // namespace breakeven::sample
