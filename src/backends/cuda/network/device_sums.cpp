#include "backends/cuda/network/device_sums.h"

#include "backends/cuda/kernels/kernels.h"

namespace breakeven::cuda {

DeviceSums::DeviceSums(cudaStream_t main, Branch& branch, std::int64_t most) : main_(main), branch_(branch) {
  if (most > 0) parts_ = Memory(communicator().size() * most * static_cast<std::int64_t>(sizeof(float)));
}

void DeviceSums::sum(float* values, std::int64_t count) {
  branch_.hold_up(main_);
  device_ranks().sum_of(values, values, count, main_);
}

void DeviceSums::sum_in_order(float* values, std::int64_t count) {
  branch_.hold_up(main_);
  device_ranks().gather(values, count * static_cast<std::int64_t>(sizeof(float)), parts_.data(), main_);
  add_parts(parts_.as<float>(), communicator().size(), count, values, main_);
}

void DeviceSums::start_sum(float* values, std::int64_t count) {
  if (started_ == sums_.size()) sums_.push_back(std::make_unique<Started>());
  Started& one = *sums_[started_++];
  one.values = values;
  one.count = count;
  one.ready.record(main_);
  if (ranks_enqueue()) enqueue(one);
}

void DeviceSums::finish_sums() {
  if (started_ == 0) return;
  if (!ranks_enqueue()) {
    for (std::size_t i = 0; i < started_; ++i) enqueue(*sums_[i]);
  }
  started_ = 0;
  done_.record(side_.get());
  check(cudaStreamWaitEvent(main_, done_.get(), 0), "cudaStreamWaitEvent");
}

void DeviceSums::enqueue(const Started& one) {
  check(cudaStreamWaitEvent(side_.get(), one.ready.get(), 0), "cudaStreamWaitEvent");
  branch_.hold_up(side_.get());
  device_ranks().sum_of(one.values, one.values, one.count, side_.get());
}

}  // namespace breakeven::cuda
