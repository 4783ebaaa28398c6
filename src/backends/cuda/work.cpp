#include "backends/cuda/work.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/cuda/device_ranks.h"
#include "host/cpu.h"
#include "worker/communicator.h"
#include "worker/operand_sets.h"

namespace breakeven::cuda {

void check_host_memory(double bytes) {
  const auto available = static_cast<double>(available_memory());
  if (bytes <= available) return;
  throw OutOfMemory(fmt::format("needs {:.3g} GiB of the host's memory and {:.3g} GiB is available",
                                bytes / 0x1p30, available / 0x1p30));
}

std::optional<double> Work::device_seconds(const std::function<void()>& enqueue, std::int64_t runs,
                                           std::int64_t iterations, bool cold) {
  constexpr std::int64_t enough = 512;  // more would not improve the mean
  constexpr std::int64_t part = 8;      // of a sample's time, which is for samples
  if (runs > most_queued()) return std::nullopt;
  const std::int64_t counted = std::clamp<std::int64_t>(iterations / part, 1, enough);
  const bool is_alone = communicator().size() == 1;
  bool is_known = true;
  double seconds = 0;
  for (std::int64_t done = 0; done < counted;) {
    const std::int64_t queued = cold ? 1 : std::min(most_queued() / runs, counted - done);
    if (cold) flush();
    if (is_alone) {
      seconds += stopwatch_.seconds(queued, enqueue);
    } else {
      // Otherwise one rank's time would include how much later others begin.
      const auto one = stopwatch_.seconds_of_one_attempt(queued, enqueue, [] { communicator().barrier(); });
      is_known = is_known && one.has_value();
      seconds += one.value_or(0);
    }
    done += queued;
  }
  return is_known ? std::optional(seconds / static_cast<double>(counted)) : std::nullopt;
}

std::vector<std::string> Work::warnings() const {
  std::vector<std::string> all;
  if (const std::string& why = Stopwatch::why_without_gate(); !why.empty())
    all.push_back(fmt::format(
        "device_seconds, and the choice of the algorithm, are by the host's clock and include launches: {}",
        why));
  if (std::string by_mpi = rank_warning(); !by_mpi.empty()) all.push_back(std::move(by_mpi));
  return all;
}

void Work::iterate() {
  copy_inputs_to_device();
  run();
  copy_outputs_to_host();
  wait();
}

void MovingWork::iterate_afresh() {
  result_->memory().poison(stream());
  copy_outputs_to_host();
  wait();
  forget_inputs_on_device();
  iterate();
}

TensorWork::TensorWork(const Case& problem, HostTensors tensors)
    : MovingWork(problem),
      sets_(breakeven::operand_sets(
          problem, [] { return device_facts().l2_bytes; }, free_memory)),
      tensors_(std::move(tensors)) {}

Evidence TensorWork::show(const std::vector<std::int64_t>& elements) {
  tensors_.poison();
  result().fill(tensors_.output);
  forget_inputs_on_device();
  for (std::int64_t set = 0; set < sets_; ++set) iterate();
  copy_result(tensors_.output);
  return tensors_.evidence(elements);
}

bool Work::flush() {
  if (flushed_.bytes() == 0) flushed_ = Memory(std::max<std::int64_t>(4 * device_facts().l2_bytes, 1 << 20));
  flushed_.clear(stream());
  stream_.wait();
  return true;
}

}  // namespace breakeven::cuda
