// The layers that process each token separately, or sum over tokens: short loops over memory.
#include <algorithm>

#include "backends/onednn/layers.h"
#include "backends/onednn/loops.h"
#include "network/row_kernels.h"

namespace breakeven::onednn {
namespace {

/// Calls part(first, count) on all threads for parts of at most `most` rows or columns.
template <typename Part>
void for_parts(std::int64_t all, std::int64_t most, const Part& part) {
  parallel_items((all + most - 1) / most,
                 [&](std::int64_t i) { part(i * most, std::min(most, all - i * most)); });
}

/// Adds the positions: y = x + P.
class Positions final : public LayerWork {
 public:
  explicit Positions(const LayerSite& site)
      : LayerWork(site),
        images_(site.batch()),
        elements_(site.layer->tokens * site.layer->out),
        wants_input_gradient_(site.wants_input_gradient) {
    const Desc shape = plain({site.layer->tokens, site.layer->out});
    positions_ =
        std::make_unique<Parameter>(site.device, *site.task, site.layer->weights.value(), shape, shape);
    site.allocate_output(images_ * site.layer->tokens, site.layer->out);
  }
  void forward() override {
    parallel_items(images_, [this, x = input_.value.as<float>(), p = positions_->value().as<float>(),
                             y = output_.value.as<float>()](std::int64_t image) {
      for (std::int64_t i = 0; i < elements_; ++i) y[image * elements_ + i] = x[image * elements_ + i] + p[i];
    });
  }
  void backward() override {
    const float* gradient = output_.gradient.as<float>();
    for_parts(elements_, 64, [=, this, sums = positions_->gradient().as<float>()](auto first, auto count) {
      std::fill_n(sums + first, count, 0.0F);
      add_rows(gradient + first, elements_, images_, count, sums + first);
    });
    if (!wants_input_gradient_) return;
    parallel_ranges(images_ * elements_, [=, to = input_.gradient.as<float>()](auto first, auto last) {
      std::copy(gradient + first, gradient + last, to + first);
    });
  }
  std::vector<Parameter*> parameters() override { return {positions_.get()}; }

 private:
  std::int64_t images_, elements_;
  bool wants_input_gradient_;
  std::unique_ptr<Parameter> positions_;
};

/// Layer normalisation, y = gamma (x - mean) / sqrt(variance + epsilon) + beta, over the features of a token.
class LayerNorm final : public LayerWork {
 public:
  explicit LayerNorm(const LayerSite& site)
      : LayerWork(site),
        tokens_(site.batch() * site.layer->tokens),
        width_(site.layer->out),
        means_(tokens_),
        inverses_(tokens_) {
    const Desc shape = plain({width_});
    gamma_ = std::make_unique<Parameter>(site.device, *site.task, site.layer->weights.value(), shape, shape);
    beta_ = std::make_unique<Parameter>(site.device, *site.task, site.layer->bias.value(), shape, shape);
    site.allocate_output(tokens_, width_);
  }

  void forward() override {
    for_parts(tokens_, 16,
              [this, x = input_.value.as<float>(), y = output_.value.as<float>()](auto first, auto count) {
                normalise(x + first * width_, count, width_, gamma_->value().as<float>(),
                          beta_->value().as<float>(), means_.data() + first, inverses_.data() + first,
                          y + first * width_);
              });
  }

  void backward() override {
    const float* x = input_.value.as<float>();
    const float* gradient = output_.gradient.as<float>();
    for_parts(tokens_, 16, [=, this, to = input_.gradient.as<float>()](auto first, auto count) {
      normalise_backward(x + first * width_, count, width_, gamma_->value().as<float>(),
                         means_.data() + first, inverses_.data() + first, gradient + first * width_,
                         to + first * width_);
    });
    for_parts(width_, 64, [=, this](auto first, auto count) {
      float* gamma_gradient = gamma_->gradient().as<float>() + first;
      float* beta_gradient = beta_->gradient().as<float>() + first;
      std::fill_n(gamma_gradient, count, 0.0F);
      std::fill_n(beta_gradient, count, 0.0F);
      add_normalise_gradients(x + first, width_, tokens_, count, means_.data(), inverses_.data(),
                              gradient + first, gamma_gradient, beta_gradient);
    });
  }

  std::vector<Parameter*> parameters() override { return {gamma_.get(), beta_.get()}; }

 private:
  std::int64_t tokens_, width_;
  Buffer<float> means_, inverses_;  // one per token
  std::unique_ptr<Parameter> gamma_, beta_;
};

class MeanTokens final : public LayerWork {
 public:
  explicit MeanTokens(const LayerSite& site)
      : LayerWork(site), images_(site.batch()), tokens_(site.layer->tokens), width_(site.layer->out) {
    site.allocate_output(images_, width_);
  }
  void forward() override {
    parallel_items(images_, [this, x = input_.value.as<float>(), y = output_.value.as<float>()](auto image) {
      mean_of_rows(x + image * tokens_ * width_, tokens_, width_, y + image * width_);
    });
  }
  void backward() override {
    parallel_items(images_, [this, gradient = output_.gradient.as<float>(),
                             to = input_.gradient.as<float>()](auto image) {
      mean_of_rows_backward(gradient + image * width_, tokens_, width_, to + image * tokens_ * width_);
    });
  }

 private:
  std::int64_t images_, tokens_, width_;
};

const Layers::Registration positions_layer(LayerKind::positions, Layers::make_one<Positions>);
const Layers::Registration layer_norm_layer(LayerKind::layer_norm, Layers::make_one<LayerNorm>);
const Layers::Registration mean_tokens_layer(LayerKind::mean_tokens, Layers::make_one<MeanTokens>);

}  // namespace
}  // namespace breakeven::onednn
