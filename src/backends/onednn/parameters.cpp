#include "backends/onednn/parameters.h"

#include <cmath>
#include <cstring>

#include "backends/onednn/loops.h"

namespace breakeven::onednn {
namespace {

void fill_zero(Tensor& tensor) {
  std::memset(tensor.as<std::byte>(), 0, static_cast<std::size_t>(tensor.bytes()));
}

}  // namespace

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
  fill_zero(value_);
  copy(device_, dnnl::memory(plain_, device_.engine, initial_.data()), value_.memory());
  if (!states_.empty()) fill_zero(gradient_);
  for (Tensor& state : states_) fill_zero(state);
}

void Parameter::update(const Optimizer& optimizer, std::int64_t step, float gradient_scale) {
  const auto count = value_.bytes() / static_cast<std::int64_t>(sizeof(float));
  auto* const value = value_.as<float>();
  const float* const gradient = gradient_.as<float>();
  const auto rate = static_cast<float>(optimizer.learning_rate);
  auto* const first = states_.at(0).as<float>();
  if (optimizer.kind == Optimizer::Kind::sgd) {
    const auto momentum = static_cast<float>(optimizer.momentum);
    parallel_ranges(count, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        first[i] = momentum * first[i] + gradient_scale * gradient[i];
        value[i] -= rate * first[i];
      }
    });
    return;
  }
  auto* const second = states_.at(1).as<float>();
  const auto beta1 = static_cast<float>(optimizer.beta1);
  const auto beta2 = static_cast<float>(optimizer.beta2);
  const auto t = static_cast<double>(step);
  const auto corrected_rate =
      static_cast<float>(optimizer.learning_rate / (1 - std::pow(optimizer.beta1, t)));
  const auto correction2 = static_cast<float>(1 / (1 - std::pow(optimizer.beta2, t)));
  const auto epsilon = static_cast<float>(optimizer.epsilon);
  const auto rest1 = static_cast<float>(1 - optimizer.beta1);
  const auto rest2 = static_cast<float>(1 - optimizer.beta2);
  parallel_ranges(count, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float g = gradient_scale * gradient[i];
      first[i] = beta1 * first[i] + rest1 * g;
      second[i] = beta2 * second[i] + rest2 * g * g;
      value[i] -= corrected_rate * first[i] / (std::sqrt(second[i] * correction2) + epsilon);
    }
  });
}

}  // namespace breakeven::onednn
