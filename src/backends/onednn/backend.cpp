#include "worker/backend.h"

#include <fmt/format.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <utility>

#include "host/cpu.h"
#include "worker/loaded_library.h"
#include "worker/threads.h"

namespace breakeven {
namespace {

std::string_view isa_name(dnnl::cpu_isa isa) {
  using Isa = dnnl::cpu_isa;
  static constexpr std::pair<Isa, std::string_view> names[] = {
    {Isa::sse41, "SSE4.1"},
    {Isa::avx, "AVX"},
    {Isa::avx2, "AVX2"},
    {Isa::avx2_vnni, "AVX2 with VNNI"},
    {Isa::avx512_core, "AVX-512"},
    {Isa::avx512_core_vnni, "AVX-512 with VNNI"},
    {Isa::avx512_core_bf16, "AVX-512 with BF16"},
    {Isa::avx512_core_amx, "AVX-512 with AMX"},
#if DNNL_VERSION_MAJOR >= 3
    {Isa::avx2_vnni_2, "AVX2 with VNNI 2"},
    {Isa::avx512_core_fp16, "AVX-512 with FP16"},
    {Isa::avx512_core_amx_fp16, "AVX-512 with AMX FP16"},
#endif
  };
  for (const auto& [known, name] : names) {
    if (known == isa) return name;
  }
  return "another instruction set";  // newer libraries report values that are not listed
}

std::string library_version() {
  const dnnl_version_t* v = dnnl::version();
  return fmt::format("{}.{}.{} ({})", v->major, v->minor, v->patch, isa_name(dnnl::get_effective_cpu_isa()));
}

}  // namespace

Backend make_backend() {
  const LoadedLibrary loaded = loaded_library("dnnl", "dnnl_primitive_execute", "dnnl_version");
  std::vector<std::string> warnings{loaded.warning};
  std::erase(warnings, "");
  return {.hello = {.name = BREAKEVEN_BACKEND_NAME,
                    .device_name = cpu_model(),
                    .libraries = {{"onednn", library_version()}},
                    .library_files = {{"onednn", loaded.file}},
                    .warnings = warnings},
          .use_threads = set_threads};
}

}  // namespace breakeven
