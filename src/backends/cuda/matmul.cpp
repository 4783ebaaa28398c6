// Matrix products of any size, with cuBLASLt.
#include "workloads/matmul.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/products.h"
#include "backends/cuda/work.h"
#include "worker/backend.h"
#include "workloads/host_tensors.h"
#include "workloads/layout.h"

namespace breakeven::cuda {
namespace {

/// True for dtypes whose tensor-core instructions need k as the fastest axis of both operands (before
/// Blackwell).
bool wants_k_fastest(Dtype dtype) {
  return dtype == Dtype::f8e4m3 || dtype == Dtype::s8;
}

class Matrices final : public TensorWork {
 public:
  Matrices(const Case& problem, std::uint64_t seed)
      : TensorWork(problem, host_tensors<Matmul>(problem, seed, wants_k_fastest(problem.dtype()) ? 2 : 1)),
        p_(problem.parameters) {
    make_operands();
    product_.emplace(ProductProblem{.m = p_.m,
                                    .n = p_.n,
                                    .k = p_.k,
                                    .batch = p_.batch,
                                    .transpose_a = p_.transpose_a,
                                    .transpose_b = p_.transpose_b,
                                    .fast_accumulation = p_.fast_accumulation,
                                    .types = product_types(p_.dtype)},
                     ProductOperands{.a = a_.data(),
                                     .b = b_.data(),
                                     .c = c_.data(),
                                     .scales = scale_.data(),
                                     .workspace = workspace_.data(),
                                     .turns = {.sets = sets_,
                                               .first_step = a_.step(),
                                               .second_step = b_.step(),
                                               .output_step = c_.step()}},
                     stopwatch(), p_.tuned ? candidates(p_.dtype) : 1);
    // Copies take longer than launches.
    if (p_.tuned && !moves()) product_->choose_by_host_clock(stopwatch());
  }

  void run() override { product_->enqueue(stream()); }

  std::string algorithm() const override { return product_->algorithm() + held_ + how_moved(); }

 private:
  /// Makes the operands. If the instructions need k as the fastest axis, operands are stored so: this is a
  /// layout, not a copy during a call.
  void make_operands() {
    a_ = operand(tensors_.first, "A", p_.m, p_.transpose_a, false);
    b_ = operand(tensors_.second, "B", p_.n, p_.transpose_b, true);
    tensors_.first = {};
    tensors_.second = {};
    c_ = Moved(tensors_.output.size(), moves(), sets_);
    name_arrays({&a_, &b_}, c_);
    workspace_ = Memory(product_workspace_bytes);
    if (p_.dtype == Dtype::f8e4m3) {
      constexpr float one = 1;
      scale_ = Memory::of(&one, sizeof one);
    }
  }

  /// `k_is_fastest` is the value of `transpose` with which k is the fastest axis.
  Moved operand(const Buffer<std::byte>& matrices, const char* name, std::int64_t width, bool& transpose,
                bool k_is_fastest) {
    if (!wants_k_fastest(p_.dtype) || transpose == k_is_fastest) return {matrices, moves(), sets_};
    Buffer<std::byte> turned(matrices.size());
    transpose_matrices(matrices.data(), p_.batch, p_.k, width, facts(p_.dtype).bytes(), turned.data());
    transpose = k_is_fastest;
    held_ += fmt::format(", {} held transposed", name);
    return {turned, moves(), sets_};
  }

  /// The most candidates to try. For s8, cuBLASLt names kernels for Ampere before those for Hopper.
  static int candidates(Dtype dtype) { return dtype == Dtype::s8 ? 96 : 32; }

  Matmul p_;
  Moved a_, b_, c_;
  Memory workspace_, scale_;
  std::string held_;  // operands that are stored transposed, for algorithm()
  std::optional<Product> product_;
};

const OperationRegistration matmul_registered(
    {.op = "matmul", .dtypes = product_dtypes, .prepare = prepare_as<Matrices>, .why_not = why_not_here});

}  // namespace
}  // namespace breakeven::cuda
