#include "backends/cblas/network/batch_dense.h"

#include <algorithm>

#include "network/row_kernels.h"
#include "worker/threads.h"
#include "worker/tuning.h"
#include "workloads/parallel.h"

namespace breakeven::cblas {
namespace {

// A block of the weights' gradient takes 256 KiB.
constexpr std::int64_t block_out = 128;
constexpr std::int64_t block_in = 512;

// Operations below which waking other threads costs more than it saves.
constexpr double worth_sharing = 1 << 18;

/// Calls block(rows, columns) on each thread for a part of a rows x columns matrix. The longer side is split,
/// so that the operand that all threads read is the smaller one.
template <typename Block>
void share_matrix(std::int64_t rows, std::int64_t columns, int threads, const Block& block) {
  on_threads(threads, [&](int thread) {
    const Part all_rows{.first = 0, .count = rows};
    const Part all_columns{.first = 0, .count = columns};
    if (rows >= columns) {
      if (const Part mine = part_of(rows, thread, threads); mine.count > 0) block(mine, all_columns);
    } else if (const Part mine = part_of(columns, thread, threads); mine.count > 0) {
      block(all_rows, mine);
    }
  });
}

}  // namespace

BatchDense::BatchDense(const Layer& layer, bool input_is_relu, NetworkParameters& parameters,
                       std::int64_t batch, int threads)
    : l_(layer),
      input_is_relu_(input_is_relu),
      parameters_(parameters),
      batch_(batch),
      threads_(2.0 * static_cast<double>(batch * layer.in * layer.out) < worth_sharing ? 1 : threads),
      weight_gradients_(parameters.keeps_gradients() ? 0 : threads * block_out * block_in) {
  if (l_.activation == Activation::gelu) linear_ = Buffer<float>(batch * l_.out);
}

void BatchDense::forward(const float* input, float* output) {
  share_matrix(batch_, l_.out, threads_, [&](Part rows, Part columns) {
    const std::int64_t offset = rows.first * l_.out + columns.first;
    const bool through_gelu = l_.activation == Activation::gelu;
    float* y = (through_gelu ? linear_.data() : output) + offset;
    multiply(forward_, rows.count, columns.count, l_.in, Matrix<float>{input + rows.first * l_.in, l_.in},
             Matrix<float>{parameters_.values(*l_.weights) + columns.first * l_.in, l_.in, true}, 0.0F, y,
             l_.out);
    add_bias(y, l_.out, rows.count, columns.count, parameters_.values(*l_.bias) + columns.first,
             l_.activation == Activation::relu);
    for (std::int64_t i = 0; through_gelu && i < rows.count; ++i)
      gelu(y + i * l_.out, output + offset + i * l_.out, columns.count);
  });
}

void BatchDense::backward(const float* input, float* gradient, float* input_gradient) {
  if (l_.activation == Activation::gelu) gelu_backward(linear_.data(), gradient, batch_ * l_.out);
  if (input_gradient != nullptr) compute_input_gradient(input, gradient, input_gradient);
  // After the input's gradient, which needs the old weights.
  update_parameters(input, gradient);
}

void BatchDense::compute_input_gradient(const float* input, const float* gradient, float* input_gradient) {
  share_matrix(batch_, l_.in, threads_, [&](Part rows, Part columns) {
    const std::int64_t offset = rows.first * l_.in + columns.first;
    multiply(input_gradient_, rows.count, columns.count, l_.out,
             Matrix<float>{gradient + rows.first * l_.out, l_.out},
             Matrix<float>{parameters_.values(*l_.weights) + columns.first, l_.in}, 0.0F,
             input_gradient + offset, l_.in);
    for (std::int64_t i = 0; input_is_relu_ && i < rows.count; ++i)
      keep_where_positive(input + offset + i * l_.in, input_gradient + offset + i * l_.in, columns.count);
  });
}

void BatchDense::update_parameters(const float* input, const float* gradient) {
  const std::int64_t down = (l_.out + block_out - 1) / block_out;
  const std::int64_t across = (l_.in + block_in - 1) / block_in;
  parallel_items(down * across, threads_, [&](std::int64_t i, int thread) {
    const Part outs = part_of(l_.out, i / across, down);
    const Part ins = part_of(l_.in, i % across, across);
    const bool kept = parameters_.keeps_gradients();
    float* own = kept ? nullptr : weight_gradients_.data() + thread * block_out * block_in;
    const std::int64_t first = outs.first * l_.in + ins.first;
    float* block = kept ? parameters_.gradient(*l_.weights, 0) + first : own;
    const std::int64_t stride = kept ? l_.in : ins.count;
    multiply(weight_gradient_, outs.count, ins.count, batch_,
             Matrix<float>{gradient + outs.first, l_.out, true}, Matrix<float>{input + ins.first, l_.in},
             0.0F, block, stride);
    for (std::int64_t row = 0; !kept && row < outs.count; ++row) {
      parameters_.update(parameters_.offset(*l_.weights) + first + row * l_.in, ins.count,
                         block + row * stride);
    }
    if (i % across != 0) return;
    float* bias = kept ? parameters_.gradient(*l_.bias, 0) + outs.first : own;
    std::fill(bias, bias + outs.count, 0.0F);
    add_rows(gradient + outs.first, l_.out, batch_, outs.count, bias);
    if (!kept) parameters_.update(parameters_.offset(*l_.bias) + outs.first, outs.count, bias);
  });
}

std::vector<Routine> BatchDense::choose_routines(bool backward, bool input_gradient) {
  const std::vector<float> input(static_cast<std::size_t>(l_.in));  // zeros, which do not change parameters
  const std::vector<float> gradient(static_cast<std::size_t>(l_.out));
  std::vector<float> output(gradient.size());
  std::vector<float> gradient_before(input.size());
  std::vector<Routine> chosen;
  const auto race = [&](Routine& routine, const std::vector<Routine>& candidates, const auto& product) {
    select_fastest(
        candidates.size(), [&](std::size_t i) { routine = candidates[i]; }, product);
    chosen.push_back(routine);
  };
  race(forward_, routines_for(1, l_.out, l_.in), [&] { forward(input.data(), output.data()); });
  if (backward && input_gradient) {
    race(input_gradient_, routines_for(1, l_.in, l_.out),
         [&] { compute_input_gradient(input.data(), gradient.data(), gradient_before.data()); });
  }
  if (backward) {
    race(weight_gradient_, routines_for(l_.out, l_.in, 1),
         [&] { update_parameters(input.data(), gradient.data()); });
  }
  return chosen;
}

}  // namespace breakeven::cblas
