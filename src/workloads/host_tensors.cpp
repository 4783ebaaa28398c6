#include "workloads/host_tensors.h"

#include <algorithm>

namespace breakeven {
namespace {

/// The distance in bytes from one set to the next. Each set begins at a cache line.
std::int64_t stride(std::int64_t bytes, std::int64_t sets) {
  constexpr std::int64_t line = 64;
  return sets == 1 ? bytes : (bytes + line - 1) / line * line;
}

/// One of the two inputs, filled with the numbers of a stream.
struct Input {
  std::int64_t elements;
  std::uint64_t stream;

  Buffer<std::byte> sets(Dtype dtype, std::uint64_t seed, std::int64_t count) const {
    const std::int64_t bytes = elements * static_cast<std::int64_t>(facts(dtype).bytes());
    const std::int64_t step = stride(bytes, count);
    Buffer<std::byte> buffer(count * step);
    fill_inputs(dtype, buffer.data(), elements, RandomStream(seed, stream));
    for (std::int64_t set = 1; set < count; ++set)
      std::copy_n(buffer.data(), bytes, buffer.data() + set * step);
    return buffer;
  }
};

HostTensors tensors_of(Dtype dtype, OutputShape shape, std::uint64_t seed, std::int64_t sets,
                       const Input& first, const Input& second) {
  const std::int64_t output_size = shape.elements() * static_cast<std::int64_t>(output_bytes(dtype));
  HostTensors tensors{.dtype = dtype,
                      .shape = shape,
                      .seed = seed,
                      .sets = sets,
                      .first = first.sets(dtype, seed, sets),
                      .second = second.sets(dtype, seed, sets),
                      .output = Buffer<std::byte>(sets * stride(output_size, sets))};
  tensors.poison();
  return tensors;
}

}  // namespace

HostTensors HostTensors::of(const Matmul& p, std::uint64_t seed, std::int64_t sets) {
  return tensors_of(p.dtype, p.output(), seed, sets, {p.elements_a(), stream::first_operand},
                    {p.elements_b(), stream::second_operand});
}

HostTensors HostTensors::of(const Conv2d& p, std::uint64_t seed, std::int64_t sets) {
  const Input source{p.elements_source(), stream::first_operand};
  const Input weights{p.elements_weights(), stream::second_operand};
  const Input gradient{p.elements_result(), stream::output_gradient};
  return tensors_of(p.dtype, p.output(), seed, sets, p.pass == Pass::backward_data ? gradient : source,
                    p.pass == Pass::backward_weights ? gradient : weights);
}

void HostTensors::poison() {
  for (std::int64_t i = 0; i < sets; ++i)
    poison_output(dtype, output.data() + i * (output.size() / sets), shape.elements());
}

Evidence HostTensors::evidence(const std::vector<std::int64_t>& elements) const {
  return evidence_of(dtype, output.data() + (sets - 1) * (output.size() / sets), shape, seed, elements);
}

}  // namespace breakeven
