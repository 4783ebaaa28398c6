#include <algorithm>
#include <cmath>

#include "backends/cblas/gemm.h"
#include "backends/cblas/network/image_layer.h"
#include "network/row_kernels.h"

namespace breakeven::cblas {
namespace {

/// For each head: P = softmax(Q K^T / sqrt(size)), output P V. P is kept for the backward pass.
class Attention final : public ImageLayer {
 public:
  explicit Attention(const LayerTask& task)
      : ImageLayer(task),
        scale_(1.0F / std::sqrt(static_cast<float>(l_.out) / static_cast<float>(l_.heads))),
        probabilities_(task.batch * l_.heads * scores()),
        score_gradients_(task.threads * scores()) {}

  void forward(Images images, const float* input, float* output, int) override {
    for_heads(images, [&](std::int64_t from, std::int64_t to, float* p) {
      const float* q = input + from;
      const float* k = q + l_.out;
      const float* v = k + l_.out;
      const std::int64_t t = l_.tokens;
      gemm(t, t, size(), Matrix<float>{q, l_.in}, Matrix<float>{k, l_.in, true}, 0.0F, p, t);
      softmax(p, t, t, scale_);
      gemm(t, size(), t, Matrix<float>{p, t}, Matrix<float>{v, l_.in}, 0.0F, output + to, l_.out);
    });
  }

  void backward(Images images, const float* input, float* gradient, float* input_gradient,
                int thread) override {
    if (input_gradient == nullptr) return;
    float* ds = score_gradients_.data() + thread * scores();
    for_heads(images, [&](std::int64_t from, std::int64_t to, const float* p) {
      const std::int64_t t = l_.tokens;
      const Matrix<float> q{input + from, l_.in};
      const Matrix<float> k{q.data + l_.out, l_.in};
      const Matrix<float> v{k.data + l_.out, l_.in};
      const Matrix<float> dy{gradient + to, l_.out};
      float* dq = input_gradient + from;
      float* dk = dq + l_.out;
      float* dv = dk + l_.out;
      gemm(t, size(), t, Matrix<float>{p, t, true}, dy, 0.0F, dv, l_.in);
      gemm(t, t, size(), dy, Matrix<float>{v.data, l_.in, true}, 0.0F, ds, t);
      softmax_backward(p, ds, t, t, scale_);
      gemm(t, size(), t, Matrix<float>{ds, t}, k, 0.0F, dq, l_.in);
      gemm(t, size(), t, Matrix<float>{ds, t, true}, q, 0.0F, dk, l_.in);
    });
  }

 private:
  std::int64_t size() const { return l_.out / l_.heads; }
  std::int64_t scores() const { return l_.tokens * l_.tokens; }

  /// Calls head(offset in the input, offset in the output, its probabilities) for each head.
  template <typename Head>
  void for_heads(Images images, const Head& head) {
    for (std::int64_t i = 0; i < images.count * l_.heads; ++i) {
      const std::int64_t image = i / l_.heads;
      const std::int64_t feature = i % l_.heads * size();
      head(image * l_.input_elements() + feature, image * l_.output_elements() + feature,
           probabilities_.data() + (images.first * l_.heads + i) * scores());
    }
  }

  float scale_;
  Buffer<float> probabilities_, score_gradients_;
};

const Layers::Registration attention_layer(LayerKind::attention, Layers::make_one<Attention>);

}  // namespace
}  // namespace breakeven::cblas
