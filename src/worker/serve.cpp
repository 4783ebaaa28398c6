#include "worker/serve.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <istream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/cpu.h"
#include "host/energy.h"
#include "host/nvml.h"
#include "host/threads.h"
#include "protocol/messages.h"
#include "version.h"
#include "worker/backend.h"
#include "worker/communicator.h"
#include "worker/timing.h"
#include "workloads/ranks.h"

namespace breakeven {
namespace {

std::vector<Operation>& registered_operations() {
  static std::vector<Operation> all;
  return all;
}

std::string size_of(double bytes) {
  return fmt::format("{:.3g} GiB", bytes / 0x1p30);
}

std::string algorithm_text(const std::string& algorithm, const std::string& variant) {
  return fmt::format("{}{}{}", algorithm, algorithm.empty() || variant.empty() ? "" : ", ", variant);
}

/// Refuses a case that needs too much memory before it allocates any, because a machine that overcommits
/// grants memory that it does not have and then kills processes. `factor` is how much of the case's memory
/// is taken here.
void check_memory(const Case& problem, const std::function<std::int64_t()>& of_device, double factor = 1) {
  const double needed = factor * problem.workload->memory(problem.parameters);
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

/// The CPUs of the rank with this index on its host. Each rank there has `threads`. Empty if there are too
/// few.
std::vector<int> cpus_of_rank(int index, int threads) {
  const std::vector<int> all = cpus_for((index + 1) * threads);
  return all.empty()
             ? all
             : std::vector<int>(all.begin() + static_cast<std::ptrdiff_t>(index) * threads, all.end());
}

/// Confines all threads of this program, and those that they start, to the CPUs that are nearest to its GPU:
/// threads of CUDA and NCCL feed the card, too. Returns these CPUs; none if they are all, or not known, or
/// the kernel refuses.
std::vector<int> stay_near_gpu(const std::string& uuid) {
  if (uuid.empty()) return {};
  std::vector<int> cpus = cpus_near_gpu(Nvml(), uuid, allowed_cpus());
  if (!cpus.empty() && !set_cpus_of_process(getpid(), cpus)) cpus.clear();
  return cpus;
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
    const std::vector<answer::Rank> self = begin_as_rank(request.threads);
    threads_ = threads_in_use_ = self.empty() ? request.threads : self.front().threads;
    backend_.use_threads(threads_);
    answer::Hello hello = backend_.hello;
    hello.takes_threads = hello.device == "cpu" && !has_others();
    hello.ranks = self;
    if (has_others()) {
      hello.ranks.front().device_id = hello.device_id;
      hello.libraries.emplace_back("ranks", communicator().library());
    }
    hello.version = version;
    std::erase_if(hello.library_files, [](const auto& library) { return library.second.empty(); });
    for (const auto& operation : operations()) {
      std::vector<std::string> dtypes;
      for (const Dtype dtype : operation.dtypes()) dtypes.emplace_back(name(dtype));
      hello.supports.emplace_back(operation.op, std::move(dtypes));
    }
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
    take_threads(request.threads == 0 ? threads_ : request.threads);
    if (has_others()) {
      prepare_with_ranks(request);
    } else {
      prepare(request, operation_of(request.problem));
    }
    return answer::Ready{.algorithm = algorithm_text(prepared_->algorithm(), backend_.variant),
                         .transfer = transfer_policy(request.problem.parameters),
                         .operand_sets = prepared_->operand_sets()};
  }

  Answer operator()(const request::Expect& request) {
    check_elements(request.problem, request.elements);
    check_memory(request.problem, {});
    const auto compute = [&] {
      const Case& problem = request.problem;
      for (const Operation& operation : operations()) {
        if (operation.op == problem.workload->op() && operation.expect)
          return operation.expect(problem, request.seed, request.elements);
      }
      return problem.workload->expect(problem.parameters, request.seed, request.elements);
    };
    return backend_.expect ? backend_.expect(request, compute) : compute();
  }

  Answer operator()(const request::Verify& request) {
    Prepared& shown = prepared();
    check_elements(*problem_, request.elements);
    return in_step([&] { return shown.show(request.elements); });
  }

  Answer operator()(const request::Sample& request) {
    SampleMode mode = mode_;
    mode.device_seconds = request.device_seconds;
    Prepared& sampled = prepared();
    return in_step([&] {
      auto sample = take_sample(sampled, id_, request.iterations, mode);
      sample.losses = sampled.take_losses();
      sample.warnings = sampled.warnings();
      return sample;
    });
  }

  Answer operator()(const request::Epoch&) {
    Prepared& trained = prepared();
    return in_step([&] { return trained.train_epoch(); });
  }

  Answer operator()(const request::Fit&) { return prepared().fit(); }

  Answer operator()(const request::Release&) {
    prepared_.reset();
    return answer::Done{};
  }

  Answer operator()(const request::Quit&) { return answer::Done{}; }

 private:
  static bool has_others() { return communicator().size() > 1; }

  void take_threads(int count) {
    if (count > threads_)
      throw ProtocolError(fmt::format("'threads' is {}, and hello gave {}", count, threads_));
    if (count != threads_in_use_) backend_.use_threads(count);
    threads_in_use_ = count;
  }

  /// The operation of a case that this program can prepare here. Throws if there is none, or too little
  /// memory.
  const Operation& operation_of(const Case& problem) const {
    const auto op = problem.workload->op();
    const Dtype dtype = problem.dtype();
    const auto found = std::ranges::find(operations(), op, &Operation::op);
    if (found == operations().end()) throw Unsupported(fmt::format("{} has no {}", backend_.hello.name, op));
    const auto dtypes = found->dtypes();
    if (std::ranges::find(dtypes, dtype) == dtypes.end()) {
      const std::string why = found->why_not ? found->why_not(dtype) : "";
      throw Unsupported(fmt::format("{} has no {} in {} on this machine{}{}", backend_.hello.name, op,
                                    name(dtype), why.empty() ? "" : ": ", why));
    }
    check_ranks(problem, *found);
    const int copies = found->copies ? found->copies(problem) : 1;
    check_memory(problem, backend_.available_memory, copies * share_here());
    return *found;
  }

  void prepare(const request::Prepare& request, const Operation& operation) {
    auto prepared = operation.prepare(request.problem, request.seed);
    if (request.cold) prepared->flush();  // allocates what the flushes of samples need
    prepared_ = std::move(prepared);
    problem_ = request.problem;
    id_ = request.problem.id();
    mode_ = {.transfer = Transfer::of(request.problem.parameters),
             .cold = request.cold,
             .each_iteration = request.problem.workload->measures_latency(),
             .host_energy = backend_.hello.device == "cpu",
             .on_device = backend_.hello.device != "cpu"};
  }

  /// Does `work`, which does not communicate, on all ranks. They agree on its success: if one refuses, all
  /// do.
  template <typename Work>
  void in_agreement(const Work& work) {
    std::exception_ptr refusal;
    try {
      work();
    } catch (...) {
      refusal = std::current_exception();
    }
    const char own = refusal ? 0 : 1;
    std::string all(static_cast<std::size_t>(communicator().size()), '\0');
    communicator().gather(&own, 1, all.data());
    if (all.find('\0') == std::string::npos) return;
    prepared_.reset();
    if (refusal) std::rethrow_exception(refusal);
    throw Unsupported(answer::refused_by_another_rank);
  }

  /// Prepares the case on all ranks, or on none. None allocates before all have looked at the memory that is
  /// available, and none waits for one that has refused.
  void prepare_with_ranks(const request::Prepare& request) {
    const Operation* operation = nullptr;
    in_agreement([&] { operation = &operation_of(request.problem); });
    in_agreement([&] { prepare(request, *operation); });
    in_step([&] { prepared_->begin_with_ranks(); });
  }

  /// Calls `work`, which communicates. An exception ends all ranks, because the others would wait for this
  /// one. That of a request that is impossible is the same on all, and comes before any communication.
  template <typename Work>
  std::invoke_result_t<Work> in_step(const Work& work) {
    if (!has_others()) return work();
    try {
      return work();
    } catch (const ProtocolError&) {
      throw;
    } catch (const std::exception& e) {
      // If the cause is that another rank has ended, the driver notices that first, and says so.
      std::this_thread::sleep_for(std::chrono::seconds(1));
      end_all_ranks(e.what());
    }
  }

  Prepared& prepared() {
    if (!prepared_) throw ProtocolError("nothing is prepared");
    return *prepared_;
  }

  /// Confines this rank to its own part of its host's CPUs, because ranks that share a CPU wait for each
  /// other; on a GPU to all CPUs near that. Returns what it tells of itself; nothing without other ranks.
  std::vector<answer::Rank> begin_as_rank(int threads_of_host) {
    if (!has_others()) return {};
    answer::Rank self{.host = own_host_name(),
                      .pid = getpid(),
                      .threads = std::max(1, threads_of_host / communicator().ranks_here()),
                      .cpus = {},
                      .device_id = {}};
    if (backend_.hello.device != "cpu") {
      self.cpus = stay_near_gpu(backend_.hello.device_id);
      return {self};
    }
    self.cpus = cpus_of_rank(communicator().index_here(), self.threads);
    if (!self.cpus.empty() && !set_cpus_of_thread(0, self.cpus)) {
      self.cpus.clear();
      backend_.hello.warnings.emplace_back(
          "the kernel did not let its ranks be held on CPUs (sched_setaffinity): times vary more; allow the "
          "call in the sandbox");
    }
    return {self};
  }

  /// The part of a case's memory that this host, or this rank's device, holds.
  double share_here() const {
    if (!has_others()) return 1;
    const int holders = backend_.hello.device == "cpu" ? communicator().ranks_here() : 1;
    return static_cast<double>(holders) / communicator().size();
  }

  void check_ranks(const Case& problem, const Operation& operation) const {
    const std::int64_t wanted = ranks_of(problem.parameters);
    if (wanted > 1 && !operation.takes_ranks)
      throw Unsupported(
          fmt::format("{} has no {} with several ranks", backend_.hello.name, problem.workload->op()));
    if (communicator().size() == 1 && wanted > 1)
      throw Unsupported(
          fmt::format("it needs {} ranks, which a launcher must start (--ranks {})", wanted, wanted));
    if (wanted != communicator().size())
      throw ProtocolError(fmt::format("the case is for {} rank{}, and this job has {}", wanted,
                                      wanted == 1 ? "" : "s", communicator().size()));
  }

  Backend backend_;
  int threads_ = 1;  // of hello
  int threads_in_use_ = 1;
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

bool serve(std::istream& in, const std::function<bool(const std::string&)>& send) {
  Worker worker;
  bool quit = false;
  for (std::string line; !quit && std::getline(in, line);) {
    if (!send(to_line(respond(worker, line, quit)))) return false;
  }
  return true;
}

}  // namespace breakeven
