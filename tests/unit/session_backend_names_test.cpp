#include <gmock/gmock.h>

#include <fstream>
#include <regex>
#include <set>

#include "session/backend_names.h"

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
  static const std::regex made("breakeven_backend\\(([a-z-]+)");
  for (const auto& folder : fs::directory_iterator(backends)) {
    std::ifstream in(folder.path() / "CMakeLists.txt");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    for (std::sregex_iterator found(text.begin(), text.end(), made), end; found != end; ++found)
      names.insert((*found)[1]);
    constexpr std::string_view prefix = "breakeven-backend-";
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      const std::string file = entry.path().stem().string();
      if (entry.path().extension() == ".in" && file.starts_with(prefix))
        names.insert(file.substr(prefix.size()));
    }
  }
  return names;
}

TEST(BackendNames, AreAllThatTheSourceBuilds) {
  std::set<std::string> own;
  for (const OwnBackend& backend : own_backends()) own.emplace(backend.name);
  EXPECT_EQ(own, names_in_the_source());
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
