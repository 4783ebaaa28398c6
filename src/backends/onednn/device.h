// The CPU as oneDNN sees it, and memory for its tensors.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>

#include "workloads/buffer.h"
#include "workloads/dtype.h"

namespace breakeven::onednn {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
constexpr auto f32 = dnnl::memory::data_type::f32;

/// One to four dimensions, row-major.
Desc plain(const Dims& dims, dnnl::memory::data_type type = f32);

/// Where primitives run. Cheap to make: a case has its own. What is made with one copy runs with all its
/// copies, and with no other.
struct Device {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};

/// Inputs, and results, of products and convolutions in `dtype`.
dnnl::memory::data_type input_type(Dtype dtype);
dnnl::memory::data_type output_type(Dtype dtype);

/// Multiplies in the type it is given: f32 must never become bf16, whatever the environment says.
dnnl::primitive_attr strict_attributes();

/// Whether this CPU has VNNI, which 8-bit convolutions need to be exact by (see implementation_names.h).
bool has_vnni();

/// As in oneDNN's format tags: `aBcd8b`. Letters are the dimensions, outermost first, capital where split in
/// blocks.
std::string layout_name(const Desc& desc);

/// A tensor in a layout of the library's choosing.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Device& device, const Desc& desc)
      : data_(static_cast<std::int64_t>(desc.get_size())), memory_(desc, device.engine, data_.data()) {}
  const dnnl::memory& memory() const { return memory_; }
  Desc desc() const { return memory_.get_desc(); }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_.data());
  }
  std::int64_t bytes() const { return data_.size(); }

 private:
  Buffer<std::byte> data_;
  dnnl::memory memory_;
};

/// Copies, changing the layout.
void copy(Device& device, dnnl::memory from, dnnl::memory to);

}  // namespace breakeven::onednn
