// Makes the cases `train` and `infer` from a backend's Model. The backend registers both operations in one
// line:
//
//   const ModelRegistration registered(training_dtypes, inference_dtypes, make_my_model);
#pragma once

#include <functional>
#include <memory>

#include "network/model.h"
#include "worker/backend.h"
#include "workloads/batch_order.h"

namespace breakeven {

using MakeModel = std::function<std::unique_ptr<Model>(ModelTask)>;

/// A training case. run() is the next step in the order of the epochs. The first train_epoch() starts from
/// the initial parameters, whatever run() did before; the next ones continue from there.
std::unique_ptr<Prepared> make_training(const Case& problem, std::uint64_t seed, const MakeModel& make);
/// The same with another order of rows than epoch_order().
std::unique_ptr<Prepared> make_training(const Case& problem, std::uint64_t seed, const MakeModel& make,
                                        const MakeEpochOrder& make_order);

/// An inference case. run() is the next batch of the test set, in its own order, and starts again after the
/// last.
std::unique_ptr<Prepared> make_inference(const Case& problem, std::uint64_t seed, const MakeModel& make);

struct ModelRegistration {
  using Dtypes = std::function<std::vector<Dtype>()>;

  /// `takes_ranks`: the model exchanges gradients with other ranks (network/gradient_exchange.h).
  ModelRegistration(const Dtypes& training_dtypes, const Dtypes& inference_dtypes, const MakeModel& make,
                    bool takes_ranks = false)
      : train({.op = "train",
               .dtypes = training_dtypes,
               .prepare = [make](const Case& c, std::uint64_t seed) { return make_training(c, seed, make); },
               .takes_ranks = takes_ranks}),
        infer({"infer", inference_dtypes,
               [make](const Case& c, std::uint64_t seed) { return make_inference(c, seed, make); }}) {}

  OperationRegistration train, infer;
};

}  // namespace breakeven
