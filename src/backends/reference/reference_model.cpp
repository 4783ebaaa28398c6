#include "backends/reference/reference_model.h"

#include <algorithm>
#include <utility>

namespace breakeven {

ReferenceModel::ReferenceModel(ModelTask task, int threads, RoundOperand<double> round)
    : task_(std::move(task)), network_(task_.network, task_.seed, round, threads) {}

template <typename After>
void ReferenceModel::forward_in_parts(Split split, std::span<const std::uint32_t> rows, const After& after) {
  // Few enough images to keep the activations of all layers small, whatever the batch.
  constexpr std::size_t most_at_once = 64;
  const LabelledImages& data = task_.data->images(split);
  std::vector<float> pixels;
  std::vector<std::uint8_t> labels;
  logits_.clear();
  for (std::size_t first = 0; first < rows.size(); first += most_at_once) {
    const auto part = rows.subspan(first, std::min(most_at_once, rows.size() - first));
    pixels.resize(part.size() * image_pixels);
    data.gather(part, pixels.data());
    labels.clear();
    for (const std::uint32_t row : part) labels.push_back(data.labels[row]);
    const auto& logits = network_.forward(pixels);
    logits_.insert(logits_.end(), logits.begin(), logits.end());
    after(labels);
  }
}

void ReferenceModel::infer(Split split, std::span<const std::uint32_t> rows, float* logits) {
  forward_in_parts(split, rows, [](const std::vector<std::uint8_t>&) {});
  std::transform(logits_.begin(), logits_.end(), logits, [](double x) { return static_cast<float>(x); });
}

double ReferenceModel::train_step(std::span<const std::uint32_t> rows) {
  double loss = 0;
  forward_in_parts(Split::train, rows, [&](const std::vector<std::uint8_t>& labels) {
    loss += network_.backward(labels, std::ssize(rows));
  });
  network_.update(task_.optimizer.value());
  return loss;
}

}  // namespace breakeven
