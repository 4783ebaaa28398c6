#include "session/backend_names.h"

#include <gmock/gmock.h>

#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

/// The names of the programs that the source tree builds.
std::set<std::string> names_in_the_source() {
  const fs::path backends = fs::path(BREAKEVEN_SOURCE_DIR) / "src" / "backends";
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(backends / "cblas" / "libraries")) {
    if (entry.path().extension() == ".cmake") names.insert(entry.path().stem().string());
  }
  static const std::regex made("breakeven_(?:backend\\(|places\\(places )([a-z-]+)");
  static const std::regex in_python("breakeven_python_backend\\([a-z]+ [a-z]+ PROGRAMS ([a-z -]+)");
  for (const auto& folder : fs::directory_iterator(backends)) {
    const std::string text = read_file(folder.path() / "CMakeLists.txt");
    for (std::sregex_iterator found(text.begin(), text.end(), made), end; found != end; ++found)
      names.insert((*found)[1]);
    if (std::smatch programs; std::regex_search(text, programs, in_python)) {
      std::istringstream words(programs[1]);
      names.insert(std::istream_iterator<std::string>(words), {});
    }
  }
  return names;
}

TEST(BackendNames, AreAllThatTheSourceBuilds) {
  std::set<std::string> own;
  for (const OwnBackend& backend : own_backends()) own.emplace(backend.name);
  EXPECT_EQ(own, names_in_the_source());
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
  const auto libraries = brought_libraries();
  EXPECT_THAT(libraries_of_the_script(), testing::ElementsAreArray(libraries.begin(), libraries.end()));
  for (const std::string_view library : libraries) EXPECT_TRUE(is_own_backend(library)) << library;
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
