// From a backend's model to its cases. A backend that has a Model registers both operations in one line:
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

/// run() is the next step in the order of the epochs. The first train_epoch() starts from the initial
/// parameters, whatever run() did before; the next ones go on from there.
std::unique_ptr<Prepared> make_training(const Case& problem, std::uint64_t seed, const MakeModel& make);
/// With other orders than epoch_order()'s.
std::unique_ptr<Prepared> make_training(const Case& problem, std::uint64_t seed, const MakeModel& make,
                                        const MakeEpochOrder& make_order);

/// run() is the next batch of the test set, in its own order, from the front again after the last.
std::unique_ptr<Prepared> make_inference(const Case& problem, std::uint64_t seed, const MakeModel& make);

struct ModelRegistration {
  using Dtypes = std::function<std::vector<Dtype>()>;

  ModelRegistration(const Dtypes& training_dtypes, const Dtypes& inference_dtypes, const MakeModel& make)
      : train({"train", training_dtypes,
               [make](const Case& c, std::uint64_t seed) { return make_training(c, seed, make); }}),
        infer({"infer", inference_dtypes,
               [make](const Case& c, std::uint64_t seed) { return make_inference(c, seed, make); }}) {}

  OperationRegistration train, infer;
};

}  // namespace breakeven
