// Products of plain row-major matrices. A user with matrices in plain layouts pays for packing them, so
// packing is timed.
#include "workloads/matmul.h"

#include <fmt/format.h>

#include <optional>

#include "backends/onednn/device.h"
#include "backends/onednn/dnnl_api.h"
#include "backends/onednn/implementation_names.h"
#include "backends/onednn/tuning.h"
#include "worker/backend.h"
#include "worker/host_operation.h"
#include "worker/operand_sets.h"

namespace breakeven::onednn {
namespace {

/// A batch of matrices, rows x columns, stored as they are or transposed.
Desc matrices(std::int64_t batch, std::int64_t rows, std::int64_t columns, bool transposed,
              dnnl::memory::data_type type) {
  const Dims strides = transposed ? Dims{rows * columns, 1, rows} : Dims{rows * columns, columns, 1};
  if (batch == 1) return {{rows, columns}, type, Dims{strides[1], strides[2]}};
  return {{batch, rows, columns}, type, strides};
}

struct Operands {
  Desc a, b, c;
  explicit Operands(const Matmul& p)
      : a(matrices(p.batch, p.m, p.k, p.transpose_a, input_type(p.dtype))),
        b(matrices(p.batch, p.k, p.n, p.transpose_b, input_type(p.dtype))),
        c(matrices(p.batch, p.m, p.n, false, output_type(p.dtype))) {}
};

/// The operands and the result of the current set, as oneDNN memory.
class Turn {
 public:
  Turn(const Device& device, HostTensors& tensors, const Operands& operands)
      : tensors_(tensors),
        a_(operands.a, device.engine, tensors.first.data()),
        b_(operands.b, device.engine, tensors.second.data()),
        c_(operands.c, device.engine, tensors.output.data()) {}
  const dnnl::memory& a() const { return a_; }
  const dnnl::memory& b() const { return b_; }
  const dnnl::memory& c() const { return c_; }

  /// Advances to the next set. This is cheap, because plain layouts have no padding that the library would
  /// fill.
  void next() {
    if (tensors_.sets == 1) return;
    tensors_.next();
    a_.set_data_handle(tensors_.of_turn(tensors_.first));
    b_.set_data_handle(tensors_.of_turn(tensors_.second));
    c_.set_data_handle(tensors_.of_turn(tensors_.output));
  }

 private:
  HostTensors& tensors_;
  dnnl::memory a_, b_, c_;
};

/// A primitive that reads B either as it is, or reordered before each run to the layout that the primitive
/// prefers.
class Primitive final : public Way {
 public:
  Primitive(Device device, dnnl::matmul primitive, std::string name, HostTensors& tensors,
            const Operands& operands, const std::optional<Desc>& packed)
      : device_(std::move(device)),
        primitive_(std::move(primitive)),
        name_(std::move(name)),
        turn_(device_, tensors, operands),
        arguments_{{DNNL_ARG_SRC, turn_.a()}, {DNNL_ARG_WEIGHTS, turn_.b()}, {DNNL_ARG_DST, turn_.c()}} {
    if (!packed) return;
    packed_ = Tensor(device_, *packed);
    pack_ = dnnl::reorder(turn_.b(), packed_.memory());
    arguments_[DNNL_ARG_WEIGHTS] = packed_.memory();
  }
  void run() override {
    turn_.next();
    if (pack_) {
      dnnl::memory from = turn_.b();
      dnnl::memory to = packed_.memory();
      pack_.execute(device_.stream, from, to);
    }
    primitive_.execute(device_.stream, arguments_);
    device_.stream.wait();
  }
  std::string name() const override { return name_; }

 private:
  Device device_;
  dnnl::matmul primitive_;
  std::string name_;
  Turn turn_;
  Tensor packed_;
  dnnl::reorder pack_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

/// The library's BLAS-like function. It has no primitive's overhead, which matters for small sizes.
class Sgemm final : public Way {
 public:
  Sgemm(const Matmul& problem, HostTensors& tensors) : p_(problem), tensors_(tensors) {}
  void run() override {
    tensors_.next();
    for (std::int64_t b = 0; b < p_.batch; ++b) {
      const auto status = dnnl_sgemm(p_.transpose_a ? 'T' : 'N', p_.transpose_b ? 'T' : 'N', p_.m, p_.n, p_.k,
                                     1.0F, tensors_.first_as<float>() + b * p_.m * p_.k, p_.stride_a(),
                                     tensors_.second_as<float>() + b * p_.k * p_.n, p_.stride_b(), 0.0F,
                                     tensors_.output_as<float>() + b * p_.m * p_.n, p_.n);
      if (status != dnnl_success) throw dnnl::error(status, "dnnl_sgemm refused the product");
    }
  }
  std::string name() const override { return "dnnl_sgemm"; }

 private:
  Matmul p_;
  HostTensors& tensors_;
};

std::vector<Maker<Way>> ways(const Matmul& p, HostTensors& tensors) {
  const Device device;
  const Operands operands(p);
  std::vector<Maker<Way>> makers;
  const auto add_primitives = [&](const Desc& b, bool packs) {
    for_each_implementation<dnnl::matmul>(
        device.engine, strict_attributes(),
        [&](const dnnl::matmul::primitive_desc& found) {
          std::string name = fmt::format("matmul {}", found.impl_info_str());
          std::optional<Desc> packed;
          if (packs) packed = found.weights_desc();
          if (is_reference(name) || (packed && *packed == operands.b)) return;
          if (packed) name += fmt::format(", B packed as {} each time", layout_name(*packed));
          makers.emplace_back([=, &tensors, primitive = dnnl::matmul(found)] {
            return std::make_unique<Primitive>(device, primitive, name, tensors, operands, packed);
          });
        },
        {}, operands.a, b, operands.c);
  };
  add_primitives(operands.b, false);
  if (p.dtype == Dtype::f32)
    makers.emplace_back([=, &tensors] { return std::make_unique<Sgemm>(p, tensors); });
  add_primitives(Desc(dimensions(operands.b), input_type(p.dtype), dnnl::memory::format_tag::any), true);
  return makers;
}

class OnednnMatmul final : public HostOperation {
 public:
  OnednnMatmul(const Case& problem, std::uint64_t seed)
      : HostOperation(HostTensors::of(Matmul(problem.parameters), seed, operand_sets_on_host(problem))) {
    const auto makers = ways(Matmul(problem.parameters), tensors_);
    if (makers.empty())
      throw Unsupported("oneDNN has only its slow reference implementation of this product on this CPU");
    winner_ = choose(makers, is_tuned(problem.parameters));
  }

  void run() override { winner_.way->run(); }

  std::string algorithm() const override { return winner_.algorithm(); }

 private:
  Winner<Way> winner_;
};

/// The dtypes in which this CPU has a matrix product besides the reference implementation.
std::vector<Dtype> matmul_dtypes() {
  const Device device;
  std::vector<Dtype> fast;
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::s8}) {
    bool found_fast = false;
    const auto square = [](dnnl::memory::data_type type) { return matrices(1, 256, 256, false, type); };
    for_each_implementation<dnnl::matmul>(
        device.engine, strict_attributes(),
        [&](const dnnl::matmul::primitive_desc& found) {
          found_fast = found_fast || !is_reference(found.impl_info_str());
        },
        {}, square(input_type(dtype)), square(input_type(dtype)), square(output_type(dtype)));
    if (found_fast) fast.push_back(dtype);
  }
  return fast;
}

const OperationRegistration matmul({.op = "matmul",
                                    .dtypes = matmul_dtypes,
                                    .prepare = prepare_as<OnednnMatmul>});

}  // namespace
}  // namespace breakeven::onednn
