// Hides the differences between the C++ interfaces of oneDNN 2 and oneDNN 3.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace breakeven::onednn {

/// Calls `visit(primitive_desc)` for every implementation of one operation on this CPU, in the library's
/// order of preference; never if there is none. `visit` must keep only a primitive or a layout, because the
/// descriptor changes when the library advances to the next implementation. `arguments` are those of the
/// operation in oneDNN 3, without engine, forward hint and attributes; `hints` is empty or the forward
/// descriptor.
template <typename Primitive, typename Visit, typename... Hints, typename... Arguments>
void for_each_implementation(const dnnl::engine& engine, const dnnl::primitive_attr& attributes, Visit visit,
                             const std::tuple<Hints...>& hints, const Arguments&... arguments) {
  using Descriptor = typename Primitive::primitive_desc;
  constexpr bool allow_empty = true;
#if DNNL_VERSION_MAJOR >= 3
  Descriptor descriptor = std::apply(
      [&](const auto&... hint) { return Descriptor(engine, arguments..., hint..., attributes, allow_empty); },
      hints);
#else
  // The iterator behind next_impl() keeps reading the operation's description.
  const typename Primitive::desc operation(arguments...);
  Descriptor descriptor = std::apply(
      [&](const auto&... hint) { return Descriptor(operation, attributes, engine, hint..., allow_empty); },
      hints);
#endif
  if (!descriptor) return;
  do {
    visit(std::as_const(descriptor));
  } while (descriptor.next_impl());
}

/// The library's first choice. Throws dnnl::error if there is none.
template <typename Primitive, typename... Hints, typename... Arguments>
typename Primitive::primitive_desc first_implementation(const dnnl::engine& engine,
                                                        const dnnl::primitive_attr& attributes,
                                                        const std::tuple<Hints...>& hints,
                                                        const Arguments&... arguments) {
  using Descriptor = typename Primitive::primitive_desc;
#if DNNL_VERSION_MAJOR >= 3
  return std::apply(
      [&](const auto&... hint) { return Descriptor(engine, arguments..., hint..., attributes); }, hints);
#else
  const typename Primitive::desc operation(arguments...);
  return std::apply([&](const auto&... hint) { return Descriptor(operation, attributes, engine, hint...); },
                    hints);
#endif
}

inline dnnl::memory::dims dimensions(const dnnl::memory::desc& desc) {
#if DNNL_VERSION_MAJOR >= 3
  return desc.get_dims();
#else
  return desc.dims();
#endif
}

inline dnnl::memory::data_type data_type(const dnnl::memory::desc& desc) {
#if DNNL_VERSION_MAJOR >= 3
  return desc.get_data_type();
#else
  return desc.data_type();
#endif
}

/// The layout of a tensor: strides of its (outer) dimensions, and the inner blocks.
struct Blocking {
  bool plain_or_blocked = false;  // false: the library's own opaque layout
  std::vector<dnnl::memory::dim> dims, strides;
  std::vector<std::pair<std::size_t, dnnl::memory::dim>> blocks;  // dimension, size; outermost first
};

inline Blocking blocking(const dnnl::memory::desc& desc) {
  Blocking result;
  result.dims = dimensions(desc);
#if DNNL_VERSION_MAJOR >= 3
  result.plain_or_blocked = desc.get_format_kind() == dnnl::memory::format_kind::blocked;
  if (!result.plain_or_blocked) return result;
  result.strides = desc.get_strides();
  const auto sizes = desc.get_inner_blks();
  const auto dimensions = desc.get_inner_idxs();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    result.blocks.emplace_back(static_cast<std::size_t>(dimensions[i]), sizes[i]);
#else
  result.plain_or_blocked = desc.data.format_kind == dnnl_blocked;
  if (!result.plain_or_blocked) return result;
  const auto& block = desc.data.format_desc.blocking;
  result.strides.assign(block.strides, block.strides + desc.data.ndims);
  for (int i = 0; i < block.inner_nblks; ++i)
    result.blocks.emplace_back(static_cast<std::size_t>(block.inner_idxs[i]), block.inner_blks[i]);
#endif
  return result;
}

/// Appends `activation(x)` to a primitive's operations.
inline void append_activation(dnnl::post_ops& operations, dnnl::algorithm activation) {
#if DNNL_VERSION_MAJOR >= 3
  operations.append_eltwise(activation, 0.0F, 0.0F);
#else
  operations.append_eltwise(1.0F, activation, 0.0F, 0.0F);
#endif
}

/// Describes activation(x) of every element, and its gradient, given x.
inline dnnl::eltwise_forward::primitive_desc activation_forward(const dnnl::engine& engine,
                                                                dnnl::algorithm activation,
                                                                const dnnl::memory::desc& layout) {
  constexpr auto training = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, training, activation, layout, layout, 0.0F, 0.0F};
#else
  return {{training, activation, layout, 0.0F, 0.0F}, engine};
#endif
}
inline dnnl::eltwise_backward::primitive_desc activation_backward(const dnnl::engine& engine,
                                                                  dnnl::algorithm activation,
                                                                  const dnnl::memory::desc& layout) {
  const auto forward = activation_forward(engine, activation, layout);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, activation, layout, layout, layout, 0.0F, 0.0F, forward};
#else
  return {{activation, layout, layout, 0.0F, 0.0F}, engine, forward};
#endif
}

}  // namespace breakeven::onednn
