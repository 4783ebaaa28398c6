// Training and inference of the small networks, timed like all work on the device.
#include <algorithm>
#include <memory>

#include "backends/cuda/device_ranks.h"
#include "backends/cuda/network/batches.h"
#include "backends/cuda/network/model.h"
#include "backends/cuda/work.h"
#include "network/model_case.h"
#include "worker/backend.h"

namespace breakeven::cuda {
namespace {

using MakeCase = std::unique_ptr<Prepared> (*)(const Case&, std::uint64_t seed, const MakeModel&);

/// A case that network/model_case.h makes from a model, on this stream.
class NetworkCase final : public Work {
 public:
  NetworkCase(const Case& problem, std::uint64_t seed, MakeCase make)
      : case_(make(problem, seed, [this](const ModelTask& task) {
          // Images that are streamed wait for a free place, which never comes behind a closed gate; so do row
          // numbers of more batches than there are places.
          most_queued_ = task.transfer == Transfer::Policy::each
                             ? 1
                             : std::min(most_queued_runs(task.network), batches_sent_at_once(task.batch));
          if (task.ranks > 1 && !ranks_enqueue()) most_queued_ = 0;  // the host takes part in each step
          return make_network_model(task, stopwatch());
        })) {}

  void prepare_runs(std::int64_t runs) override { case_->prepare_runs(runs); }
  void begin_with_ranks() override { case_->begin_with_ranks(); }
  void copy_inputs_to_device() override { case_->copy_inputs_to_device(); }
  void run() override { case_->run(); }
  bool copy_outputs_to_host() override { return case_->copy_outputs_to_host(); }
  Evidence show(const std::vector<std::int64_t>& elements) override { return case_->show(elements); }
  std::string algorithm() const override { return case_->algorithm(); }
  std::vector<double> take_losses() override { return case_->take_losses(); }
  answer::Epoch train_epoch() override { return case_->train_epoch(); }

 private:
  std::int64_t most_queued() const override { return most_queued_; }

  std::int64_t most_queued_ = 1;
  std::unique_ptr<Prepared> case_;
};

template <MakeCase make>
std::unique_ptr<Prepared> prepare(const Case& problem, std::uint64_t seed) {
  return std::make_unique<NetworkCase>(problem, seed, make);
}

const OperationRegistration train({.op = "train",
                                   .dtypes = layer_dtypes,
                                   .prepare = prepare<make_training>,
                                   .why_not = why_no_layers_in,
                                   .takes_ranks = true});
const OperationRegistration infer({"infer", layer_dtypes, prepare<make_inference>, why_no_layers_in});

}  // namespace
}  // namespace breakeven::cuda
