// What the workloads `train` and `infer` have in common.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workloads/model_task.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace breakeven {

/// The parameters that say which network, of what size, in which batches; `more`; the folder of the data set,
/// how work is made and submitted, and the dtype, which every list of parameters ends with.
std::vector<Parameter> network_parameters(std::vector<Parameter> more = {});

/// Bytes of all parameters; of the outputs of all layers for one image; of one image and its logits as read
/// and written.
double parameter_bytes(const Network& network, Dtype dtype);
double activation_bytes(const Network& network, Dtype dtype);
double image_bytes(Dtype dtype);

/// Logits as a result in memory is shown: those at `elements`, and the projections of all of them.
Evidence logits_evidence(const std::vector<double>& logits, const std::vector<std::int64_t>& elements,
                         std::uint64_t seed);

/// A workload that runs a network on batches of images.
class NetworkWorkload : public Workload {
 public:
  /// "mlp, batch 128, optimizer adam, f32": the network, and what is not at its default value.
  std::string title(const Parameters& given) const override;
  void check(const Parameters& parameters) const override { make_network(parameters); }
  std::int64_t samples(const Parameters& parameters) const override { return parameters.integer("batch"); }
  /// The logits of a batch.
  OutputShape output(const Parameters& parameters) const override;
  /// How far logits and losses may be from the truth.
  ///
  /// A product layer adds a relative error of about 0.6 u where its operands are rounded to a lower precision
  /// with unit roundoff u (0.42 u for values of all mantissas alike, twice at random), and of u_f32 (1 +
  /// sqrt(length)/2) for its sums, as in sum_tolerance; layers add at random, too. A dtype of lower precision
  /// rounds the logits once more. The unit is the root mean square of the logits. Measured against float64,
  /// plain sequential sums in f32 stay below 3.5 of these standard deviations over all networks; TF32 in
  /// place of f32 gives above 80. Eight are allowed.
  ///
  /// The losses of the first steps are an average over a batch, and gain in the first step what the update
  /// carries over from the gradients: with either optimiser at its own learning rate they stay below the same
  /// bound (f32: by a factor of ten), which grows in proportion where the rate is higher.
  Tolerance tolerance(const Parameters& parameters, const Evidence& truth) const override;

 protected:
  static double batch(const Parameters& parameters) {
    return static_cast<double>(parameters.integer("batch"));
  }
};

}  // namespace breakeven
