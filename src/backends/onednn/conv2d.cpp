// Convolutions in the library's own layouts. In a network, the data stay in these layouts from layer to layer
// and the weights from step to step, so reordering from and to plain layouts is not timed.
#include "workloads/conv2d.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "backends/onednn/device.h"
#include "backends/onednn/dnnl_api.h"
#include "backends/onednn/implementation_names.h"
#include "backends/onednn/tuning.h"
#include "worker/backend.h"
#include "worker/operand_sets.h"
#include "workloads/host_tensors.h"

namespace breakeven::onednn {
namespace {

using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

// Winograd is left out: its error grows with the tile, and exceeds the tolerance of a sum of products.
constexpr auto direct = dnnl::algorithm::convolution_direct;

/// The three tensors of one pass, in the order of HostTensors, by oneDNN's names for them.
struct Roles {
  int first, second, output;
};

Roles roles(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    case Pass::backward_data:
      return {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC};
    case Pass::backward_weights:
      break;
  }
  return {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS};
}

struct Layouts {
  Desc source, weights, result;

  const Desc& of(int argument) const {
    switch (argument) {
      case DNNL_ARG_SRC:
      case DNNL_ARG_DIFF_SRC:
        return source;
      case DNNL_ARG_WEIGHTS:
      case DNNL_ARG_DIFF_WEIGHTS:
        return weights;
      default:
        return result;
    }
  }
};

/// The shapes of a problem, with layout `data` for source and result and `weights` for the weights. The
/// tensor that a pass computes has the output type (which differs from the input type for s8 only).
Layouts layouts(const Conv2d& p, Tag data, Tag weights) {
  const Type input = input_type(p.dtype);
  const Dims filter =
      p.groups == 1 ? Dims{p.k, p.c, p.r, p.s} : Dims{p.groups, p.k / p.groups, p.c / p.groups, p.r, p.s};
  return {.source = Desc({p.n, p.c, p.h, p.w}, input, data),
          .weights = Desc(filter, input, weights),
          .result = Desc({p.n, p.k, p.p(), p.q()}, output_type(p.dtype), data)};
}

Layouts plain_layouts(const Conv2d& p) {
  return layouts(p, Tag::nchw, p.groups == 1 ? Tag::oihw : Tag::goihw);
}

/// An implementation of a pass: the primitive and its layouts.
struct Implementation {
  dnnl::primitive primitive;
  std::string name;
  Layouts layouts;
};

/// The library's exact implementations for these layouts, in its order of preference.
std::vector<Implementation> implementations(const Conv2d& p, const Device& device, const Layouts& wanted) {
  const Dims strides{p.stride_h, p.stride_w};
  const Dims dilation{p.dilation - 1, p.dilation - 1};  // oneDNN's dilation is the number of skipped elements
  // Only as much padding as the right and the bottom need: it must not include rows that no filter reaches.
  const Dims before{p.pad_h, p.pad_w};
  const Dims after{(p.p() - 1) * p.stride_h + p.dilation * (p.r - 1) + 1 - p.h - p.pad_h,
                   (p.q() - 1) * p.stride_w + p.dilation * (p.s - 1) + 1 - p.w - p.pad_w};
  const dnnl::primitive_attr attributes = strict_attributes();
  std::vector<Implementation> found;
  const auto keep = [&](auto primitive, const auto& descriptor, const Desc& source, const Desc& weights,
                        const Desc& result) {
    const std::string name = descriptor.impl_info_str();
    if (p.dtype == Dtype::s8 && halves_bytes(name)) return;
    found.push_back({primitive, name, {source, weights, result}});
  };

  if (p.pass == Pass::forward) {
    for_each_implementation<dnnl::convolution_forward>(
        device.engine, attributes,
        [&](const dnnl::convolution_forward::primitive_desc& d) {
          keep(dnnl::convolution_forward(d), d, d.src_desc(), d.weights_desc(), d.dst_desc());
        },
        {}, dnnl::prop_kind::forward_training, direct, wanted.source, wanted.weights, wanted.result, strides,
        dilation, before, after);
    return found;
  }
  // Integer types have no gradients.
  if (p.dtype == Dtype::s8) return found;
  const auto forward = first_implementation<dnnl::convolution_forward>(
      device.engine, attributes, {}, dnnl::prop_kind::forward_training, direct, wanted.source, wanted.weights,
      wanted.result, strides, dilation, before, after);
  if (p.pass == Pass::backward_data) {
    for_each_implementation<dnnl::convolution_backward_data>(
        device.engine, attributes,
        [&](const dnnl::convolution_backward_data::primitive_desc& d) {
          keep(dnnl::convolution_backward_data(d), d, d.diff_src_desc(), d.weights_desc(), d.diff_dst_desc());
        },
        std::tuple(forward), direct, wanted.source, wanted.weights, wanted.result, strides, dilation, before,
        after);
  } else {
    for_each_implementation<dnnl::convolution_backward_weights>(
        device.engine, attributes,
        [&](const dnnl::convolution_backward_weights::primitive_desc& d) {
          keep(dnnl::convolution_backward_weights(d), d, d.src_desc(), d.diff_weights_desc(),
               d.diff_dst_desc());
        },
        std::tuple(forward), direct, wanted.source, wanted.weights, wanted.result, strides, dilation, before,
        after);
  }
  return found;
}

/// One set of operands and result, as arguments of a primitive.
struct Tensors {
  Tensor first, second, output;
  std::unordered_map<int, dnnl::memory> arguments;
};

/// A way to compute one pass, with its three tensors in its own layouts. If operands rotate, it has several
/// sets of them, which it uses in turn.
class ConvolutionWay : public Way {
 public:
  ConvolutionWay(Device device, const Conv2d& p, const Layouts& wanted, HostTensors& host, std::int64_t sets)
      : device_(std::move(device)),
        roles_(roles(p.pass)),
        plain_(plain_layouts(p)),
        layouts_(wanted),
        host_(host) {
    sets_.reserve(static_cast<std::size_t>(sets));
    for (std::int64_t i = 0; i < sets; ++i) {
      Tensors& set = sets_.emplace_back(Tensors{.first = {device_, layouts_.of(roles_.first)},
                                                .second = {device_, layouts_.of(roles_.second)},
                                                .output = {device_, layouts_.of(roles_.output)},
                                                .arguments = {}});
      set.arguments = {{roles_.first, set.first.memory()},
                       {roles_.second, set.second.memory()},
                       {roles_.output, set.output.memory()}};
      copy(device_, host_memory(roles_.first, host_.first), set.first.memory());
      copy(device_, host_memory(roles_.second, host_.second), set.second.memory());
    }
  }

  /// Copies the result of the last set to the host's layout, NCHW or KCRS. host_to_output() copies poison
  /// from there to all sets.
  void output_to_host() {
    copy(device_, sets_.back().output.memory(), host_memory(roles_.output, host_.output));
  }
  void host_to_output() {
    for (Tensors& set : sets_) copy(device_, host_memory(roles_.output, host_.output), set.output.memory());
  }

 protected:
  Device& device() { return device_; }
  /// Returns the next set to compute.
  Tensors& take_turn() {
    turn_ = turn_ + 1 == sets_.size() ? 0 : turn_ + 1;
    return sets_[turn_];
  }
  std::string layout_names() const {
    return fmt::format("source {}, weights {}, result {}", layout_name(layouts_.source),
                       layout_name(layouts_.weights), layout_name(layouts_.result));
  }

 private:
  dnnl::memory host_memory(int role, Buffer<std::byte>& buffer) {
    return {plain_.of(role), device_.engine, buffer.data()};
  }

  Device device_;
  Roles roles_;
  Layouts plain_, layouts_;
  HostTensors& host_;
  std::vector<Tensors> sets_;
  std::size_t turn_ = 0;
};

/// Computes with the library's convolution.
class Convolution final : public ConvolutionWay {
 public:
  Convolution(const Device& of, const Conv2d& p, const Implementation& implementation, HostTensors& host,
              std::int64_t sets)
      : ConvolutionWay(of, p, implementation.layouts, host, sets),
        primitive_(implementation.primitive),
        name_(implementation.name) {}
  void run() override {
    primitive_.execute(device().stream, take_turn().arguments);
    device().stream.wait();
  }
  std::string name() const override { return fmt::format("{}, {}", name_, layout_names()); }

 private:
  dnnl::primitive primitive_;
  std::string name_;
};

/// True for a 1 x 1 filter with stride 1. With channels innermost, it is one product over all pixels.
bool is_product(const Conv2d& p) {
  return p.dtype == Dtype::f32 && p.is_pointwise() && p.groups == 1;
}

/// Computes such a convolution by dnnl_sgemm.
class Product final : public ConvolutionWay {
 public:
  Product(const Device& of, const Conv2d& p, HostTensors& host, std::int64_t sets)
      : ConvolutionWay(of, p, layouts(p, Tag::nhwc, Tag::oihw), host, sets), p_(p) {}
  void run() override {
    const std::int64_t pixels = p_.n * p_.h * p_.w;
    Tensors& set = take_turn();
    const float* a = set.first.as<float>();
    const float* b = set.second.as<float>();
    auto* to = set.output.as<float>();
    dnnl_status_t status = dnnl_success;
    switch (p_.pass) {
      case Pass::forward:  // pixels x c times (k x c)^T
        status = dnnl_sgemm('N', 'T', pixels, p_.k, p_.c, 1.0F, a, p_.c, b, p_.c, 0.0F, to, p_.k);
        break;
      case Pass::backward_data:  // pixels x k times k x c
        status = dnnl_sgemm('N', 'N', pixels, p_.c, p_.k, 1.0F, a, p_.k, b, p_.c, 0.0F, to, p_.c);
        break;
      case Pass::backward_weights:  // (pixels x k)^T times pixels x c
        status = dnnl_sgemm('T', 'N', p_.k, p_.c, pixels, 1.0F, b, p_.k, a, p_.c, 0.0F, to, p_.c);
        break;
    }
    if (status != dnnl_success) throw dnnl::error(status, "dnnl_sgemm refused the product");
  }
  std::string name() const override { return fmt::format("dnnl_sgemm, {}", layout_names()); }

 private:
  Conv2d p_;
};

/// All ways that may be fastest: the library's preferences when it is free to choose all layouts, when the
/// channels are innermost, and when nothing is reordered; each in all its implementations but the reference.
std::vector<Maker<ConvolutionWay>> ways(const Conv2d& p, HostTensors& host, std::int64_t sets) {
  const Device device;
  std::vector<Implementation> found;
  std::vector<Implementation> references;
  for (const Tag data : {Tag::any, Tag::nhwc, Tag::nchw}) {
    for (Implementation& implementation : implementations(p, device, layouts(p, data, Tag::any))) {
      const bool known = std::any_of(found.begin(), found.end(), [&](const Implementation& other) {
        return other.name == implementation.name && other.layouts.source == implementation.layouts.source &&
               other.layouts.weights == implementation.layouts.weights &&
               other.layouts.result == implementation.layouts.result;
      });
      if (known) continue;
      (is_reference(implementation.name) ? references : found).push_back(std::move(implementation));
    }
  }
  // For some shapes (f32 with unusual dilations) there is only the reference: users of the library get that,
  // too.
  if (found.empty() && p.dtype == Dtype::f32 && !references.empty()) found.push_back(references.front());

  std::vector<Maker<ConvolutionWay>> makers;
  makers.reserve(found.size() + 1);
  for (const Implementation& implementation : found) {
    makers.emplace_back(
        [=, &host] { return std::make_unique<Convolution>(device, p, implementation, host, sets); });
  }
  if (is_product(p))
    makers.emplace_back([=, &host] { return std::make_unique<Product>(device, p, host, sets); });
  return makers;
}

/// The host's, and those of the way; in a race also those of its challenger.
int copies_of(const Case& problem) {
  return is_tuned(problem.parameters) ? 3 : 2;
}

class OnednnConv2d final : public Prepared {
 public:
  OnednnConv2d(const Case& problem, std::uint64_t seed)
      : tensors_(HostTensors::of(Conv2d(problem.parameters), seed)),
        sets_(operand_sets_on_host(problem, copies_of(problem) - 1)) {
    const auto makers = ways(Conv2d(problem.parameters), tensors_, sets_);
    if (makers.empty())
      throw Unsupported("oneDNN has at most its slow reference implementation of this pass on this CPU");
    winner_ = choose(makers, is_tuned(problem.parameters));
  }

  void run() override { winner_.way->run(); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    tensors_.poison();
    winner_.way->host_to_output();
    for (std::int64_t set = 0; set < sets_; ++set) run();
    winner_.way->output_to_host();
    return tensors_.evidence(elements);
  }

  std::string algorithm() const override {
    return winner_.algorithm() + "; reorders not counted: in a network data stay in these layouts";
  }
  std::int64_t operand_sets() const override { return sets_; }

 private:
  HostTensors tensors_;  // one set, in the workload's layouts
  std::int64_t sets_;
  Winner<ConvolutionWay> winner_;
};

/// The dtypes in which this CPU has a forward convolution besides the reference implementation.
std::vector<Dtype> conv2d_dtypes() {
  const Device device;
  std::vector<Dtype> fast;
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::s8}) {
    if (dtype == Dtype::s8 && !has_vnni()) continue;  // has no exact 8-bit convolution
    Parameters typical;
    for (const char* size : {"c", "k"}) typical.set(size, std::int64_t{64});
    for (const char* size : {"h", "w"}) typical.set(size, std::int64_t{28});
    for (const char* size : {"r", "s"}) typical.set(size, std::int64_t{3});
    typical.set("n", std::int64_t{8});
    typical.set("pad", std::int64_t{1});
    typical.set("dtype", std::string(name(dtype)));
    const Conv2d p(make_case(*find_workload("conv2d"), typical).parameters);
    for (const Implementation& found : implementations(p, device, layouts(p, Tag::any, Tag::any))) {
      if (is_reference(found.name)) continue;
      fast.push_back(dtype);
      break;
    }
  }
  return fast;
}

const OperationRegistration conv2d(
    {.op = "conv2d", .dtypes = conv2d_dtypes, .prepare = prepare_as<OnednnConv2d>, .copies = copies_of});

}  // namespace
}  // namespace breakeven::onednn
