#include "backends/reference/threads.h"
#include "network/model_case.h"
#include "network/reference_model.h"

namespace breakeven {
namespace {

std::vector<Dtype> dtypes() {
  return {Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16};
}

std::unique_ptr<Model> make(ModelTask task) {
  return std::make_unique<ReferenceModel>(std::move(task), reference_threads());
}

const OperationRegistration train({"train", dtypes, [](const Case& c, std::uint64_t seed) {
                                     return make_training(c, seed, make);
                                   }});
const OperationRegistration infer({"infer", dtypes, [](const Case& c, std::uint64_t seed) {
                                     return make_inference(c, seed, make);
                                   }});

}  // namespace
}  // namespace breakeven
