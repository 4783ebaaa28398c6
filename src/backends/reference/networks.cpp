#include "backends/reference/expected_networks.h"
#include "backends/reference/reference_model.h"
#include "network/model_case.h"
#include "worker/threads.h"

namespace breakeven {
namespace {

std::unique_ptr<Model> make(ModelTask task) {
  return std::make_unique<ReferenceModel>(std::move(task), threads());
}

const OperationRegistration train({.op = "train",
                                   .dtypes = dtypes_of_networks,
                                   .prepare = [](const Case& c,
                                                 std::uint64_t seed) { return make_training(c, seed, make); },
                                   .expect = expected_training});
const OperationRegistration infer(
    {.op = "infer",
     .dtypes = dtypes_of_networks,
     .prepare = [](const Case& c, std::uint64_t seed) { return make_inference(c, seed, make); },
     .expect = expected_inference});

}  // namespace
}  // namespace breakeven
