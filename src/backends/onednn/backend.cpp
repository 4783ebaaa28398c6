#include "worker/backend.h"

#include <fmt/format.h>

#include <oneapi/dnnl/dnnl.hpp>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "host/cpu.h"
#include "worker/loaded_library.h"

namespace breakeven {
namespace {

std::string_view isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41:
      return "SSE4.1";
    case dnnl::cpu_isa::avx:
      return "AVX";
    case dnnl::cpu_isa::avx2:
      return "AVX2";
    case dnnl::cpu_isa::avx2_vnni:
      return "AVX2 with VNNI";
    case dnnl::cpu_isa::avx512_core:
      return "AVX-512";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "AVX-512 with VNNI";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "AVX-512 with BF16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "AVX-512 with AMX";
#if DNNL_VERSION_MAJOR >= 3
    case dnnl::cpu_isa::avx2_vnni_2:
      return "AVX2 with VNNI 2";
    case dnnl::cpu_isa::avx512_core_fp16:
      return "AVX-512 with FP16";
    case dnnl::cpu_isa::avx512_core_amx_fp16:
      return "AVX-512 with AMX FP16";
#endif
    default:
      return "another instruction set";  // newer libraries report values that are not listed
  }
}

std::string library_version() {
  const dnnl_version_t* v = dnnl::version();
  return fmt::format("{}.{}.{} ({})", v->major, v->minor, v->patch, isa_name(dnnl::get_effective_cpu_isa()));
}

}  // namespace

Backend make_backend() {
  const LoadedLibrary loaded = loaded_library("dnnl", "dnnl_primitive_execute", "dnnl_version");
  return {.name = BREAKEVEN_BACKEND_NAME,
          .role = "contender",
          .device = "cpu",
          .device_name = cpu_model(),
          .libraries = {{"onednn", library_version()}},
          .library_files = {{"onednn", loaded.file}},
          .use_threads =
              [](int threads) {
#ifdef _OPENMP
                omp_set_num_threads(threads);
#else
                (void)threads;
#endif
              },
          .warnings =
              loaded.warning.empty() ? std::vector<std::string>{} : std::vector<std::string>{loaded.warning}};
}

}  // namespace breakeven
