#include "backends/onednn/parameters.h"

#include "backends/onednn/loops.h"

namespace breakeven::onednn {

Parameter::Parameter(Device device, const ModelTask& task, std::size_t index, const Desc& plain,
                     const Desc& layout)
    : device_(std::move(device)),
      initial_(initial_values(task.network, index, task.seed)),
      plain_(plain),
      value_(device_, layout) {
  if (task.optimizer) {
    gradient_ = Tensor(device_, layout);
    for (int i = 0; i < task.optimizer->states(); ++i) states_.emplace_back(device_, layout);
  }
}

void Parameter::reset() {
  value_.fill_zero();
  copy(device_, dnnl::memory(plain_, device_.engine, initial_.data()), value_.memory());
  if (!states_.empty()) gradient_.fill_zero();
  for (Tensor& state : states_) state.fill_zero();
}

void Parameter::update(const OptimizerStep& step, float gradient_scale) {
  auto* const value = value_.as<float>();
  auto* const gradient = gradient_.as<float>();
  auto* const first = states_.at(0).as<float>();
  auto* const second = states_.size() > 1 ? states_[1].as<float>() : nullptr;
  parallel_ranges(value_.bytes() / static_cast<std::int64_t>(sizeof(float)), [&](auto begin, auto end) {
    if (gradient_scale != 1) {
      for (std::int64_t i = begin; i < end; ++i) gradient[i] /= gradient_scale;
    }
    step.update(value + begin, first + begin, second == nullptr ? nullptr : second + begin, gradient + begin,
                end - begin);
  });
}

}  // namespace breakeven::onednn
