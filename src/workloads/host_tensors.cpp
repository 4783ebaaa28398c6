#include "workloads/host_tensors.h"

namespace breakeven {
namespace {

Buffer<std::byte> inputs(Dtype dtype, std::int64_t count, std::uint64_t seed, std::uint64_t stream) {
  Buffer<std::byte> buffer(count * static_cast<std::int64_t>(facts(dtype).bytes));
  fill_inputs(dtype, buffer.data(), count, RandomStream(seed, stream));
  return buffer;
}

HostTensors with_output(Dtype dtype, OutputShape shape, std::uint64_t seed, Buffer<std::byte> first,
                        Buffer<std::byte> second) {
  HostTensors tensors{
      .dtype = dtype,
      .shape = shape,
      .seed = seed,
      .first = std::move(first),
      .second = std::move(second),
      .output = Buffer<std::byte>(shape.elements() * static_cast<std::int64_t>(output_bytes(dtype)))};
  tensors.poison();
  return tensors;
}

}  // namespace

HostTensors HostTensors::of(const Matmul& p, std::uint64_t seed) {
  return with_output(p.dtype, {.outer = p.batch * p.m, .channels = p.n, .inner = 1}, seed,
                     inputs(p.dtype, p.elements_a(), seed, stream::first_operand),
                     inputs(p.dtype, p.elements_b(), seed, stream::second_operand));
}

HostTensors HostTensors::of(const Conv2d& p, std::uint64_t seed) {
  const auto source = [&] { return inputs(p.dtype, p.elements_source(), seed, stream::first_operand); };
  const auto weights = [&] { return inputs(p.dtype, p.elements_weights(), seed, stream::second_operand); };
  const auto gradient = [&] { return inputs(p.dtype, p.elements_result(), seed, stream::output_gradient); };
  switch (p.pass) {
    case Pass::forward:
      return with_output(p.dtype, {.outer = p.n, .channels = p.k, .inner = p.p() * p.q()}, seed, source(),
                         weights());
    case Pass::backward_data:
      return with_output(p.dtype, {.outer = p.n, .channels = p.c, .inner = p.h * p.w}, seed, gradient(),
                         weights());
    case Pass::backward_weights:
      break;
  }
  return with_output(p.dtype, {.outer = 1, .channels = p.k, .inner = p.c / p.groups * p.r * p.s}, seed,
                     source(), gradient());
}

Evidence HostTensors::evidence(const std::vector<std::int64_t>& elements) const {
  return evidence_of(dtype, output.data(), shape, seed, elements);
}

}  // namespace breakeven
