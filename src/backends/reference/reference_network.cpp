#include "backends/reference/reference_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "host/cpu.h"
#include "worker/vectorised.h"
#include "workloads/parallel.h"

namespace breakeven {
namespace {

using Index = std::int64_t;

/// A matrix with strides, so that its transpose needs no copy.
template <typename Real>
struct Strided {
  const Real* data;
  Index row, column;  // strides
};

/// y += a0 x0 + a1 x1 + a2 x2 + a3 x3. Four at a time, because y is then loaded and stored once for all four.
BREAKEVEN_VECTORISED void add_scaled_rows(Index n, const double* a, const double* x, Index stride,
                                          double* y) {
  for (Index j = 0; j < n; ++j)
    y[j] += a[0] * x[j] + a[1] * x[stride + j] + a[2] * x[2 * stride + j] + a[3] * x[3 * stride + j];
}
/// In f32, one addition after another: the plainest sum, which every honest library equals or exceeds in
/// accuracy.
BREAKEVEN_VECTORISED void add_scaled_rows(Index n, const float* a, const float* x, Index stride, float* y) {
  for (Index j = 0; j < n; ++j)
    y[j] =
        (((y[j] + a[0] * x[j]) + a[1] * x[stride + j]) + a[2] * x[2 * stride + j]) + a[3] * x[3 * stride + j];
}

/// The same for four rows y at once, with four factors each, because x is then loaded once for all of them.
BREAKEVEN_VECTORISED void add_scaled_rows_to_4(Index n, const double* a, const double* __restrict x,
                                               Index stride, double* __restrict y0, double* __restrict y1,
                                               double* __restrict y2, double* __restrict y3) {
  for (Index j = 0; j < n; ++j) {
    const double x0 = x[j];
    const double x1 = x[stride + j];
    const double x2 = x[2 * stride + j];
    const double x3 = x[3 * stride + j];
    y0[j] += a[0] * x0 + a[1] * x1 + a[2] * x2 + a[3] * x3;
    y1[j] += a[4] * x0 + a[5] * x1 + a[6] * x2 + a[7] * x3;
    y2[j] += a[8] * x0 + a[9] * x1 + a[10] * x2 + a[11] * x3;
    y3[j] += a[12] * x0 + a[13] * x1 + a[14] * x2 + a[15] * x3;
  }
}
void add_scaled_rows_to_4(Index n, const float* a, const float* x, Index stride, float* y0, float* y1,
                          float* y2, float* y3) {
  for (float* y : {y0, y1, y2, y3}) {
    add_scaled_rows(n, a, x, stride, y);
    a += 4;
  }
}

/// C += A B for rows [first, last) of C. B is k x n and C m x n, row-major.
template <typename Real>
void add_product(Index first, Index last, Index n, Index k, Strided<Real> a, const Real* b, Real* c) {
  // A block of B that stays in the first-level cache for all rows.
  constexpr Index block_n = 128;
  constexpr Index block_k = 32;
  constexpr Index group = 4;
  for (Index j = 0; j < n; j += block_n) {
    const Index width = std::min(block_n, n - j);
    for (Index block = 0; block < k; block += block_k) {
      const Index block_end = std::min(k, block + block_k);
      const Index whole_end = block_end - (block_end - block) % group;
      const auto add_to_row = [&](Index i, Index from_term) {
        Real* into = c + i * n + j;
        for (Index l = from_term; l < block_end; l += group) {
          std::array<Real, group> factors{};
          const Index terms = std::min(group, block_end - l);
          for (Index t = 0; t < terms; ++t)
            factors[static_cast<std::size_t>(t)] = a.data[i * a.row + (l + t) * a.column];
          const Real* from = b + l * n + j;
          if (terms == group) {
            add_scaled_rows(width, factors.data(), from, n, into);
          } else {
            for (Index t = 0; t < terms; ++t) {
              for (Index x = 0; x < width; ++x)
                into[x] += factors[static_cast<std::size_t>(t)] * from[t * n + x];
            }
          }
        }
      };
      Index i = first;
      for (; i + group <= last; i += group) {
        Real* into = c + i * n + j;
        for (Index l = block; l < whole_end; l += group) {
          std::array<Real, group * group> factors{};
          for (Index f = 0; f < group * group; ++f)
            factors[static_cast<std::size_t>(f)] =
                a.data[(i + f / group) * a.row + (l + f % group) * a.column];
          add_scaled_rows_to_4(width, factors.data(), b + l * n + j, n, into, into + n, into + 2 * n,
                               into + 3 * n);
        }
        if (whole_end == block_end) continue;
        for (Index row = i; row < i + group; ++row) add_to_row(row, whole_end);
      }
      for (; i < last; ++i) add_to_row(i, block);
    }
  }
}

template <typename Real>
std::vector<Real> transposed(const Real* matrix, Index rows, Index columns) {
  std::vector<Real> result(static_cast<std::size_t>(rows * columns));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j)
      result[static_cast<std::size_t>(j * rows + i)] = matrix[i * columns + j];
  }
  return result;
}

/// Calls visit(row of the unfolded matrix, its column, element of the image) for every filter position of
/// every result of one image. Rows are (c, r, s), columns (p, q). Positions in the padding are left out.
template <typename Visit>
void unfold(const Layer& layer, const Visit& visit) {
  for (Index c = 0; c < layer.c; ++c) {
    for (Index r = 0; r < layer.filter; ++r) {
      for (Index s = 0; s < layer.filter; ++s) {
        const Index unfolded_row = (c * layer.filter + r) * layer.filter + s;
        for (Index p = 0; p < layer.p; ++p) {
          const Index y = p * layer.stride - layer.pad + r;
          if (y < 0 || y >= layer.h) continue;
          for (Index q = 0; q < layer.q; ++q) {
            const Index x = q * layer.stride - layer.pad + s;
            if (x < 0 || x >= layer.w) continue;
            visit(unfolded_row, p * layer.q + q, (c * layer.h + y) * layer.w + x);
          }
        }
      }
    }
  }
}

/// Calls visit(result, largest) for every square of one image: the index of its result, and that of its
/// largest element in the image; of equal ones the first, in row-major order.
template <typename Real, typename Visit>
void for_squares(const Layer& layer, const Real* image, const Visit& visit) {
  for (Index result = 0; result < layer.output_elements(); ++result) {
    const Index row = result / layer.q;  // over all channels
    const Index first = (row / layer.p * layer.h + row % layer.p * 2) * layer.w + result % layer.q * 2;
    Index best = first;
    for (const Index offset : {Index{1}, layer.w, layer.w + 1}) {
      if (image[first + offset] > image[best]) best = first + offset;
    }
    visit(result, best);
  }
}

template <typename Real>
Real activate(Activation activation, Real x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return x > 0 ? x : Real{0};
    case Activation::gelu:
      return x / 2 * (1 + std::erf(x / std::numbers::sqrt2_v<Real>));
  }
  return x;
}

template <typename Real>
Real activation_slope(Activation activation, Real x) {
  switch (activation) {
    case Activation::none:
      return 1;
    case Activation::relu:
      return x > 0 ? Real{1} : Real{0};
    case Activation::gelu: {
      const Real density =
          std::exp(-x * x / 2) * std::numbers::inv_sqrtpi_v<Real> / std::numbers::sqrt2_v<Real>;
      return (1 + std::erf(x / std::numbers::sqrt2_v<Real>)) / 2 + x * density;
    }
  }
  return 1;
}

/// The mean and 1/sqrt(variance + epsilon) of one token.
template <typename Real>
std::pair<Real, Real> moments(const Real* token, Index features) {
  Real sum = 0;
  for (Index f = 0; f < features; ++f) sum += token[f];
  const Real mean = sum / static_cast<Real>(features);
  Real squares = 0;
  for (Index f = 0; f < features; ++f) squares += (token[f] - mean) * (token[f] - mean);
  return {mean, 1 / std::sqrt(squares / static_cast<Real>(features) + static_cast<Real>(layer_norm_epsilon))};
}

template <typename Real>
Real dot(const Real* a, const Real* b, Index n) {
  Real sum = 0;
  for (Index i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// Replaces scores by their softmax.
template <typename Real>
void softmax(Real* scores, Index n) {
  const Real largest = *std::max_element(scores, scores + n);
  Real sum = 0;
  for (Index i = 0; i < n; ++i) sum += scores[i] = std::exp(scores[i] - largest);
  for (Index i = 0; i < n; ++i) scores[i] /= sum;
}

}  // namespace

template <typename Real>
double cross_entropy(std::span<const Real> logits, std::span<const std::uint8_t> labels, Index batch,
                     Real* gradient) {
  double total = 0;
  for (Index i = 0; i < std::ssize(labels); ++i) {
    const Real* z = logits.data() + i * classes;
    const std::uint8_t label = labels[static_cast<std::size_t>(i)];
    const Real largest = *std::max_element(z, z + classes);
    Real sum = 0;
    for (Index c = 0; c < classes; ++c) sum += std::exp(z[c] - largest);
    total += static_cast<double>(std::log(sum) + largest - z[label]);
    for (Index c = 0; c < classes; ++c) {
      const Real probability = std::exp(z[c] - largest) / sum;
      gradient[i * classes + c] = (probability - (c == label ? Real{1} : Real{0})) / static_cast<Real>(batch);
    }
  }
  return total / static_cast<double>(batch);
}

template double cross_entropy(std::span<const double>, std::span<const std::uint8_t>, Index, double*);
template double cross_entropy(std::span<const float>, std::span<const std::uint8_t>, Index, float*);

template <typename Real>
ReferenceNetwork<Real>::ReferenceNetwork(Network network, std::uint64_t seed, RoundOperand<Real> round,
                                         int threads)
    : network_(std::move(network)),
      seed_(seed),
      round_(round),
      threads_(threads > 0 ? threads : compute_threads()),
      kept_(network_.layers.size()) {
  reset();
}

template <typename Real>
ReferenceNetwork<Real>::ReferenceNetwork(NoParameters /*unused*/, Network network, RoundOperand<Real> round,
                                         int threads)
    : network_(std::move(network)),
      seed_(0),
      round_(round),
      threads_(threads),
      kept_(network_.layers.size()) {}

template <typename Real>
void ReferenceNetwork<Real>::reset() {
  parameters_.clear();
  gradients_.clear();
  for (std::size_t t = 0; t < network_.parameters.size(); ++t) {
    const auto values = initial_values(network_, t, seed_);
    parameters_.emplace_back(values.begin(), values.end());
    gradients_.emplace_back(values.size(), Real{0});
  }
  first_moments_ = second_moments_ = gradients_;
  updates_ = 0;
}

template <typename Real>
const std::vector<Real>& ReferenceNetwork<Real>::input_of(std::size_t layer) const {
  return layer == 0 ? pixels_ : kept_[layer - 1].output;
}

template <typename Real>
ReferenceNetwork<Real>::Operand::Operand(const Values& values, RoundOperand<Real> round) : values_(values) {
  if (round == nullptr) return;
  rounded_.resize(values.size());
  std::transform(values.begin(), values.end(), rounded_.begin(), round);
}

template <typename Real>
void ReferenceNetwork<Real>::transpose_weights() {
  transposed_weights_.resize(parameters_.size());
  for (const Layer& layer : network_.layers) {
    if (layer.kind != LayerKind::dense) continue;
    const Operand weights(parameters_[*layer.weights], round_);
    transposed_weights_[*layer.weights] = transposed(weights.data(), layer.out, layer.in);
  }
}

template <typename Real>
int ReferenceNetwork<Real>::threads_of_loop(Index elements) const {
  constexpr Index worth_a_thread = Index{1} << 16U;
  return static_cast<int>(std::clamp<Index>(elements / worth_a_thread, 1, threads_));
}

template <typename Real>
std::vector<ReferenceNetwork<Real>> ReferenceNetwork<Real>::parts(Index count, int threads) {
  transpose_weights();
  std::vector<ReferenceNetwork> made;
  made.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    made.push_back(ReferenceNetwork(NoParameters{}, network_, round_, threads));
    made.back().whole_ = this;
  }
  return made;
}

template <typename Real>
void ReferenceNetwork<Real>::forget_values() {
  pixels_ = {};
  kept_ = std::vector<Kept>(network_.layers.size());
}

template <typename Real>
void ReferenceNetwork<Real>::add_gradients(const std::vector<ReferenceNetwork>& parts) {
  for (std::size_t t = 0; t < gradients_.size(); ++t) {
    Values& sum = gradients_[t];
    parallel_parts(std::ssize(sum), threads_of_loop(std::ssize(sum) * std::ssize(parts)),
                   [&](Index, Index first, Index last) {
                     for (const ReferenceNetwork& part : parts) {
                       const Real* added = part.gradients_[t].data();
                       for (Index i = first; i < last; ++i) sum[static_cast<std::size_t>(i)] += added[i];
                     }
                   });
  }
}

template <typename Real>
const std::vector<Real>& ReferenceNetwork<Real>::forward(std::span<const float> images) {
  if (whole_ == nullptr) transpose_weights();
  images_ = static_cast<Index>(images.size()) / image_pixels;
  pixels_.assign(images.begin(), images.end());
  for (std::size_t index = 0; index < network_.layers.size(); ++index) {
    const Layer& layer = network_.layers[index];
    Kept& kept = kept_[index];
    kept.output.assign(static_cast<std::size_t>(images_ * layer.output_elements()), Real{0});
    (this->*functions_of(layer.kind).forward)(layer, input_of(index), kept);
    if (layer.activation != Activation::none) {
      kept.linear = kept.output;
      for (Real& x : kept.output) x = activate(layer.activation, x);
    }
    if (layer.add_from) {
      const auto& added = kept_[*layer.add_from].output;
      for (std::size_t i = 0; i < added.size(); ++i) kept.output[i] += added[i];
    }
  }
  return kept_.back().output;
}

template <typename Real>
double ReferenceNetwork<Real>::backward(std::span<const std::uint8_t> labels, Index batch) {
  if (gradients_.empty()) {  // in a part, before its first images
    for (const ParameterTensor& tensor : network_.parameters)
      gradients_.emplace_back(static_cast<std::size_t>(tensor.elements()), Real{0});
  }
  for (Kept& kept : kept_) kept.output_gradient.assign(kept.output.size(), Real{0});
  Kept& last = kept_.back();
  const double loss = cross_entropy<Real>(last.output, labels, batch, last.output_gradient.data());
  for (std::size_t index = network_.layers.size(); index-- > 0;) {
    const Layer& layer = network_.layers[index];
    Kept& kept = kept_[index];
    Values& gradient = kept.output_gradient;
    if (layer.add_from) {
      auto& into = kept_[*layer.add_from].output_gradient;
      for (std::size_t i = 0; i < into.size(); ++i) into[i] += gradient[i];
    }
    if (layer.activation != Activation::none) {
      for (std::size_t i = 0; i < gradient.size(); ++i)
        gradient[i] *= activation_slope(layer.activation, kept.linear[i]);
    }
    Real* input_gradient = index == 0 ? nullptr : kept_[index - 1].output_gradient.data();
    (this->*functions_of(layer.kind).backward)(layer, input_of(index), kept, input_gradient);
  }
  return loss;
}

template <typename Real>
void ReferenceNetwork<Real>::dense_forward(const Layer& layer, const Values& input, Kept& kept) const {
  const Real* bias = parameter(*layer.bias).data();
  const Index rows = images_ * layer.tokens;
  const Operand x(input, round_);
  const Values& weights = whole().transposed_weights_[*layer.weights];
  parallel_parts(rows, threads_, [&](Index, Index first, Index last) {
    add_product<Real>(first, last, layer.out, layer.in, {x.data(), layer.in, 1}, weights.data(),
                      kept.output.data());
    for (Index i = first; i < last; ++i) {
      for (Index f = 0; f < layer.out; ++f)
        kept.output[static_cast<std::size_t>(i * layer.out + f)] += bias[f];
    }
  });
}

template <typename Real>
void ReferenceNetwork<Real>::conv2d_forward(const Layer& layer, const Values& input, Kept& kept) const {
  const Real* bias = parameter(*layer.bias).data();
  const Operand x(input, round_);
  const Operand weights(parameter(*layer.weights), round_);
  const Index terms = layer.sum_length();
  const Index pixels = layer.p * layer.q;
  parallel_parts(images_, threads_, [&](Index, Index first, Index last) {
    std::vector<Real> unfolded(static_cast<std::size_t>(terms * pixels), Real{0});
    for (Index image = first; image < last; ++image) {
      const Real* from = x.data() + image * layer.input_elements();
      unfold(layer, [&](Index row, Index column, Index element) {
        unfolded[static_cast<std::size_t>(row * pixels + column)] = from[element];
      });
      Real* into = kept.output.data() + image * layer.output_elements();
      add_product<Real>(0, layer.k, pixels, terms, {weights.data(), terms, 1}, unfolded.data(), into);
      for (Index i = 0; i < layer.k * pixels; ++i) into[i] += bias[i / pixels];
    }
  });
}

template <typename Real>
void ReferenceNetwork<Real>::max_pool_forward(const Layer& layer, const Values& input, Kept& kept) const {
  parallel_for(images_, threads_, [&](Index image) {
    const Real* from = input.data() + image * layer.input_elements();
    Real* into = kept.output.data() + image * layer.output_elements();
    for_squares(layer, from, [&](Index result, Index largest) { into[result] = from[largest]; });
  });
}

template <typename Real>
void ReferenceNetwork<Real>::positions_forward(const Layer& layer, const Values& input, Kept& kept) const {
  const auto& positions = parameter(*layer.weights);
  for (std::size_t i = 0; i < kept.output.size(); ++i)
    kept.output[i] = input[i] + positions[i % positions.size()];
}

template <typename Real>
void ReferenceNetwork<Real>::attention_forward(const Layer& layer, const Values& input, Kept& kept) const {
  const Operand qkv(input, round_);
  const Index size = layer.out / layer.heads;
  const Real scale = 1 / std::sqrt(static_cast<Real>(size));
  kept.probabilities.assign(static_cast<std::size_t>(images_ * layer.heads * layer.tokens * layer.tokens),
                            Real{0});
  parallel_for(images_ * layer.heads, threads_, [&](Index i) {
    const Real* q = qkv.data() + i / layer.heads * layer.input_elements() + i % layer.heads * size;
    const Real* k = q + layer.out;
    const Real* v = k + layer.out;
    Real* into = kept.output.data() + i / layer.heads * layer.output_elements() + i % layer.heads * size;
    for (Index t = 0; t < layer.tokens; ++t) {
      Real* p = kept.probabilities.data() + (i * layer.tokens + t) * layer.tokens;
      for (Index u = 0; u < layer.tokens; ++u) p[u] = scale * dot(q + t * layer.in, k + u * layer.in, size);
      softmax(p, layer.tokens);
      for (Index u = 0; u < layer.tokens; ++u) {
        const Real factor = round_ == nullptr ? p[u] : round_(p[u]);
        for (Index f = 0; f < size; ++f) into[t * layer.out + f] += factor * v[u * layer.in + f];
      }
    }
  });
}

template <typename Real>
void ReferenceNetwork<Real>::layer_norm_forward(const Layer& layer, const Values& input, Kept& kept) const {
  const Real* bias = parameter(*layer.bias).data();
  const Real* gamma = parameter(*layer.weights).data();
  parallel_for(images_ * layer.tokens, threads_, [&](Index token) {
    const Real* from = input.data() + token * layer.in;
    Real* into = kept.output.data() + token * layer.in;
    const auto [mean, inverse] = moments(from, layer.in);
    for (Index f = 0; f < layer.in; ++f) into[f] = gamma[f] * (from[f] - mean) * inverse + bias[f];
  });
}

template <typename Real>
void ReferenceNetwork<Real>::mean_tokens_forward(const Layer& layer, const Values& input, Kept& kept) const {
  for (Index image = 0; image < images_; ++image) {
    Real* into = kept.output.data() + image * layer.out;
    const Real* from = input.data() + image * layer.input_elements();
    for (Index i = 0; i < layer.input_elements(); ++i) into[i % layer.out] += from[i];
    for (Index f = 0; f < layer.out; ++f) into[f] /= static_cast<Real>(layer.tokens);
  }
}

template <typename Real>
void ReferenceNetwork<Real>::dense_backward(const Layer& layer, const Values& input, const Kept& kept,
                                            Real* input_gradient) {
  Real* weight_gradient = gradients_[*layer.weights].data();
  Real* bias_gradient = gradients_[*layer.bias].data();
  const Index rows = images_ * layer.tokens;
  const Operand x(input, round_);
  const Operand dy(kept.output_gradient, round_);
  const Operand weights(parameter(*layer.weights), round_);
  for (Index i = 0; i < rows; ++i) {
    for (Index f = 0; f < layer.out; ++f)
      bias_gradient[f] += kept.output_gradient[static_cast<std::size_t>(i * layer.out + f)];
  }
  parallel_parts(layer.out, threads_, [&](Index, Index first, Index last) {  // dW += dY^T X
    add_product<Real>(first, last, layer.in, rows, {dy.data(), 1, layer.out}, x.data(), weight_gradient);
  });
  if (input_gradient == nullptr) return;
  parallel_parts(rows, threads_, [&](Index, Index first, Index last) {  // dX += dY W
    add_product<Real>(first, last, layer.in, layer.out, {dy.data(), layer.out, 1}, weights.data(),
                      input_gradient);
  });
}

template <typename Real>
void ReferenceNetwork<Real>::conv2d_backward(const Layer& layer, const Values& input, const Kept& kept,
                                             Real* input_gradient) {
  Real* weight_gradient = gradients_[*layer.weights].data();
  Real* bias_gradient = gradients_[*layer.bias].data();
  const Operand x(input, round_);
  const Operand dy(kept.output_gradient, round_);
  const Operand weights(parameter(*layer.weights), round_);
  const Index terms = layer.sum_length();
  const Index pixels = layer.p * layer.q;
  // The weights' gradient is summed over few images at a time, so that it is the same with any number of
  // threads.
  constexpr Index images_of_sum = 4;
  std::vector<Values> sums(static_cast<std::size_t>((images_ + images_of_sum - 1) / images_of_sum));
  parallel_for(std::ssize(sums), threads_, [&](Index part) {
    const Index first = part * images_of_sum;
    const Index last = std::min(images_, first + images_of_sum);
    Values& sum = sums[static_cast<std::size_t>(part)];
    sum.assign(static_cast<std::size_t>(layer.k * terms), Real{0});
    std::vector<Real> unfolded(static_cast<std::size_t>(pixels * terms), Real{0});  // (p, q) x (c, r, s)
    std::vector<Real> unfolded_gradient(unfolded.size());                           // (c, r, s) x (p, q)
    for (Index image = first; image < last; ++image) {
      const Real* from = x.data() + image * layer.input_elements();
      const Real* image_dy = dy.data() + image * layer.output_elements();
      unfold(layer, [&](Index row, Index column, Index element) {
        unfolded[static_cast<std::size_t>(column * terms + row)] = from[element];
      });
      add_product<Real>(0, layer.k, terms, pixels, {image_dy, pixels, 1}, unfolded.data(), sum.data());
      if (input_gradient == nullptr) continue;
      std::fill(unfolded_gradient.begin(), unfolded_gradient.end(), Real{0});
      add_product<Real>(0, terms, pixels, layer.k, {weights.data(), 1, terms}, image_dy,
                        unfolded_gradient.data());
      Real* into = input_gradient + image * layer.input_elements();
      unfold(layer, [&](Index row, Index column, Index element) {
        into[element] += unfolded_gradient[static_cast<std::size_t>(row * pixels + column)];
      });
    }
  });
  for (const auto& sum : sums) {
    for (std::size_t i = 0; i < sum.size(); ++i) weight_gradient[i] += sum[i];
  }
  for (std::size_t i = 0; i < kept.output_gradient.size(); ++i)
    bias_gradient[static_cast<Index>(i) / pixels % layer.k] += kept.output_gradient[i];
}

template <typename Real>
void ReferenceNetwork<Real>::max_pool_backward(const Layer& layer, const Values& input, const Kept& kept,
                                               Real* input_gradient) {
  parallel_for(images_, threads_, [&](Index image) {
    const Real* from = input.data() + image * layer.input_elements();
    const Real* dy = kept.output_gradient.data() + image * layer.output_elements();
    Real* into = input_gradient + image * layer.input_elements();
    for_squares(layer, from, [&](Index result, Index largest) { into[largest] += dy[result]; });
  });
}

template <typename Real>
void ReferenceNetwork<Real>::positions_backward(const Layer& layer, const Values& /*input*/, const Kept& kept,
                                                Real* input_gradient) {
  Real* weight_gradient = gradients_[*layer.weights].data();
  const Index size = layer.tokens * layer.out;
  for (Index i = 0; i < std::ssize(kept.output_gradient); ++i) {
    input_gradient[i] += kept.output_gradient[static_cast<std::size_t>(i)];
    weight_gradient[i % size] += kept.output_gradient[static_cast<std::size_t>(i)];
  }
}

template <typename Real>
void ReferenceNetwork<Real>::attention_backward(const Layer& layer, const Values& input, const Kept& kept,
                                                Real* input_gradient) {
  const Operand qkv(input, round_);
  const Operand dy(kept.output_gradient, round_);
  const Operand probabilities(kept.probabilities, round_);
  const Index size = layer.out / layer.heads;
  const Real scale = 1 / std::sqrt(static_cast<Real>(size));
  parallel_for(images_ * layer.heads, threads_, [&](Index i) {
    const Index offset = i / layer.heads * layer.input_elements() + i % layer.heads * size;
    const Real* q = qkv.data() + offset;
    const Real* k = q + layer.out;
    const Real* v = k + layer.out;
    Real* dq = input_gradient + offset;
    Real* dk = dq + layer.out;
    Real* dv = dk + layer.out;
    const Real* head_dy = dy.data() + i / layer.heads * layer.output_elements() + i % layer.heads * size;
    std::vector<Real> ds(static_cast<std::size_t>(layer.tokens));  // one row of scores
    for (Index t = 0; t < layer.tokens; ++t) {
      const Index row = (i * layer.tokens + t) * layer.tokens;
      const Real* exact = kept.probabilities.data() + row;
      const Real* p = probabilities.data() + row;
      const Real* token_dy = head_dy + t * layer.out;
      for (Index u = 0; u < layer.tokens; ++u) {
        ds[static_cast<std::size_t>(u)] = dot(token_dy, v + u * layer.in, size);
        for (Index f = 0; f < size; ++f) dv[u * layer.in + f] += p[u] * token_dy[f];
      }
      // The gradient through the softmax: dS = P (dP - sum of P dP).
      const Real mean = dot(exact, ds.data(), layer.tokens);
      for (Index u = 0; u < layer.tokens; ++u) {
        const Real score_gradient = scale * exact[u] * (ds[static_cast<std::size_t>(u)] - mean);
        const Real factor = round_ == nullptr ? score_gradient : round_(score_gradient);
        for (Index f = 0; f < size; ++f) {
          dq[t * layer.in + f] += factor * k[u * layer.in + f];
          dk[u * layer.in + f] += factor * q[t * layer.in + f];
        }
      }
    }
  });
}

template <typename Real>
void ReferenceNetwork<Real>::layer_norm_backward(const Layer& layer, const Values& input, const Kept& kept,
                                                 Real* input_gradient) {
  Real* weight_gradient = gradients_[*layer.weights].data();
  Real* bias_gradient = gradients_[*layer.bias].data();
  const Real* gamma = parameter(*layer.weights).data();
  for (Index token = 0; token < images_ * layer.tokens; ++token) {
    const Real* from = input.data() + token * layer.in;
    const Real* dy = kept.output_gradient.data() + token * layer.in;
    Real* into = input_gradient + token * layer.in;
    const auto [mean, inverse] = moments(from, layer.in);
    // With n = (x - mean) * inverse and g = gamma dy: dx = inverse (g - mean of g - n * mean of g n).
    Real sum = 0;
    Real sum_normal = 0;
    for (Index f = 0; f < layer.in; ++f) {
      const Real normal = (from[f] - mean) * inverse;
      sum += gamma[f] * dy[f];
      sum_normal += gamma[f] * dy[f] * normal;
      weight_gradient[f] += dy[f] * normal;
      bias_gradient[f] += dy[f];
    }
    const auto features = static_cast<Real>(layer.in);
    for (Index f = 0; f < layer.in; ++f) {
      const Real normal = (from[f] - mean) * inverse;
      into[f] += inverse * (gamma[f] * dy[f] - sum / features - normal * sum_normal / features);
    }
  }
}

template <typename Real>
void ReferenceNetwork<Real>::mean_tokens_backward(const Layer& layer, const Values& /*input*/,
                                                  const Kept& kept, Real* input_gradient) {
  for (Index image = 0; image < images_; ++image) {
    const Real* dy = kept.output_gradient.data() + image * layer.out;
    Real* into = input_gradient + image * layer.input_elements();
    for (Index i = 0; i < layer.input_elements(); ++i)
      into[i] += dy[i % layer.out] / static_cast<Real>(layer.tokens);
  }
}

template <typename Real>
const typename ReferenceNetwork<Real>::Functions& ReferenceNetwork<Real>::functions_of(LayerKind kind) {
  using N = ReferenceNetwork;
  static const std::map<LayerKind, Functions> all{
      {LayerKind::dense, {&N::dense_forward, &N::dense_backward}},
      {LayerKind::conv2d, {&N::conv2d_forward, &N::conv2d_backward}},
      {LayerKind::max_pool, {&N::max_pool_forward, &N::max_pool_backward}},
      {LayerKind::positions, {&N::positions_forward, &N::positions_backward}},
      {LayerKind::attention, {&N::attention_forward, &N::attention_backward}},
      {LayerKind::layer_norm, {&N::layer_norm_forward, &N::layer_norm_backward}},
      {LayerKind::mean_tokens, {&N::mean_tokens_forward, &N::mean_tokens_backward}}};
  return all.at(kind);
}

template <typename Real>
void ReferenceNetwork<Real>::update(const Optimizer& optimizer) {
  ++updates_;
  const auto rate = static_cast<Real>(optimizer.learning_rate);
  const auto momentum = static_cast<Real>(optimizer.momentum);
  const auto beta1 = static_cast<Real>(optimizer.beta1);
  const auto beta2 = static_cast<Real>(optimizer.beta2);
  const auto epsilon = static_cast<Real>(optimizer.epsilon);
  const auto correction1 = static_cast<Real>(1 - std::pow(optimizer.beta1, updates_));
  const auto correction2 = static_cast<Real>(1 - std::pow(optimizer.beta2, updates_));
  for (std::size_t t = 0; t < parameters_.size(); ++t) {
    parallel_for(std::ssize(parameters_[t]), threads_of_loop(std::ssize(parameters_[t])), [&](Index at) {
      const auto i = static_cast<std::size_t>(at);
      const Real g = gradients_[t][i];
      Real& w = parameters_[t][i];
      Real& m = first_moments_[t][i];
      Real& v = second_moments_[t][i];
      if (optimizer.kind == Optimizer::Kind::sgd) {
        m = momentum * m + g;
        w -= rate * m;
      } else {
        m = beta1 * m + (1 - beta1) * g;
        v = beta2 * v + (1 - beta2) * g * g;
        w -= rate * (m / correction1) / (std::sqrt(v / correction2) + epsilon);
      }
    });
    std::fill(gradients_[t].begin(), gradients_[t].end(), Real{0});
  }
}

template class ReferenceNetwork<double>;
template class ReferenceNetwork<float>;

}  // namespace breakeven
