// Results for the tests of reports, made by hand.
#pragma once

#include <limits>
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

/// A result of every status, with names and numbers that could break a report's format. Some names differ
/// only in characters that are removed, or look like the suffixes that distinguish such names. It stands for
/// a file that somebody wrote by hand.
inline Result hostile() {
  using namespace std::string_literals;
  std::vector<CaseResult> cases;
  for (const std::string& id :
       {""s, "quote \" and \\ and '"s, "<b>&amp;</b>]]><!--"s, "two\nlines\r\n# EOF\n"s,
        "esc\x1b[2Jape\0nul\x7f"s, "not UTF-8: \xff\xc3 \xed\xa0\x80"s, "nonchar \xef\xbf\xbe\xef\xbf\xbf"s,
        "}\"},{\"name\":"s, "__proto__"s, "=1+1|x`y`"s, std::string(5000, 'x'), std::string(5000, 'x') + "y"s,
        std::string(999, 'x') + "\u00e9\u00e9"s, "same"s, "same\x01"s, "same/a (2)"s, "same/a"s,
        "\u202eturned"s}) {
    CaseResult r = product("a", 64, 0.5);
    r.id = id;
    r.label = r.algorithm = r.dtype = r.op = r.device = id;
    r.cpu_seconds = 0.25;
    cases.push_back(r);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double seconds : {nan, infinity, 1e300, 1e-310, 0.0, -1.0, 1e-9}) {
    CaseResult r = product("numbers", 64, seconds);
    r.id = std::to_string(cases.size());
    r.seconds->samples = {seconds, nan};
    r.cpu_seconds = r.joules = r.device_seconds = seconds;
    r.flop = r.bytes = 1e308;
    cases.push_back(r);
  }
  for (const Status status : {Status::wrong, Status::implausible, Status::unsupported, Status::out_of_memory,
                              Status::failed, Status::timed_out, Status::interrupted}) {
    CaseResult r = refused(product("a", 64, 0.5), status, "why \"not\"?\n<\x02&\xff>");
    r.id = "status";
    r.warnings = {"<warned> \x03"};
    cases.push_back(r);
  }
  Result run = result(std::move(cases));
  run.host.name = run.host.cpu = run.host.os = run.created = run.tool_version = "<\"machine\\\">\n\xff";
  run.complete = false;
  BackendRecord hostile_backend = backend("a", true);
  hostile_backend.libraries = {{"<lib>\xff", "\"1\"\n"}};
  run.backends = {hostile_backend};
  return run;
}

}  // namespace breakeven::sample
