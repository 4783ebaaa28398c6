// The layers that work on every token alone, or add up tokens: short loops over memory.
#include <algorithm>
#include <cmath>

#include "backends/onednn/layers.h"
#include "backends/onednn/loops.h"

namespace breakeven::onednn {
namespace {

using Tag = dnnl::memory::format_tag;

/// Rows of `values` added up: sums[j] = sum over r of values[r][j]. Each thread has its own columns.
void sum_rows(const float* values, std::int64_t rows, std::int64_t columns, float* sums) {
  constexpr std::int64_t stripe = 64;
  parallel_items((columns + stripe - 1) / stripe, [=](std::int64_t s) {
    const std::int64_t first = s * stripe;
    const std::int64_t last = std::min(columns, first + stripe);
    std::fill(sums + first, sums + last, 0.0F);
    for (std::int64_t r = 0; r < rows; ++r) {
      const float* row = values + r * columns;
      for (std::int64_t j = first; j < last; ++j) sums[j] += row[j];
    }
  });
}

/// y = x + P.
class Positions final : public LayerWork {
 public:
  explicit Positions(const LayerSite& site)
      : input_(*site.input),
        output_(*site.output),
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
    sum_rows(gradient, images_, elements_, positions_->gradient().as<float>());
    if (!wants_input_gradient_) return;
    parallel_ranges(images_ * elements_, [=, to = input_.gradient.as<float>()](auto first, auto last) {
      std::copy(gradient + first, gradient + last, to + first);
    });
  }
  std::vector<Parameter*> parameters() override { return {positions_.get()}; }

 private:
  Activations& input_;
  Activations& output_;
  std::int64_t images_, elements_;
  bool wants_input_gradient_;
  std::unique_ptr<Parameter> positions_;
};

/// y = gamma (x - mean) / sqrt(variance + epsilon) + beta, over the features of a token.
class LayerNorm final : public LayerWork {
 public:
  explicit LayerNorm(const LayerSite& site)
      : input_(*site.input),
        output_(*site.output),
        tokens_(site.batch() * site.layer->tokens),
        width_(site.layer->out),
        means_(tokens_),
        scales_(tokens_),
        normalised_gradient_(site.training() ? tokens_ * width_ : 0) {
    const Desc shape = plain({width_});
    gamma_ = std::make_unique<Parameter>(site.device, *site.task, site.layer->weights.value(), shape, shape);
    beta_ = std::make_unique<Parameter>(site.device, *site.task, site.layer->bias.value(), shape, shape);
    site.allocate_output(tokens_, width_);
  }

  void forward() override {
    parallel_items(tokens_, [this, x = input_.value.as<float>(), gamma = gamma_->value().as<float>(),
                             beta = beta_->value().as<float>(), y = output_.value.as<float>()](auto token) {
      const float* row = x + token * width_;
      const auto count = static_cast<float>(width_);
      float sum = 0;
      for (std::int64_t i = 0; i < width_; ++i) sum += row[i];
      const float mean = sum / count;
      float squares = 0;
      for (std::int64_t i = 0; i < width_; ++i) squares += (row[i] - mean) * (row[i] - mean);
      const float scale = 1.0F / std::sqrt(squares / count + static_cast<float>(layer_norm_epsilon));
      for (std::int64_t i = 0; i < width_; ++i)
        y[token * width_ + i] = gamma[i] * (row[i] - mean) * scale + beta[i];
      means_[token] = mean;
      scales_[token] = scale;
    });
  }

  void backward() override {
    const float* gradient = output_.gradient.as<float>();
    float* product = normalised_gradient_.data();
    parallel_items(tokens_, [this, gradient, product, x = input_.value.as<float>(),
                             gamma = gamma_->value().as<float>(),
                             to = input_.gradient.as<float>()](auto token) {
      const std::int64_t first = token * width_;
      const auto count = static_cast<float>(width_);
      float sum = 0;
      float sum_normalised = 0;
      for (std::int64_t i = first; i < first + width_; ++i) {
        const float normalised = (x[i] - means_[token]) * scales_[token];
        product[i] = gradient[i] * normalised;
        sum += gradient[i] * gamma[i - first];
        sum_normalised += product[i] * gamma[i - first];
      }
      for (std::int64_t i = first; i < first + width_; ++i) {
        const float normalised = (x[i] - means_[token]) * scales_[token];
        to[i] =
            scales_[token] * (gradient[i] * gamma[i - first] - (sum + normalised * sum_normalised) / count);
      }
    });
    sum_rows(gradient, tokens_, width_, beta_->gradient().as<float>());
    sum_rows(product, tokens_, width_, gamma_->gradient().as<float>());
  }

  std::vector<Parameter*> parameters() override { return {gamma_.get(), beta_.get()}; }

 private:
  Activations& input_;
  Activations& output_;
  std::int64_t tokens_, width_;
  Buffer<float> means_, scales_, normalised_gradient_;
  std::unique_ptr<Parameter> gamma_, beta_;
};

class MeanTokens final : public LayerWork {
 public:
  explicit MeanTokens(const LayerSite& site)
      : input_(*site.input),
        output_(*site.output),
        images_(site.batch()),
        tokens_(site.layer->tokens),
        width_(site.layer->out) {
    site.allocate_output(images_, width_);
  }
  void forward() override {
    parallel_items(images_, [this, x = input_.value.as<float>(), y = output_.value.as<float>()](auto image) {
      float* to = y + image * width_;
      std::fill(to, to + width_, 0.0F);
      for (std::int64_t t = 0; t < tokens_; ++t) {
        for (std::int64_t i = 0; i < width_; ++i) to[i] += x[(image * tokens_ + t) * width_ + i];
      }
      for (std::int64_t i = 0; i < width_; ++i) to[i] /= static_cast<float>(tokens_);
    });
  }
  void backward() override {
    parallel_items(images_, [this, gradient = output_.gradient.as<float>(),
                             to = input_.gradient.as<float>()](auto image) {
      const float share = 1.0F / static_cast<float>(tokens_);
      for (std::int64_t t = 0; t < tokens_; ++t) {
        for (std::int64_t i = 0; i < width_; ++i)
          to[(image * tokens_ + t) * width_ + i] = share * gradient[image * width_ + i];
      }
    });
  }

 private:
  Activations& input_;
  Activations& output_;
  std::int64_t images_, tokens_, width_;
};

}  // namespace

std::unique_ptr<LayerWork> make_positions(const LayerSite& site) {
  return std::make_unique<Positions>(site);
}
std::unique_ptr<LayerWork> make_layer_norm(const LayerSite& site) {
  return std::make_unique<LayerNorm>(site);
}
std::unique_ptr<LayerWork> make_mean_tokens(const LayerSite& site) {
  return std::make_unique<MeanTokens>(site);
}

}  // namespace breakeven::onednn
