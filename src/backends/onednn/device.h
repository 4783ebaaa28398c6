// The CPU as an engine of oneDNN, and memory for its tensors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>

#include "workloads/buffer.h"
#include "workloads/dtype.h"

namespace breakeven::onednn {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
constexpr auto f32 = dnnl::memory::data_type::f32;

/// A row-major layout of one to four dimensions.
Desc plain(const Dims& dims, dnnl::memory::data_type type = f32);

/// The engine and stream on which primitives run. A case makes its own, which is cheap. Primitives and memory
/// made with one copy work with all its copies, and with no other device.
struct Device {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};

/// The types of inputs, and of results, of products and convolutions in `dtype`.
dnnl::memory::data_type input_type(Dtype dtype);
dnnl::memory::data_type output_type(Dtype dtype);

/// Attributes with which primitives multiply in the given type: f32 must never become bf16, whatever the
/// environment variables are.
dnnl::primitive_attr strict_attributes();

/// True if this CPU has VNNI, without which 8-bit convolutions are not exact (see implementation_names.h).
bool has_vnni();

/// The name of a layout, as oneDNN's format tags: `aBcd8b`. Letters are the dimensions, outermost first; a
/// capital letter marks a dimension that is split into blocks.
std::string layout_name(const Desc& desc);

/// A tensor in a layout that the library chose.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Device& device, const Desc& desc)
      : data_(static_cast<std::int64_t>(desc.get_size())),
        bytes_(data_.size()),
        place_(data_.data()),
        memory_(desc, device.engine, place_) {}
  const dnnl::memory& memory() const { return memory_; }
  Desc desc() const { return memory_.get_desc(); }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(place_);
  }
  std::int64_t bytes() const { return bytes_; }
  void fill_zero() { std::fill_n(place_, bytes_, std::byte{0}); }
  /// Moves it, without its values, to memory of the caller. Primitives that use memory() do so there.
  void move_to(std::byte* place) {
    memory_.set_data_handle(place);
    place_ = place;
    data_ = Buffer<std::byte>();
  }

 private:
  Buffer<std::byte> data_;
  std::int64_t bytes_ = 0;
  std::byte* place_ = nullptr;
  dnnl::memory memory_;
};

/// Copies from one memory to the other, and changes the layout.
void copy(Device& device, dnnl::memory from, dnnl::memory to);

}  // namespace breakeven::onednn
