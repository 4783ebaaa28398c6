#include "backends/reference/reference_model.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "host/cpu.h"
#include "workloads/parallel.h"

namespace breakeven {

ReferenceModel::ReferenceModel(ModelTask task, int threads, RoundOperand<double> round)
    : task_(std::move(task)),
      threads_(threads > 0 ? threads : compute_threads()),
      network_(task_.network, task_.seed, round, threads_) {}

template <typename After>
std::vector<ReferenceNetwork<double>> ReferenceModel::forward_in_parts(Split split,
                                                                       std::span<const std::uint32_t> rows,
                                                                       const After& after) {
  // Few enough images to keep the activations of all layers small, whatever the batch. Few enough parts to
  // keep their gradients small.
  constexpr std::int64_t most_at_once = 16;
  constexpr std::int64_t most_parts = 16;
  const LabelledImages& data = task_.data->images(split);
  const std::int64_t count = std::clamp<std::int64_t>(std::ssize(rows) / most_at_once, 1, most_parts);
  auto parts = network_.parts(count, std::max(1, static_cast<int>(threads_ / count)));
  logits_.resize(rows.size() * classes);
  parallel_for(count, threads_, [&](std::int64_t part) {
    ReferenceNetwork<double>& network = parts[static_cast<std::size_t>(part)];
    const Part mine = part_of(std::ssize(rows), part, count);
    std::vector<float> pixels;
    std::vector<std::uint8_t> labels;
    for (std::int64_t first = mine.first; first < mine.last(); first += most_at_once) {
      const auto some = rows.subspan(static_cast<std::size_t>(first),
                                     static_cast<std::size_t>(std::min(most_at_once, mine.last() - first)));
      pixels.resize(some.size() * image_pixels);
      data.gather(some, pixels.data());
      labels.clear();
      for (const std::uint32_t row : some) labels.push_back(data.labels[row]);
      const auto& logits = network.forward(pixels);
      std::copy(logits.begin(), logits.end(), logits_.begin() + first * classes);
      after(part, network, labels);
    }
    network.forget_values();
  });
  return parts;
}

void ReferenceModel::infer(Split split, std::span<const std::uint32_t> rows, float* logits) {
  forward_in_parts(split, rows, [](std::int64_t, const auto&, const std::vector<std::uint8_t>&) {});
  std::transform(logits_.begin(), logits_.end(), logits, [](double x) { return static_cast<float>(x); });
}

double ReferenceModel::train_step(std::span<const std::uint32_t> rows) {
  std::vector<double> losses(rows.size(), 0.0);  // of the parts; there are no more parts than rows
  network_.add_gradients(forward_in_parts(
      Split::train, rows,
      [&](std::int64_t part, ReferenceNetwork<double>& network, const std::vector<std::uint8_t>& labels) {
        losses[static_cast<std::size_t>(part)] += network.backward(labels, std::ssize(rows));
      }));
  network_.update(task_.optimizer.value());
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

}  // namespace breakeven
