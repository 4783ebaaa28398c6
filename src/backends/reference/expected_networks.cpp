#include "backends/reference/expected_networks.h"

#include <functional>

#include "backends/reference/reference_model.h"
#include "worker/backend.h"
#include "workloads/batch_order.h"
#include "workloads/networks.h"

namespace breakeven {
namespace {

/// Adds the result with truncated operands as an alternative for tf32. A device either rounds the operands,
/// which is close to expect(nullptr) in float64, or truncates them (wgmma on Hopper). The errors of
/// truncation have one sign, and so grow with each layer.
Evidence with_truncated_operands(Dtype dtype, const std::function<Evidence(RoundOperand<double>)>& expect) {
  Evidence expected = expect(nullptr);
  if (dtype != Dtype::tf32) return expected;
  expected.alternatives.push_back(expect(
      [](double operand) { return static_cast<double>(truncated_to_tf32(static_cast<float>(operand))); }));
  return expected;
}

}  // namespace

Evidence expected_training(const Case& problem, std::uint64_t seed,
                           const std::vector<std::int64_t>& elements) {
  const ModelTask task = model_task(problem.parameters, seed);
  return with_truncated_operands(problem.dtype(), [&](RoundOperand<double> round) {
    BatchOrder order(task.data->images(Split::train).count(), task.batch, seed);
    ReferenceModel model(task, 0, round);
    Evidence expected;
    for (int step = 0; step < first_steps; ++step) {
      const double loss = model.train_step(order.next());
      if (step == 0) expected = logits_evidence(model.logits(), elements, seed);
      expected.losses.push_back(loss);
    }
    return expected;
  });
}

Evidence expected_inference(const Case& problem, std::uint64_t seed,
                            const std::vector<std::int64_t>& elements) {
  const ModelTask task = model_task(problem.parameters, seed);
  const auto rows = rows_from(0, task.batch, task.data->images(Split::test).count());
  return with_truncated_operands(problem.dtype(), [&](RoundOperand<double> round) {
    ReferenceModel model(task, 0, round);
    std::vector<float> unused(rows.size() * classes);
    model.infer(Split::test, rows, unused.data());
    return logits_evidence(model.logits(), elements, seed);
  });
}

Evidence reference_result(const Case& problem, std::uint64_t seed,
                          const std::vector<std::int64_t>& elements) {
  if (problem.workload->op() == "train") return expected_training(problem, seed, elements);
  if (problem.workload->op() == "infer") return expected_inference(problem, seed, elements);
  return problem.workload->expect(problem.parameters, seed, elements);
}

}  // namespace breakeven
