#include "backends/onednn/implementation_names.h"

#include <gtest/gtest.h>

namespace breakeven::onednn {
namespace {

// Names from oneDNN 2.6.3 and 3.9.
TEST(OnednnImplementationNames, InstructionsTellWhatHalvesBytes) {
  for (const char* name : {"jit_uni_int8:sse41", "jit_uni_int8:avx2", "jit_uni_int8_1x1:avx2",
                           "jit_int8:avx512_core", "jit_int8_1x1:avx512_core"})
    EXPECT_TRUE(halves_bytes(name)) << name;
  for (const char* name : {"jit_uni_int8:avx2_vnni", "jit_int8:avx512_core_vnni", "brgconv:avx512_core_vnni",
                           "brgconv_1x1:avx512_core_bf16_amx_int8", "brg_conv_fwd:avx10_2",
                           "x64:gemm_s8s8s32:jit", "gemm_s8s8s32", ""})
    EXPECT_FALSE(halves_bytes(name)) << name;
}

TEST(OnednnImplementationNames, ReferencesSaySo) {
  EXPECT_TRUE(is_reference("ref_int8:any"));
  EXPECT_FALSE(is_reference("jit:avx2"));
}

}  // namespace
}  // namespace breakeven::onednn
