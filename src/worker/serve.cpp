#include "worker/serve.h"

#include <fmt/format.h>

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <vector>

#include "host/cpu.h"
#include "host/energy.h"
#include "protocol/messages.h"
#include "version.h"
#include "worker/backend.h"
#include "worker/extra_work.h"
#include "worker/timing.h"

namespace breakeven {
namespace {

std::vector<Operation>& registered_operations() {
  static std::vector<Operation> all;
  return all;
}

std::vector<std::function<void()>>& registered_starts() {
  static std::vector<std::function<void()>> all;
  return all;
}

std::string size_of(double bytes) {
  return fmt::format("{:.3g} GiB", bytes / 0x1p30);
}

std::string algorithm_text(const std::string& algorithm, const std::string& variant) {
  return fmt::format("{}{}{}", algorithm, algorithm.empty() || variant.empty() ? "" : ", ", variant);
}

/// Refuses a case that needs too much memory before it allocates any, because a machine that overcommits
/// grants memory that it does not have and then kills processes.
void check_memory(const Case& problem, const std::function<std::int64_t()>& of_device) {
  const double needed = problem.workload->memory(problem.parameters);
  const auto available = static_cast<double>(of_device ? of_device() : available_memory());
  if (needed > available) {
    throw OutOfMemory(fmt::format("needs {} and {} is available", size_of(needed), size_of(available)));
  }
}

/// Checks the indices at which a result will be read.
void check_elements(const Case& problem, const std::vector<std::int64_t>& elements) {
  const std::int64_t size = problem.workload->output(problem.parameters).elements();
  for (const std::int64_t element : elements) {
    if (element < 0 || element >= size)
      throw ProtocolError(fmt::format("'elements' holds {}, and the result has {}", element, size));
  }
}

class Worker {
 public:
  Answer operator()(const request::Hello& request) {
    if (request.protocol != protocol_version)
      throw ProtocolError(
          fmt::format("this program speaks protocol {}, not {}: use programs and driver of one version",
                      protocol_version, request.protocol));
    if (request.threads < 1) throw ProtocolError("'threads' must be at least 1");
    backend_ = make_backend();
    backend_.use_threads(request.threads);
    answer::Hello hello = backend_.hello;
    hello.version = version;
    std::erase_if(hello.library_files, [](const auto& library) { return library.second.empty(); });
    for (const auto& operation : operations()) {
      std::vector<std::string> dtypes;
      for (const Dtype dtype : operation.dtypes()) dtypes.emplace_back(name(dtype));
      hello.supports.emplace_back(operation.op, std::move(dtypes));
    }
    if (const auto extra = extra_work())
      hello.libraries.emplace_back(extra_work_library, fmt::format("{:g} %", *extra * 100));
    if (hello.device != "cpu") {
      // If the device is known, the driver reads its energy counter.
      if (hello.device_id.empty())
        hello.unreadable["joules"] = "which device it is, and so whose energy to read, is not known";
      return hello;
    }
    if (const EnergyMeter meter; !meter.unreadable().empty()) hello.unreadable["joules"] = meter.unreadable();
    hello.unreadable["device_seconds"] = "the device is the CPU: its time is 'seconds'";
    return hello;
  }

  Answer operator()(const request::Prepare& request) {
    prepared_.reset();
    const auto op = request.problem.workload->op();
    const Dtype dtype = request.problem.dtype();
    for (const auto& operation : operations()) {
      if (operation.op != op) continue;
      for (const Dtype known : operation.dtypes()) {
        if (known != dtype) continue;
        check_memory(request.problem, backend_.available_memory);
        prepared_ = operation.prepare(request.problem, request.seed);
        if (const auto extra = extra_work())
          prepared_ = with_extra_work(std::move(prepared_), *extra, backend_.hello.device == "cpu");
        problem_ = request.problem;
        id_ = request.problem.id();
        mode_ = {.transfer = Transfer::of(request.problem.parameters),
                 .cold = request.cold,
                 .each_iteration = request.problem.workload->measures_latency(),
                 .host_energy = backend_.hello.device == "cpu",
                 .on_device = backend_.hello.device != "cpu"};
        return answer::Ready{.algorithm = algorithm_text(prepared_->algorithm(), backend_.variant),
                             .transfer = transfer_policy(request.problem.parameters),
                             .operand_sets = prepared_->operand_sets()};
      }
      const std::string why = operation.why_not ? operation.why_not(dtype) : "";
      throw Unsupported(fmt::format("{} has no {} in {} on this machine{}{}", backend_.hello.name, op,
                                    name(dtype), why.empty() ? "" : ": ", why));
    }
    throw Unsupported(fmt::format("{} has no {}", backend_.hello.name, op));
  }

  Answer operator()(const request::Expect& request) {
    check_elements(request.problem, request.elements);
    check_memory(request.problem, {});
    const Case& problem = request.problem;
    for (const Operation& operation : operations()) {
      if (operation.op == problem.workload->op() && operation.expect)
        return operation.expect(problem, request.seed, request.elements);
    }
    return problem.workload->expect(problem.parameters, request.seed, request.elements);
  }

  Answer operator()(const request::Verify& request) {
    Prepared& shown = prepared();
    check_elements(*problem_, request.elements);
    return shown.show(request.elements);
  }

  Answer operator()(const request::Sample& request) {
    SampleMode mode = mode_;
    mode.device_seconds = request.device_seconds;
    auto sample = take_sample(prepared(), id_, request.iterations, mode);
    sample.losses = prepared().take_losses();
    sample.warnings = prepared().warnings();
    return sample;
  }

  Answer operator()(const request::Epoch&) { return prepared().train_epoch(); }

  Answer operator()(const request::Fit&) { return prepared().fit(); }

  Answer operator()(const request::Release&) {
    prepared_.reset();
    return answer::Done{};
  }

  Answer operator()(const request::Quit&) { return answer::Done{}; }

 private:
  Prepared& prepared() {
    if (!prepared_) throw ProtocolError("nothing is prepared");
    return *prepared_;
  }

  Backend backend_;
  std::unique_ptr<Prepared> prepared_;
  std::optional<Case> problem_;  // the prepared case
  std::string id_;
  SampleMode mode_;
};

Answer respond(Worker& worker, const std::string& line, bool& quit) {
  try {
    const Request request = parse_request(line);
    quit = std::holds_alternative<request::Quit>(request);
    return std::visit(worker, request);
  } catch (const Unsupported& e) {
    return answer::Refusal{.status = "unsupported", .reason = e.what()};
  } catch (const OutOfMemory& e) {
    return answer::Refusal{.status = "out_of_memory", .reason = e.what()};
  } catch (const std::bad_alloc&) {
    return answer::Refusal{.status = "out_of_memory", .reason = "an allocation failed"};
  } catch (const std::exception& e) {
    return answer::Refusal{.status = "failed", .reason = e.what()};
  }
}

}  // namespace

OperationRegistration::OperationRegistration(Operation operation) {
  registered_operations().push_back(std::move(operation));
}
const std::vector<Operation>& operations() {
  return registered_operations();
}

StartRegistration::StartRegistration(std::function<void()> function) {
  registered_starts().push_back(std::move(function));
}

void start_up() {
  for (const auto& function : registered_starts()) function();
}

bool serve(std::istream& in, const std::function<bool(const std::string&)>& send) {
  Worker worker;
  bool quit = false;
  for (std::string line; !quit && std::getline(in, line);) {
    if (!send(to_line(respond(worker, line, quit)))) return false;
  }
  return true;
}

}  // namespace breakeven
