#include "backends/cuda/cudnn_library.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "unit/temporary_folder.h"

namespace breakeven::cuda {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string fake(int version) {
  return std::filesystem::path(FAKE_CUDNN_FOLDER) / std::to_string(version) / "libcudnn.so.9";
}

TEST(CudnnLibrary, ReadsBothFormsOfItsNumbers) {
  EXPECT_EQ(cudnn_version_text(90400), "9.4.0");
  EXPECT_EQ(cudnn_version_text(91002), "9.10.2");
  EXPECT_EQ(cudnn_version_text(8907), "8.9.7");
}

TEST(CudnnLibrary, ThatIsNotThereIsToldInTheLoadersWords) {
  EXPECT_EQ(open_cudnn("libcudnn-nosuch.so.9", 9),
            "no cuDNN 9 can be used: libcudnn-nosuch.so.9: cannot open shared object file: No such file or "
            "directory");
}

TEST(CudnnLibrary, ThatIsNoLibraryIsToldInTheLoadersWords) {
  const TemporaryFolder folder;
  const auto file = folder.write("libcudnn.so.9", "words, and not an ELF file's");
  EXPECT_THAT(open_cudnn(file, 9), StartsWith("no cuDNN 9 can be used: " + file.string()));
}

TEST(CudnnLibrary, OfAnotherKindLacksItsFunctions) {
  EXPECT_THAT(open_cudnn("libm.so.6", 9), HasSubstr("undefined symbol: cudnnGetVersion"));
}

TEST(CudnnLibrary, OfAnOlderVersionIsNamed) {
  EXPECT_EQ(open_cudnn(fake(8907), 9), "no cuDNN 9 can be used: " + fake(8907) + " is cuDNN 8.9.7");
}

TEST(CudnnLibrary, OfTheSameMajorVersionIsUsed) {
  EXPECT_EQ(open_cudnn(fake(90400), 9), "");
}

}  // namespace
}  // namespace breakeven::cuda
