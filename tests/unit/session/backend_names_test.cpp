#include "session/backend_names.h"

#include <gmock/gmock.h>

#include <iterator>
#include <regex>
#include <sstream>

#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

/// CMake collects them from the backends' folders, also of those that are not built here.
TEST(BackendNames, AreThoseOfAllFoldersOnce) {
  std::vector<std::string_view> names;
  for (const OwnBackend& backend : own_backends()) {
    names.push_back(backend.name);
    EXPECT_THAT(backend.remedy, testing::HasSubstr("build")) << backend.name;
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("blis", "cuda", "jax", "jax-cuda", "mkl", "native",
                                                   "onednn", "openblas", "pytorch", "pytorch-compiled",
                                                   "pytorch-cuda", "pytorch-cuda-compiled", "reference",
                                                   "tensorflow", "tensorflow-cuda"));
}

/// The words of `known="..."` in scripts/setup-libraries.
std::vector<std::string> libraries_of_the_script() {
  const std::string text = read_file(fs::path(BREAKEVEN_SOURCE_DIR) / "scripts" / "setup-libraries");
  static const std::regex line("known=\"([^\"]+)\"");
  std::smatch found;
  EXPECT_TRUE(std::regex_search(text, found, line));
  std::istringstream words(found[1]);
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(BackendNames, KnowTheVersionsThatTheScriptBrings) {
  std::vector<std::string> libraries;
  for (const OwnBackend& backend : own_backends()) {
    if (backend.has_versions) libraries.emplace_back(backend.name);
  }
  EXPECT_THAT(libraries, testing::UnorderedElementsAreArray(libraries_of_the_script()));
  EXPECT_TRUE(is_own_backend("openblas-0.3.30"));
  EXPECT_FALSE(is_own_backend("openblas-old"));
  EXPECT_FALSE(is_own_backend("blis-0.9"));
  EXPECT_THAT(why_no_program("onednn-3.2.0", {}), testing::HasSubstr("scripts/setup-libraries brings"));
}

TEST(BackendNames, SuggestTheNearest) {
  const std::vector<BackendProgram> programs{{.name = "mine", .path = "breakeven-backend-mine"}};
  EXPECT_TRUE(is_unknown_backend("openbals", programs));
  EXPECT_FALSE(is_unknown_backend("openblas", programs));
  EXPECT_FALSE(is_unknown_backend("mine", programs));
  EXPECT_EQ(no_such_backend("min", programs), "there is no such backend; did you mean 'mine'?");
  EXPECT_EQ(no_such_backend("OpenBlas", programs), "there is no such backend; did you mean 'openblas'?");
  EXPECT_EQ(why_no_program("openbals", programs),
            "there is no program breakeven-backend-openbals; did you mean 'openblas'?");
  EXPECT_EQ(why_no_program("blis", programs),
            "was not built here; install BLIS (Debian: libblis-dev) and build again");
}

}  // namespace
}  // namespace breakeven
