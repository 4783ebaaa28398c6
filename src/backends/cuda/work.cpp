#include "backends/cuda/work.h"

#include <fmt/format.h>

#include <algorithm>

#include "worker/operand_sets.h"

namespace breakeven::cuda {

std::optional<double> Work::device_seconds(const std::function<void()>& enqueue, std::int64_t runs,
                                           std::int64_t iterations, bool cold) {
  constexpr std::int64_t enough = 512;  // more would not improve the mean
  if (runs > most_queued()) return std::nullopt;
  const std::int64_t counted = std::min(iterations, enough);
  double seconds = 0;
  for (std::int64_t done = 0; done < counted;) {
    const std::int64_t queued = cold ? 1 : std::min(most_queued() / runs, counted - done);
    if (cold) flush();
    seconds += stopwatch_.seconds(queued, enqueue);
    done += queued;
  }
  return seconds / static_cast<double>(counted);
}

std::vector<std::string> Work::warnings() const {
  const std::string& why = Stopwatch::why_without_gate();
  if (why.empty()) return {};
  return {
      fmt::format("device_seconds, and the choice of the algorithm, are by the host's clock and include "
                  "launches: {}",
                  why)};
}

void Work::iterate() {
  bring();
  run();
  fetch();
  wait();
}

void MovingWork::iterate_afresh() {
  result_->memory().poison(stream());
  fetch();
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
