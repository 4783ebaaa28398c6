#include "backends/onednn/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "backends/onednn/dnnl_api.h"

namespace breakeven::onednn {

using Type = dnnl::memory::data_type;

Desc plain(const Dims& dims, Type type) {
  using Tag = dnnl::memory::format_tag;
  constexpr std::array tags{Tag::a, Tag::ab, Tag::abc, Tag::abcd};
  return {dims, type, tags.at(dims.size() - 1)};
}

Type input_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return Type::f32;
    case Dtype::f16:
      return Type::f16;
    case Dtype::bf16:
      return Type::bf16;
    case Dtype::s8:
      return Type::s8;
    default:
      return Type::undef;
  }
}

Type output_type(Dtype dtype) {
  return dtype == Dtype::s8 ? Type::s32 : input_type(dtype);
}

dnnl::primitive_attr strict_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  return attributes;
}

bool has_vnni() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::sse41:
    case dnnl::cpu_isa::avx:
    case dnnl::cpu_isa::avx2:
    case dnnl::cpu_isa::avx512_core:
      return false;
    default:
      return true;
  }
}

std::string layout_name(const Desc& desc) {
  const Blocking layout = blocking(desc);
  if (!layout.plain_or_blocked) return "opaque";
  std::vector<std::size_t> order(layout.dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // A dimension of size one may have any stride: the outer one is put first.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return layout.strides[a] > layout.strides[b]; });
  std::string name;
  for (const std::size_t d : order) {
    const bool split = std::any_of(layout.blocks.begin(), layout.blocks.end(),
                                   [&](const auto& block) { return block.first == d; });
    name += static_cast<char>((split ? 'A' : 'a') + static_cast<int>(d));
  }
  for (const auto& [dimension, size] : layout.blocks)
    name += fmt::format("{}{}", size, static_cast<char>('a' + static_cast<int>(dimension)));
  return name;
}

void copy(Device& device, dnnl::memory from, dnnl::memory to) {
  dnnl::reorder(from, to).execute(device.stream, from, to);
  device.stream.wait();
}

}  // namespace breakeven::onednn
