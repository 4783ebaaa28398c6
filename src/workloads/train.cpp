// Training a small network: one step is forward, backward and update on one batch.
#include <fmt/format.h>

#include "workloads/networks.h"
#include "workloads/ranks.h"
#include "workloads/transfer.h"

namespace breakeven {
namespace {

class TrainWorkload final : public NetworkWorkload {
 public:
  std::string_view op() const override { return "train"; }
  std::string_view meaning() const override { return "one training step of a small network"; }
  std::string_view plural() const override { return "training steps"; }
  std::string activity(const Parameters& parameters) const override {
    return "Training " + network_display_name(parameters.text("network"));
  }

  const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> all = network_parameters(
        {choice_parameter("optimizer", "how parameters are updated", {"sgd", "adam"}, "sgd"),
         number_parameter_from("learning_rate", "0: the optimizer's own, sgd 0.01 and adam 0.001", 0, 1e3,
                               0.0),
         number_parameter_from("momentum", "of sgd", 0, 1, 0.9),
         integer_parameter(
             "epochs",
             "epochs to train once the steps are timed; 0: up to target_accuracy, where that is given", 0,
             10000, 0),
         number_parameter_from("target_accuracy",
                               "fraction of the test set, the time to which is reported; 0: none", 0, 1, 0.0),
         added_later(ranks_parameter(1)),
         added_later(boolean_parameter("batch_per_rank",
                                       "`batch` is that of each rank, so that work grows with the ranks; "
                                       "false: it is divided among them",
                                       false)),
         added_later(boolean_parameter("overlap",
                                       "ranks may add up the gradients of the last layers while those of "
                                       "the first are still computed: tuned, if that is faster; false: after "
                                       "the backward pass",
                                       true)),
         added_later(boolean_parameter("deterministic",
                                       "every run rounds alike, bit for bit: ranks add up gradients in their "
                                       "order, and no algorithm is chosen by a race",
                                       false))});
    return all;
  }

  void normalise(Parameters& parameters) const override {
    const std::int64_t ranks = parameters.integer("ranks");
    if (parameters.boolean("batch_per_rank")) {
      parameters.set("batch", parameters.integer("batch") * ranks);
      parameters.set("batch_per_rank", false);
    }
    if (ranks == 1) parameters.set("overlap", true);
  }

  void check(const Parameters& parameters) const override {
    NetworkWorkload::check(parameters);
    const std::int64_t batch = parameters.integer("batch");
    const std::int64_t ranks = parameters.integer("ranks");
    if (batch % ranks != 0) {
      throw InvalidCase("batch", fmt::format("batch is {} and must be a multiple of the {} ranks, each of "
                                             "which trains on an equal share",
                                             batch, ranks));
    }
    if (ranks > 1 && Transfer::of(parameters).moves())
      throw InvalidCase("transfer", "transfer must be resident with several ranks");
  }

  std::vector<Parameters> examples() const override {
    std::vector<Parameters> all;
    for (const std::string& network : network_names()) {
      for (const auto* optimizer : {"sgd", "adam"}) {
        all.push_back(
            {{"network", network}, {"batch", std::int64_t{3}}, {"optimizer", std::string(optimizer)}});
      }
    }
    return all;
  }

  /// Forward and backward.
  double flop(const Parameters& parameters) const override {
    const Network network = make_network(parameters);
    return batch(parameters) * (flop_forward(network) + flop_backward(network));
  }

  /// The lower limits. Outputs of layers need not go to memory if layers are computed together.
  Least least(const Parameters& parameters) const override {
    const Network network = make_network(parameters);
    const double state = parameter_bytes(network, Dtype::f32) * (1 + Optimizer::of(parameters).states());
    return {.flop = batch(parameters) * (least_flop_forward(network) + least_flop_backward(network)),
            .bytes = 2 * state + batch(parameters) * image_bytes(parameters.dtype())};
  }

  /// Counts parameters and optimiser state, in f32, as read and written, the batch as read, and the outputs
  /// of all layers as written in the forward pass and read in the backward pass.
  double bytes(const Parameters& parameters) const override {
    const Network network = make_network(parameters);
    const double state = parameter_bytes(network, Dtype::f32) * (1 + Optimizer::of(parameters).states());
    const Dtype dtype = parameters.dtype();
    return 2 * state + batch(parameters) * (image_bytes(dtype) + 2 * activation_bytes(network, dtype));
  }

  Parameters resolved(const Parameters& parameters) const override {
    Parameters made;
    if (parameters.number("learning_rate") == 0)
      made.set("learning_rate", Optimizer::of(parameters).learning_rate);
    return made;
  }

  /// The size of parameters, gradients and optimiser state in f32, which every rank has, and of the outputs
  /// of all layers.
  double memory(const Parameters& parameters) const override {
    const Network network = make_network(parameters);
    const double state = parameter_bytes(network, Dtype::f32) * (2 + Optimizer::of(parameters).states()) *
                         static_cast<double>(parameters.integer("ranks"));
    const Dtype dtype = parameters.dtype();
    return state + batch(parameters) * (image_bytes(dtype) + activation_bytes(network, dtype));
  }
};

const WorkloadRegistration<TrainWorkload> train_registered;

}  // namespace
}  // namespace breakeven
