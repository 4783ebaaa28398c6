// The small networks in f32. Layers that process each image separately (convolutions, pooling, a
// transformer's block) are run one after another by one thread for a few images at a time, in one parallel
// region. For dense layers on whole images, all threads share one product after another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/cblas/library.h"
#include "backends/cblas/network/batch_dense.h"
#include "backends/cblas/network/image_layer.h"
#include "backends/cblas/network/parameters.h"
#include "network/model_case.h"
#include "network/row_kernels.h"
#include "worker/threads.h"

namespace breakeven::cblas {
namespace {

/// True for a dense layer that reads each image as one row.
bool on_whole_images(const Layer& layer) {
  return layer.kind == LayerKind::dense && layer.tokens == 1;
}

/// Rows of tokens that a thread processes at a time: enough for fast products, few enough for its cache.
constexpr std::int64_t rows_at_once = 112;

/// A layer with what is kept for it between forward and backward.
struct Stage {
  Layer layer;
  std::unique_ptr<ImageLayer> on_images;  // exactly one of these two is set
  std::unique_ptr<BatchDense> on_batch;
  Buffer<float> output, gradient;  // of the whole batch, or of each thread's current images
  bool output_of_batch = true;
  bool gradient_of_batch = true;
};

/// Consecutive layers that are run together: several layers on images, or one on the batch.
struct Segment {
  std::size_t first = 0, last = 0;                // stages [first, last)
  std::size_t first_tensor = 0, last_tensor = 0;  // their parameters
  std::int64_t images_at_once = 1;
};

class NetworkModel final : public Model {
 public:
  explicit NetworkModel(ModelTask task)
      : task_(std::move(task)),
        threads_(threads()),
        parameters_(task_, threads_),
        pixels_(task_.batch * image_pixels) {
    let_library_use(1);
    for (const Layer& layer : task_.network.layers) add_stage(layer);
    for (std::size_t i = 0; i < stages_.size(); ++i) extend_segments(i);
    for (const Segment& segment : segments_) allocate(segment);
    if (task_.batch == 1 && task_.tuned) choose_routines();
  }

  void reset() override {
    parameters_.reset();
    parameters_changed_ = true;
  }

  double train_step(std::span<const std::uint32_t> rows) override {
    parameters_.next_step();
    forward(Split::train, rows);
    Stage& last = stages_.back();
    const double loss = cross_entropy(last.output.data(), task_.data->images(Split::train).labels, rows,
                                      1.0F / static_cast<float>(task_.ranks), last.gradient.data());
    for (auto segment = segments_.rbegin(); segment != segments_.rend(); ++segment) {
      if (stages_[segment->first].on_batch) {
        Stage& stage = stages_[segment->first];
        stage.on_batch->backward(output_before(segment->first), stage.gradient.data(),
                                 segment->first == 0 ? nullptr : stages_[segment->first - 1].gradient.data());
      } else {
        backward_images(*segment);
      }
      parameters_.complete_from(segment->first_tensor);
    }
    parameters_.end_step();
    parameters_changed_ = true;
    return loss;
  }

  void infer(Split split, std::span<const std::uint32_t> rows, float* logits) override {
    forward(split, rows);
    const float* output = stages_.back().output.data();
    std::copy(output, output + task_.batch * classes, logits);
  }

  std::string algorithm() const override {
    return fmt::format(
        "layers on images: each thread alone, channels last, convolutions by Winograd's tiles of 2 x 2 or "
        "im2col; "
        "dense layers: products shared by threads, weights updated {}{}",
        parameters_.keeps_gradients() ? "after the exchange" : "block by block", routines_);
  }

 private:
  void add_stage(const Layer& layer) {
    const bool input_is_relu = !stages_.empty() && stages_.back().layer.activation == Activation::relu;
    Stage stage;
    stage.layer = layer;
    // The layer after a ReLU applies the ReLU's gradient, so no other path may bypass that layer.
    const bool reads_relu = layer.kind == LayerKind::dense || layer.spatial();
    const bool relu_in_sum =
        layer.add_from && (layer.activation == Activation::relu ||
                           stages_[*layer.add_from].layer.activation == Activation::relu);
    if ((input_is_relu && !reads_relu) || relu_in_sum ||
        (layer.spatial() && layer.stride != (layer.kind == LayerKind::max_pool ? 2 : 1)))
      throw Unsupported("no layer '" + layer.name + "' of this form here");
    if (on_whole_images(layer)) {
      if (layer.add_from) throw Unsupported("no sums behind the dense layer '" + layer.name + "' here");
      stage.on_batch = std::make_unique<BatchDense>(layer, input_is_relu, parameters_, task_.batch, threads_);
    } else {
      stage.on_images = Layers::make(layer.kind, {.layer = layer,
                                                  .input_is_relu = input_is_relu,
                                                  .parameters = parameters_,
                                                  .batch = task_.batch,
                                                  .threads = threads_});
    }
    stages_.push_back(std::move(stage));
  }

  void extend_segments(std::size_t index) {
    const Stage& stage = stages_[index];
    const bool joins = !segments_.empty() && stage.on_images && stages_[index - 1].on_images;
    if (!joins) {
      const std::size_t tensor = segments_.empty() ? 0 : segments_.back().last_tensor;
      segments_.push_back({.first = index, .last = index, .first_tensor = tensor, .last_tensor = tensor});
    }
    Segment& segment = segments_.back();
    segment.last = index + 1;
    if (stage.layer.bias)
      segment.last_tensor = *stage.layer.bias + 1;
    else if (stage.layer.weights)
      segment.last_tensor = *stage.layer.weights + 1;
    const std::int64_t most =
        std::max<std::int64_t>(1, rows_at_once / std::max<std::int64_t>(stage.layer.tokens, 1));
    segment.images_at_once =
        stage.layer.spatial() ? 1 : std::clamp<std::int64_t>(task_.batch / threads_, 1, most);
  }

  void allocate(const Segment& segment) {
    const std::int64_t at_once = threads_ * segment.images_at_once;
    for (std::size_t i = segment.first; i < segment.last; ++i) {
      Stage& stage = stages_[i];
      const bool inside = i + 1 < segment.last;
      const bool needed =
          !inside || stages_[i + 1].on_images->needs_input() ||
          std::any_of(stages_.begin(), stages_.end(), [&](const Stage& s) { return s.layer.add_from == i; });
      stage.output_of_batch = needed;
      stage.gradient_of_batch = !inside;
      const std::int64_t elements = stage.layer.output_elements();
      stage.output = Buffer<float>(elements * (stage.output_of_batch ? task_.batch : at_once));
      if (task_.optimizer)
        stage.gradient = Buffer<float>(elements * (stage.gradient_of_batch ? task_.batch : at_once));
    }
  }

  /// Chooses the routines for a single image, whose products in dense layers can be computed without gemm.
  void choose_routines() {
    if (task_.optimizer) parameters_.next_step();
    std::map<Routine, int> products;  // number of products by routine
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      if (!stages_[i].on_batch) continue;
      for (const Routine routine : stages_[i].on_batch->choose_routines(task_.optimizer.has_value(), i > 0))
        ++products[routine];
    }
    parameters_.reset();
    std::vector<std::string> counts;
    counts.reserve(products.size());
    for (const auto& [routine, count] : products)
      counts.push_back(fmt::format("{} ({})", routine_name(routine), count));
    if (!counts.empty()) routines_ = fmt::format(", by {} (tuned)", fmt::join(counts, ", "));
  }

  /// The input of stage `index`, for the whole batch.
  const float* output_before(std::size_t index) const {
    return index == 0 ? pixels_.data() : stages_[index - 1].output.data();
  }

  // The index at which these images' part of a stage's output or gradient begins for a thread.
  static std::int64_t start(const Stage& stage, bool of_batch, const Segment& segment, Images images,
                            int thread) {
    return stage.layer.output_elements() * (of_batch ? images.first : thread * segment.images_at_once);
  }
  float* output(std::size_t index, const Segment& segment, Images images, int thread) {
    Stage& stage = stages_[index];
    return stage.output.data() + start(stage, stage.output_of_batch, segment, images, thread);
  }
  float* gradient(std::size_t index, const Segment& segment, Images images, int thread) {
    Stage& stage = stages_[index];
    return stage.gradient.data() + start(stage, stage.gradient_of_batch, segment, images, thread);
  }
  const float* input(std::size_t index, const Segment& segment, Images images, int thread) {
    if (index == 0) return pixels_.data() + images.first * image_pixels;
    if (index > segment.first) return output(index - 1, segment, images, thread);
    return output_before(index) + images.first * stages_[index - 1].layer.output_elements();
  }

  /// Calls work(layer, thread) on every thread for all layers on images among stages [first, last).
  template <typename Work>
  void on_layers(std::size_t first, std::size_t last, const Work& work) {
    on_threads(threads_, [&](int thread) {
      for (std::size_t i = first; i < last; ++i) {
        if (stages_[i].on_images) work(*stages_[i].on_images, thread);
      }
    });
  }

  /// Calls work(images, thread) for all images, a few at a time. Each thread has its own part of the batch.
  template <typename Work>
  void for_images(std::int64_t at_once, const Work& work) {
    parallel_ranges(task_.batch, [&](std::int64_t first, std::int64_t last, int thread) {
      for (std::int64_t i = first; i < last; i += at_once)
        work(Images{.first = i, .count = std::min(at_once, last - i)}, thread);
    });
  }

  void forward(Split split, std::span<const std::uint32_t> rows) {
    if (parameters_changed_) {
      on_layers(0, stages_.size(), [](ImageLayer& layer, int thread) { layer.parameters_changed(thread); });
      parameters_changed_ = false;
    }
    const LabelledImages& data = task_.data->images(split);
    for_images(task_.batch, [&](Images images, int) {
      data.gather(
          rows.subspan(static_cast<std::size_t>(images.first), static_cast<std::size_t>(images.count)),
          pixels_.data() + images.first * image_pixels);
    });
    for (const Segment& segment : segments_) {
      Stage& first = stages_[segment.first];
      if (first.on_batch) {
        first.on_batch->forward(output_before(segment.first), first.output.data());
        continue;
      }
      for_images(segment.images_at_once, [&](Images images, int thread) {
        for (std::size_t i = segment.first; i < segment.last; ++i) {
          Stage& stage = stages_[i];
          float* to = output(i, segment, images, thread);
          stage.on_images->forward(images, input(i, segment, images, thread), to, thread);
          if (stage.layer.add_from) {
            add_to(output(*stage.layer.add_from, segment, images, thread), to,
                   images.count * stage.layer.output_elements());
          }
        }
      });
    }
  }

  void backward_images(const Segment& segment) {
    on_threads(threads_, [&](int thread) {
      parameters_.clear_gradients(segment.first_tensor, segment.last_tensor, thread);
    });
    on_layers(segment.first, segment.last,
              [](ImageLayer& layer, int thread) { layer.begin_backward(thread); });
    for_images(segment.images_at_once, [&](Images images, int thread) {
      for (std::size_t i = segment.last; i-- > segment.first;) {
        float* into = nullptr;
        if (i > segment.first) {
          into = gradient(i - 1, segment, images, thread);
        } else if (i > 0) {
          Stage& before = stages_[i - 1];
          into = before.gradient.data() + images.first * before.layer.output_elements();
        }
        stages_[i].on_images->backward(images, input(i, segment, images, thread),
                                       gradient(i, segment, images, thread), into, thread);
        if (into != nullptr) add_gradients_of_sums(i - 1, segment, images, thread, into);
      }
    });
    on_layers(segment.first, segment.last, [](ImageLayer& layer, int thread) { layer.end_backward(thread); });
    const std::int64_t first = parameters_.offset(segment.first_tensor);
    parallel_ranges(parameters_.offset(segment.last_tensor) - first,
                    [&](std::int64_t from, std::int64_t to, int) {
                      parameters_.update_by_sums(first + from, first + to);
                    });
  }

  /// Adds the gradient of every later layer that added this layer's output to its own.
  void add_gradients_of_sums(std::size_t index, const Segment& segment, Images images, int thread,
                             float* into) {
    for (std::size_t later = index + 1; later < segment.last; ++later) {
      if (stages_[later].layer.add_from == index) {
        add_to(gradient(later, segment, images, thread), into,
               images.count * stages_[index].layer.output_elements());
      }
    }
  }

  ModelTask task_;
  int threads_;
  NetworkParameters parameters_;
  Buffer<float> pixels_;
  std::vector<Stage> stages_;
  std::vector<Segment> segments_;
  std::string routines_;            // as in algorithm(); empty if all products use gemm
  bool parameters_changed_ = true;  // since the last forward()
};

std::unique_ptr<Model> make(ModelTask task) {
  return std::make_unique<NetworkModel>(std::move(task));
}

const ModelRegistration networks(fixed_dtypes({Dtype::f32}), fixed_dtypes({Dtype::f32}), make,
                                 /*takes_ranks=*/true);

}  // namespace
}  // namespace breakeven::cblas
