#include "cli/version_text.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <zlib.h>

#include <CLI/Version.hpp>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "commit.h"
#include "version.h"

namespace breakeven {

std::string source_commit() {
  return commit;
}

std::string version_text() {
  const std::string built_from = source_commit();
  return fmt::format(
      "breakeven {}\n"
      "commit: {}\n"
      "build: {}, {}\n"
      "libraries: fmt {}.{}.{}, nlohmann_json {}.{}.{}, CLI11 {}, SQLite {}, Boost {}.{}.{}, zlib {}",
      version, built_from.empty() ? "unknown: no git checkout" : built_from, build_type, compiler,
      FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100, NLOHMANN_JSON_VERSION_MAJOR,
      NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH, CLI11_VERSION, sqlite3_libversion(),
      BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100, zlibVersion());
}

}  // namespace breakeven
