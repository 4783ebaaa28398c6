// Faults planted into oneDNN: every primitive that a backend executes passes through here to the real
// library.
#include <array>
#include <cstddef>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

#include "fault.h"

namespace breakeven::planted {
namespace {

constexpr std::array<std::string_view, 2> faults{"skip",    // nothing is computed
                                                 "zeros"};  // zeros instead of the first input

std::string_view fault() {
  static const std::string_view name = fault_of(faults);
  return name;
}

void clear(dnnl_memory_t data) {
  const dnnl::memory memory(data, true);  // owned by the caller
  std::memset(memory.get_data_handle(), 0, memory.get_desc().get_size());
}

}  // namespace
}  // namespace breakeven::planted

extern "C" dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
                                                int count, const dnnl_exec_arg_t* arguments) {
  using namespace breakeven::planted;
  static auto* const call = real<decltype(dnnl_primitive_execute)>("dnnl_primitive_execute");
  if (fault() == "skip") return dnnl_success;
  if (fault() == "zeros") {
    for (int i = 0; i < count; ++i) {
      if (arguments[i].arg == DNNL_ARG_SRC) clear(arguments[i].memory);
    }
  }
  return call(primitive, stream, count, arguments);
}
