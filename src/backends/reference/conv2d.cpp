#include "workloads/conv2d.h"

#include <vector>

#include "backends/reference/elements.h"
#include "backends/reference/parallel.h"
#include "backends/reference/plain_loops.h"
#include "backends/reference/threads.h"

namespace breakeven {
namespace {

/// The source row that result row `y` reads with filter row `r`. It may be in the padding.
std::int64_t source_row(const Conv2d& p, std::int64_t y, std::int64_t r) {
  return y * p.stride_h - p.pad_h + r * p.dilation;
}
std::int64_t source_column(const Conv2d& p, std::int64_t x, std::int64_t s) {
  return x * p.stride_w - p.pad_w + s * p.dilation;
}

/// Calls visit(element of a source plane, element of a result plane) for every pair that filter element (r,
/// s) connects.
template <typename Visit>
void for_connected(const Conv2d& p, std::int64_t r, std::int64_t s, const Visit& visit) {
  for (std::int64_t y = 0; y < p.p(); ++y) {
    const std::int64_t row = source_row(p, y, r);
    if (row < 0 || row >= p.h) continue;
    for (std::int64_t x = 0; x < p.q(); ++x) {
      const std::int64_t column = source_column(p, x, s);
      if (column < 0 || column >= p.w) continue;
      visit(row * p.w + column, y * p.q() + x);
    }
  }
}

class ReferenceConv2d final : public PlainLoops {
 public:
  ReferenceConv2d(const Conv2d& problem, std::uint64_t seed)
      : PlainLoops(HostTensors::of(problem, seed)), p_(problem) {
    const std::int64_t first = p_.pass == Pass::backward_data ? p_.elements_result() : p_.elements_source();
    const std::int64_t second =
        p_.pass == Pass::backward_weights ? p_.elements_result() : p_.elements_weights();
    first_ = widened(p_.dtype, tensors_.first.data(), first);
    second_ = widened(p_.dtype, tensors_.second.data(), second);
  }

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
  std::int64_t group_c() const { return p_.c / p_.groups; }
  std::int64_t group_k() const { return p_.k / p_.groups; }

  void store(std::int64_t plane, const std::vector<double>& sums) {
    for (std::int64_t i = 0; i < std::ssize(sums); ++i)
      store_output(p_.dtype, tensors_.output.data(), plane * std::ssize(sums) + i,
                   sums[static_cast<std::size_t>(i)]);
  }

  /// Computes one plane of the result at a time: image, filter.
  void forward() {
    parallel_for(p_.n * p_.k, reference_threads(), [&](std::int64_t plane) {
      const std::int64_t image = plane / p_.k;
      const std::int64_t k = plane % p_.k;
      std::vector<double> sums(static_cast<std::size_t>(result_plane()), 0.0);
      for (std::int64_t c = 0; c < group_c(); ++c) {
        const double* source =
            first_.data() + (image * p_.c + k / group_k() * group_c() + c) * source_plane();
        for (std::int64_t r = 0; r < p_.r; ++r) {
          for (std::int64_t s = 0; s < p_.s; ++s) {
            const double weight =
                second_[static_cast<std::size_t>(((k * group_c() + c) * p_.r + r) * p_.s + s)];
            for_connected(p_, r, s, [&](std::int64_t from, std::int64_t to) {
              sums[static_cast<std::size_t>(to)] += weight * source[from];
            });
          }
        }
      }
      store(plane, sums);
    });
  }

  /// Computes one plane of the source's gradient at a time: image, channel.
  void backward_data() {
    parallel_for(p_.n * p_.c, reference_threads(), [&](std::int64_t plane) {
      const std::int64_t image = plane / p_.c;
      const std::int64_t c = plane % p_.c;
      const std::int64_t group = c / group_c();
      std::vector<double> sums(static_cast<std::size_t>(source_plane()), 0.0);
      for (std::int64_t k = group * group_k(); k < (group + 1) * group_k(); ++k) {
        const double* gradient = first_.data() + (image * p_.k + k) * result_plane();
        for (std::int64_t r = 0; r < p_.r; ++r) {
          for (std::int64_t s = 0; s < p_.s; ++s) {
            const double weight =
                second_[static_cast<std::size_t>(((k * group_c() + c % group_c()) * p_.r + r) * p_.s + s)];
            for_connected(p_, r, s, [&](std::int64_t to, std::int64_t from) {
              sums[static_cast<std::size_t>(to)] += weight * gradient[from];
            });
          }
        }
      }
      store(plane, sums);
    });
  }

  /// Computes one plane of the weights' gradient at a time: filter, channel of its group.
  void backward_weights() {
    parallel_for(p_.k * group_c(), reference_threads(), [&](std::int64_t plane) {
      const std::int64_t k = plane / group_c();
      const std::int64_t c = k / group_k() * group_c() + plane % group_c();
      std::vector<double> sums(static_cast<std::size_t>(p_.r * p_.s), 0.0);
      for (std::int64_t image = 0; image < p_.n; ++image) {
        const double* source = first_.data() + (image * p_.c + c) * source_plane();
        const double* gradient = second_.data() + (image * p_.k + k) * result_plane();
        for (std::int64_t r = 0; r < p_.r; ++r) {
          for (std::int64_t s = 0; s < p_.s; ++s) {
            for_connected(p_, r, s, [&](std::int64_t from, std::int64_t to) {
              sums[static_cast<std::size_t>(r * p_.s + s)] += source[from] * gradient[to];
            });
          }
        }
      }
      store(plane, sums);
    });
  }

  Conv2d p_;
  std::vector<double> first_, second_;
};

const OperationRegistration conv2d({.op = "conv2d",
                                    .dtypes = dtypes_of_convolutions,
                                    .prepare = [](const Case& c,
                                                  std::uint64_t seed) -> std::unique_ptr<Prepared> {
                                      return std::make_unique<ReferenceConv2d>(Conv2d(c.parameters), seed);
                                    }});

}  // namespace
}  // namespace breakeven
