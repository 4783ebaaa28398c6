#include "backends/cuda/network/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cuda/device_ranks.h"
#include "backends/cuda/network/batches.h"
#include "backends/cuda/network/device_sums.h"
#include "backends/cuda/network/layers.h"
#include "backends/cuda/network/parameters.h"
#include "backends/cuda/products.h"
#include "backends/cuda/race.h"
#include "backends/cuda/recording.h"
#include "network/gradient_exchange.h"
#include "worker/backend.h"
#include "workloads/batch_order.h"

namespace breakeven::cuda {
namespace {

/// The activations between all layers, with their memory.
class AllActivations {
 public:
  explicit AllActivations(const ModelTask& task) : each_(task.network.layers.size() + 1) {
    const auto& layers = task.network.layers;
    const std::int64_t bytes = task.batch * static_cast<std::int64_t>(facts(task.dtype).bytes());
    allocate(bytes * image_pixels, each_.front().value);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const bool logits = i + 1 == layers.size();
      allocate(logits ? task.batch * classes * static_cast<std::int64_t>(sizeof(float))
                      : bytes * layers[i].output_elements(),
               each_[i + 1].value);
      each_[i + 1].activation = layers[i].activation;
    }
    if (!task.optimizer) return;
    for (std::size_t i = layers.size(); i-- > 0;) {
      // Adding positions does not change the gradient, so input and output share it.
      if (i + 1 < layers.size() && layers[i + 1].kind == LayerKind::positions) {
        each_[i + 1].gradient = each_[i + 2].gradient;
      } else {
        allocate(bytes * layers[i].output_elements(), each_[i + 1].gradient);
      }
    }
  }

  Activations& input_of(std::size_t layer) { return each_[layer]; }
  Activations& output_of(std::size_t layer) { return each_[layer + 1]; }

 private:
  void allocate(std::int64_t bytes, void*& to) {
    memory_.emplace_back(bytes);
    to = memory_.back().data();
  }

  std::vector<Activations> each_;
  std::vector<Memory> memory_;
};

/// State that training keeps on the device between steps, and copies to the host on request.
class TrainingState {
 public:
  explicit TrainingState(const ModelTask& task)
      : batch_(task.batch),
        images_(task.batch * task.ranks),
        scales_loss_(task.dtype == Dtype::f16),
        rule_(adam_rule(*task.optimizer)),
        state_(static_cast<std::int64_t>(sizeof(StepState))),
        losses_(capacity * static_cast<std::int64_t>(sizeof(float))),
        parts_(loss_parts(task.batch) * static_cast<std::int64_t>(sizeof(float))) {}

  float first_scale() const { return scales_loss_ ? first_loss_scale(images_) : 1.0F; }
  bool scales_loss() const { return scales_loss_; }
  /// The number of images of a step, on all ranks.
  std::int64_t images() const { return images_; }

  /// Resets the state. The stream must have finished using it.
  void reset() {
    StepState first;
    first.loss_scale = first_scale();
    advance_corrections(rule_, first);
    state_.upload(&first);
    taken_ = 0;
    started_ = 0;
  }

  StepState* state() { return state_.as<StepState>(); }
  float* parts() { return parts_.as<float>(); }
  void enqueue_end(cudaStream_t stream) {
    end_step(parts(), loss_parts(batch_), batch_, scales_loss_, rule_, losses_.as<float>(), capacity, state(),
             stream);
  }

  /// True if there is no room for the losses of another step before take_losses().
  bool full() const { return started_ - taken_ == capacity; }
  void count_step() { ++started_; }

  /// Returns the losses of the steps since the last call, which the stream must have finished.
  std::vector<double> take_losses() {
    std::vector<double> taken;
    if (started_ == taken_) return taken;
    std::vector<float> ring(capacity);
    losses_.download(ring.data());
    for (; taken_ != started_; ++taken_) taken.push_back(static_cast<double>(ring[taken_ % capacity]));
    return taken;
  }

 private:
  static constexpr unsigned capacity = 1U << 14U;  // a power of two, because counts of steps may wrap around

  std::int64_t batch_, images_;
  bool scales_loss_;
  AdamRule rule_;
  Memory state_, losses_, parts_;
  unsigned taken_ = 0, started_ = 0;  // numbers of steps
};

class NetworkModel final : public Model {
 public:
  NetworkModel(ModelTask task, TensorLayout layout, Stopwatch& stopwatch)
      : task_(std::move(task)),
        workspace_(product_workspace_bytes),
        branch_workspace_(task_.optimizer ? product_workspace_bytes : 0),
        engine_{.stopwatch = stopwatch,
                .product_workspace = workspace_.data(),
                .branch_workspace = branch_workspace_.data(),
                .branch = Branch(stopwatch.stream()),
                .layout = layout,
                .cudnn = nullptr},
        batches_(make_batches(task_)),
        labels_(task_.batch),
        logits_(static_cast<std::size_t>(task_.batch * classes)),
        parameters_(task_, layout),
        activations_(task_) {
    if (task_.optimizer) {
      state_.emplace(task_);
      state_->reset();
    }
    if (task_.ranks > 1)
      sums_.emplace(stream(), engine_.branch, task_.exchange.deterministic ? parameters_.count() : 0);
    parameters_.reset(stream());
    // Everything is run once here: algorithms are chosen with realistic data, and a CUDA graph must not be
    // the first to call a kernel.
    const std::vector<std::uint32_t> first_rows = rows_from(0, task_.batch, first_split_count());
    batches_->send(first_split(), first_rows, stream());
    enqueue_gather(first_split());
    make_layers();
    wait();
    if (task_.graph) record();
    NetworkModel::reset();
  }

  TensorLayout layout() const { return engine_.layout; }

  void begin_with_ranks() override {
    step_.reset();
    exchange_.emplace(*sums_, task_.exchange, parameters_.gradients(), parameters_.count());
    enqueue_step();  // once: NCCL connects the ranks
    wait();
    device_ranks().note_connected();
    if (task_.graph) record_step_with_ranks();
    reset();
  }

  /// Enqueues the work of one step, or of one batch, on rows that are on the device.
  void enqueue_once() {
    if (!state_) return enqueue_batch(Split::test);
    step_ ? step_->launch(stream()) : enqueue_step();
  }

  void reset() override {
    wait();
    parameters_.reset(stream());
    wait();
    if (state_) state_->reset();
    losses_.clear();
  }

  double train_step(std::span<const std::uint32_t> rows) override {
    keep_losses();
    batches_->send(Split::train, rows, stream());
    enqueue_once();
    state_->count_step();
    wait();
    return state_->take_losses().back();
  }

  std::int64_t most_batches_ahead() const override { return batches_->most_ahead(); }
  void take_ahead(std::span<const std::uint32_t> rows) override { batches_->take_ahead(rows, stream()); }

  void start_step(std::span<const std::uint32_t> rows) override {
    if (state_->full()) keep_losses();
    if (!batches_->take_one()) batches_->send(Split::train, rows, stream());
    enqueue_once();
    state_->count_step();
  }

  std::vector<double> finish_steps() override {
    keep_losses();
    return std::exchange(losses_, {});
  }

  void infer(Split split, std::span<const std::uint32_t> rows, float* logits) override {
    batches_->send(split, rows, stream());
    enqueue_batch(split);
    if (!logits_come_back()) enqueue_logits();
    wait();
    std::copy_n(logits_.data(), task_.batch * classes, logits);
  }

  void start_inference(Split split, std::span<const std::uint32_t> rows) override {
    if (!batches_->take_one()) batches_->send(split, rows, stream());
    enqueue_batch(split);
  }

  void copy_inputs_to_device() override {
    if (task_.transfer != Transfer::Policy::once) return;
    batches_->copy_inputs_to_device(first_split(), stream());
    parameters_.copy_inputs_to_device(stream());
  }
  /// In inference, nothing to copy but the logits, which every run has already enqueued.
  bool copy_outputs_to_host() override {
    if (task_.transfer != Transfer::Policy::once) return false;
    if (task_.optimizer) parameters_.copy_outputs_to_host(stream());
    return true;
  }

  std::string algorithm() const override {
    std::string text = how_launched();
    if (task_.transfer == Transfer::Policy::each) text += ", batches streamed from pinned memory";
    if (task_.transfer == Transfer::Policy::once)
      text += ", parameters and data set moved from pinned memory";
    if (state_ && state_->scales_loss())
      text += fmt::format("; loss scaled, at first by {}", state_->first_scale());
    for (const auto& layer : layers_) {
      if (const std::string own = layer->algorithm(); !own.empty()) text += "; " + own;
    }
    return other_layout_.empty() ? text : text + "; " + other_layout_;
  }
  std::string sums_library() const override { return rank_library(); }
  /// Appends the time of the same model in the other layout to algorithm().
  void say(std::string other_layout) { other_layout_ = std::move(other_layout); }

 private:
  cudaStream_t stream() const { return engine_.stream(); }
  void wait() const { check(cudaStreamSynchronize(stream()), "the device"); }

  Split first_split() const { return task_.optimizer ? Split::train : Split::test; }
  std::uint32_t first_split_count() const { return task_.data->images(first_split()).count(); }

  std::string how_launched() const {
    if (!task_.graph) return "eager";
    if (update_) return "two CUDA graphs" + branches_ + ", the gradients added up between them";
    if (exchange_ && !step_) return "eager, because the host takes part in sums";
    return "one CUDA graph" + branches_;
  }

  /// Makes the layers from the first to the last and runs each; in training, also backwards.
  void make_layers() {
    const auto& layers = task_.network.layers;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      LayerSite site{.engine = engine_,
                     .task = task_,
                     .layer = layers[i],
                     .parameters = parameters_,
                     .input = activations_.input_of(i),
                     .output = activations_.output_of(i),
                     .wants_input_gradient = i > 0,
                     .is_last = i + 1 == layers.size()};
      if (layers[i].add_from) site.added = &activations_.output_of(*layers[i].add_from);
      for (std::size_t later = i; later < layers.size(); ++later) {
        if (i > 0 && layers[later].add_from == i - 1) site.input_added_to = &activations_.output_of(later);
      }
      layers_.push_back(make_layer(site));
      layers_.back()->forward();
    }
    if (!task_.optimizer) return;
    enqueue_loss();
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      (*layer)->prepare_backward();
      (*layer)->backward();
    }
    enqueue_update();
  }

  void record() {
    if (state_) record_step();
    // Copies the test set to the device now: memory cannot be allocated while a graph is recorded.
    batches_->send(Split::test, rows_from(0, task_.batch, task_.data->images(Split::test).count()), stream());
    enqueue_inference(Split::test);
    wait();
    inference_.emplace(stream(), [this] { enqueue_inference(Split::test); });
  }

  /// Records a step both as one sequence of kernels and as two branches, with the gradients of weights
  /// concurrent with those of inputs, and keeps the faster. Small kernels leave most of a device idle; large
  /// ones fill it.
  void record_step() {
    step_.emplace(stream(), [this] { enqueue_step(); });
    if (!task_.tuned) return;
    Recording branching(stream(), [this] {
      engine_.branch.start();
      enqueue_step();
    });
    const RaceResult raced =
        race(engine_.stopwatch, {[this] { step_->launch(stream()); }, [&] { branching.launch(stream()); }},
             most_queued_runs(task_.network));
    const bool branches = raced.fastest == 1;
    branches_ = fmt::format(", weights' gradients {} inputs' (the other way took {:.2f}x)",
                            branches ? "beside" : "between", raced.took[branches ? 0 : 1]);
    in_branches_ = branches;
    if (branches) step_.emplace(std::move(branching));
  }

  /// Records a step with the exchange of gradients, in the way that was faster without it: as one graph, or,
  /// if the host takes part in sums, as one before them and one after them. Sums by the host that overlap the
  /// backward pass would need many graphs; such a step stays eager.
  void record_step_with_ranks() {
    const auto start_branch = [this] {
      if (in_branches_) engine_.branch.start();
    };
    if (ranks_enqueue()) {
      step_.emplace(stream(), [&] {
        start_branch();
        enqueue_step();
      });
    } else if (!task_.exchange.overlaps) {
      gradients_.emplace(stream(), [&] {
        start_branch();
        enqueue_gradients();
        engine_.branch.join();
      });
      update_.emplace(stream(), [this] { enqueue_update(); });
    }
  }

  void enqueue_batch(Split split) {
    if (inference_ && split == Split::test) {
      inference_->launch(stream());
    } else {
      enqueue_inference(split);
    }
  }

  void enqueue_gather(Split split) {
    const Batch batch = batches_->batch(split);
    gather_images(task_.dtype, batch.images, batch.place, task_.batch, image_pixels,
                  activations_.input_of(0).value, labels_.as<std::uint8_t>(), stream());
  }

  void enqueue_forward(Split split) {
    enqueue_gather(split);
    for (const auto& layer : layers_) layer->forward();
  }

  const float* logits_on_device() {
    return static_cast<const float*>(activations_.output_of(layers_.size() - 1).value);
  }

  /// True if every run copies the logits to the host: always, unless all data stays on the device.
  bool logits_come_back() const { return task_.transfer != Transfer::Policy::resident; }

  void enqueue_logits() {
    check(cudaMemcpyAsync(logits_.data(), logits_on_device(),
                          static_cast<std::size_t>(task_.batch * classes) * sizeof(float),
                          cudaMemcpyDeviceToHost, stream()),
          "copying from the device");
  }

  void enqueue_inference(Split split) {
    enqueue_forward(split);
    if (logits_come_back()) enqueue_logits();
  }

  void enqueue_loss() {
    cross_entropy(task_.dtype, logits_on_device(), labels_.as<std::uint8_t>(), task_.batch, state_->images(),
                  state_->state(), activations_.output_of(layers_.size() - 1).gradient, state_->parts(),
                  stream());
  }

  void enqueue_update() {
    if (state_->scales_loss())
      find_not_finite(parameters_.gradients(), parameters_.count(), state_->state(), stream());
    parameters_.enqueue_update(state_->state(), stream());
    state_->enqueue_end(stream());
  }

  /// Enqueues a step up to its gradients, and starts to add them up over all ranks.
  void enqueue_gradients() {
    enqueue_forward(Split::train);
    enqueue_loss();
    for (std::size_t i = layers_.size(); i-- > 0;) {
      layers_[i]->backward();
      if (exchange_) exchange_->ready_from(first_gradient(i));
    }
  }

  void enqueue_step() {
    gradients_ ? gradients_->launch(stream()) : enqueue_gradients();
    if (exchange_) exchange_->finish();
    engine_.branch.join();
    update_ ? update_->launch(stream()) : enqueue_update();
  }

  /// The index of the first gradient of this layer and the later ones.
  std::int64_t first_gradient(std::size_t layer) const {
    const auto& layers = task_.network.layers;
    for (; layer < layers.size(); ++layer) {
      if (layers[layer].weights) return parameters_.offset(*layers[layer].weights);
    }
    return parameters_.count();
  }

  void keep_losses() {
    wait();
    const std::vector<double> taken = state_->take_losses();
    losses_.insert(losses_.end(), taken.begin(), taken.end());
  }

  ModelTask task_;
  Memory workspace_, branch_workspace_;
  Engine engine_;
  std::unique_ptr<Batches> batches_;
  Memory labels_;  // of the current batch
  PinnedMemory<float> logits_;
  NetworkParameters parameters_;
  AllActivations activations_;
  std::optional<TrainingState> state_;
  std::vector<std::unique_ptr<LayerWork>> layers_;
  // Only with other ranks. Recordings, which may contain their work, are destroyed before them.
  std::optional<DeviceSums> sums_;
  std::optional<GradientExchange> exchange_;
  std::optional<Recording> gradients_, update_;  // the parts of a step, if the host takes part in sums
  std::optional<Recording> step_, inference_;
  bool in_branches_ = false;             // the recorded step computes weights' gradients on the branch
  std::string branches_, other_layout_;  // for algorithm()
  std::vector<double> losses_;           // of finished steps, not requested yet
};

}  // namespace

std::int64_t most_queued_runs(const Network& network) {
  constexpr std::int64_t launches_a_layer = 12;
  constexpr std::int64_t most_launches = 512;
  return std::max<std::int64_t>(1, most_launches / (launches_a_layer * std::ssize(network.layers)));
}

/// Makes a model in the faster layout. Kernels for f32 without tensor cores read NCHW; given NHWC, they
/// transpose both tensors first. If there is memory for both, they are raced.
std::unique_ptr<Model> make_network_model(const ModelTask& task, Stopwatch& stopwatch) {
  const auto is_convolution = [](const Layer& layer) { return layer.kind == LayerKind::conv2d; };
  const bool reads_nchw =
      task.dtype == Dtype::f32 && std::ranges::any_of(task.network.layers, is_convolution);
  if (task.ranks > 1)  // gradients are added up, so that all ranks need one layout
    return std::make_unique<NetworkModel>(task, reads_nchw ? TensorLayout::nchw : TensorLayout::nhwc,
                                          stopwatch);
  auto kept = std::make_unique<NetworkModel>(task, TensorLayout::nhwc, stopwatch);
  if (!task.tuned || !reads_nchw) return kept;
  try {
    auto other = std::make_unique<NetworkModel>(task, TensorLayout::nchw, stopwatch);
    const RaceResult raced = race(stopwatch, {[&] { kept->enqueue_once(); }, [&] { other->enqueue_once(); }},
                                  most_queued_runs(task.network));
    if (raced.fastest == 1) std::swap(kept, other);
    kept->reset();
    kept->say(fmt::format("{} took {:.2f}x", name(other->layout()), raced.took[1 - raced.fastest]));
  } catch (const Unsupported&) {
  } catch (const OutOfMemory&) {
  }
  return kept;
}

}  // namespace breakeven::cuda
