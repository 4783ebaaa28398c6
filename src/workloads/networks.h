// The common parts of the workloads `train` and `infer`.
#pragma once

#include <string>
#include <vector>

#include "workloads/model_task.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace breakeven {

/// The parameters that select the network, its size and the batch; `more`; the folder of the data set, how
/// work is built and submitted, and the dtype, which is the last in every list of parameters.
std::vector<Parameter> network_parameters(std::vector<Parameter> more = {});

/// Bytes of all parameters, of the outputs of all layers for one image, and of one image and its logits as
/// read and written.
double parameter_bytes(const Network& network, Dtype dtype);
double activation_bytes(const Network& network, Dtype dtype);
double image_bytes(Dtype dtype);

/// The evidence of logits: those at `elements`, and the projections of all of them.
Evidence logits_evidence(const std::vector<double>& logits, const std::vector<std::int64_t>& elements,
                         std::uint64_t seed);

/// A workload that runs a network on batches of images.
class NetworkWorkload : public Workload {
 public:
  /// "mlp, batch 128, optimizer adam, f32": the network, and the parameters that are not at their default
  /// value.
  std::string title(const Parameters& given) const override;
  void check(const Parameters& parameters) const override { make_network(parameters); }
  std::int64_t samples(const Parameters& parameters) const override { return parameters.integer("batch"); }
  /// The shape of a batch's logits.
  OutputShape output(const Parameters& parameters) const override;
  /// The allowed difference of logits and losses from the reference.
  ///
  /// A product layer adds a relative error of about 0.6 u if its operands are rounded to a lower precision
  /// with unit roundoff u (0.42 u for values with evenly distributed mantissas, twice at random), and of
  /// u_f32 (1 + sqrt(length)/2) for its sums, as in sum_tolerance. The errors of layers add at random, too. A
  /// dtype of lower precision rounds the logits once more. The unit is the root mean square of the logits.
  /// Measured against float64, plain sequential sums in f32 stay below 3.5 of these standard deviations over
  /// all networks; TF32 in place of f32 gives above 80. Eight are allowed.
  ///
  /// The losses of the first steps are an average over a batch, and include in the first step the errors that
  /// the update carries over from the gradients. With SGD at its default learning rate they stay below the
  /// same bound (f32: by a factor of ten), which grows in proportion to a higher rate. With Adam in f32 one
  /// case exceeded it, by 1.2 times, and eight times as much is allowed.
  Tolerance tolerance(const Parameters& parameters, const Evidence& truth) const override;

 protected:
  static double batch(const Parameters& parameters) {
    return static_cast<double>(parameters.integer("batch"));
  }
};

}  // namespace breakeven
