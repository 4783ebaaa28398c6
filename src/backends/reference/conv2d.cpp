#include "workloads/conv2d.h"

#include <vector>

#include "backends/reference/plain_loops.h"
#include "worker/threads.h"
#include "workloads/parallel.h"

namespace breakeven {
namespace {

class ReferenceConv2d final : public PlainLoops {
 public:
  ReferenceConv2d(const Case& problem, std::uint64_t seed)
      : PlainLoops(HostTensors::of(Conv2d(problem.parameters), seed)),
        p_(problem.parameters),
        first_(widened(tensors_.first)),
        second_(widened(tensors_.second)) {}

  void run() override {
    switch (p_.pass) {
      case Pass::forward:
        return forward();
      case Pass::backward_data:
        return backward_data();
      case Pass::backward_weights:
        return backward_weights();
    }
  }

 private:
  std::int64_t source_plane() const { return p_.h * p_.w; }
  std::int64_t result_plane() const { return p_.p() * p_.q(); }
  const double* filter_plane(std::int64_t k, std::int64_t group_channel) const {
    return second_.data() + (k * p_.group_c() + group_channel) * p_.r * p_.s;
  }

  /// Computes one plane of the result at a time: image, filter.
  void forward() {
    parallel_for(p_.n * p_.k, threads(), [&](std::int64_t plane) {
      const std::int64_t image = plane / p_.k;
      const std::int64_t k = plane % p_.k;
      std::vector<double> sums(static_cast<std::size_t>(result_plane()), 0.0);
      for (std::int64_t c = 0; c < p_.group_c(); ++c) {
        const double* source =
            first_.data() + (image * p_.c + k / p_.group_k() * p_.group_c() + c) * source_plane();
        const double* weights = filter_plane(k, c);
        for_read_runs(p_, [&](std::int64_t tap, std::int64_t from, std::int64_t to, std::int64_t count) {
          for (std::int64_t x = 0; x < count; ++x)
            sums[static_cast<std::size_t>(to + x)] += weights[tap] * source[from + x * p_.stride_w];
        });
      }
      store(plane * std::ssize(sums), sums);
    });
  }

  /// Computes one plane of the source's gradient at a time: image, channel.
  void backward_data() {
    parallel_for(p_.n * p_.c, threads(), [&](std::int64_t plane) {
      const std::int64_t image = plane / p_.c;
      const std::int64_t c = plane % p_.c;
      const std::int64_t group = c / p_.group_c();
      std::vector<double> sums(static_cast<std::size_t>(source_plane()), 0.0);
      for (std::int64_t k = group * p_.group_k(); k < (group + 1) * p_.group_k(); ++k) {
        const double* gradient = first_.data() + (image * p_.k + k) * result_plane();
        const double* weights = filter_plane(k, c % p_.group_c());
        for_read_runs(p_, [&](std::int64_t tap, std::int64_t to, std::int64_t from, std::int64_t count) {
          for (std::int64_t x = 0; x < count; ++x)
            sums[static_cast<std::size_t>(to + x * p_.stride_w)] += weights[tap] * gradient[from + x];
        });
      }
      store(plane * std::ssize(sums), sums);
    });
  }

  /// Computes one plane of the weights' gradient at a time: filter, channel of its group.
  void backward_weights() {
    parallel_for(p_.k * p_.group_c(), threads(), [&](std::int64_t plane) {
      const std::int64_t k = plane / p_.group_c();
      const std::int64_t c = k / p_.group_k() * p_.group_c() + plane % p_.group_c();
      std::vector<double> sums(static_cast<std::size_t>(p_.r * p_.s), 0.0);
      for (std::int64_t image = 0; image < p_.n; ++image) {
        const double* source = first_.data() + (image * p_.c + c) * source_plane();
        const double* gradient = second_.data() + (image * p_.k + k) * result_plane();
        for_read_runs(p_, [&](std::int64_t tap, std::int64_t from, std::int64_t to, std::int64_t count) {
          for (std::int64_t x = 0; x < count; ++x)
            sums[static_cast<std::size_t>(tap)] += source[from + x * p_.stride_w] * gradient[to + x];
        });
      }
      store(plane * std::ssize(sums), sums);
    });
  }

  Conv2d p_;
  std::vector<double> first_, second_;
};

const OperationRegistration conv2d({.op = "conv2d",
                                    .dtypes = dtypes_of_convolutions,
                                    .prepare = prepare_as<ReferenceConv2d>});

}  // namespace
}  // namespace breakeven
