// Tests how the kernels of the CPU backends' libraries are chosen: by the library, by a race, by the cache,
// by the user.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "cli/driver.h"

namespace breakeven::cli_tests {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// A library, and two of its AVX2 kernels, at most one of which is its own choice.
struct Library {
  std::string backend;
  std::string kernels_pattern;  // matches them in its version
  std::string variable;
  std::vector<std::pair<std::string, std::string>> narrow;  // names, and values of the variable
};

void PrintTo(const Library& library, std::ostream* out) {
  *out << library.backend;
}

class KernelsTest : public DriverTest, public testing::WithParamInterface<Library> {
 protected:
  void SetUp() override {
    const std::string why = why_unavailable(GetParam().backend);
    if (!why.empty()) GTEST_SKIP() << why;
    unsetenv(GetParam().variable.c_str());  // who sets it has chosen, and nothing is raced
    by_itself_ = measure({{"BREAKEVEN_LIBRARY_DEFAULTS", "1"}});
    const Json& features = by_itself_.at("host").at("cpu_features");
    if (std::find(features.begin(), features.end(), "fma") == features.end())
      GTEST_SKIP() << "this processor has no FMA, and so no choice";
    own_ = kernels_of(by_itself_);
    if (own_.empty()) GTEST_SKIP() << "kernels of " << version_of(by_itself_) << " are not known here";
  }

  std::filesystem::path cache() const { return file("cache") / "breakeven" / "kernels.json"; }

  /// The result of one small case with these environment variables.
  Json measure(const std::vector<std::pair<std::string, std::string>>& variables = {},
               const std::vector<std::string>& options = {}, const Json& settings = Json::object()) const {
    const auto path = config(Json::array({{{"op", "matmul"}, {"m", 8}, {"n", 8}, {"k", 8}}}),
                             {GetParam().backend}, {{"max_seconds", 0.02}, {"own_speed", "ignored"}});
    Json changed = parse_file(path);
    changed["measure"].update(settings);
    std::vector<std::string> arguments{"run", write("config.json", changed.dump()), "--quiet", "--out",
                                       file("out.json")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    Launch started = launch(arguments);
    started.environment.emplace_back("XDG_CACHE_HOME", file("cache").string());
    started.environment.insert(started.environment.end(), variables.begin(), variables.end());
    const Outcome outcome = with_status(0, run(started));
    return outcome.status == 0 ? parse_file(file("out.json")) : Json();
  }

  static const Json& backend_of(const Json& result) { return result.at("backends").at(0); }
  static std::string version_of(const Json& result) {
    return backend_of(result).at("libraries").at(GetParam().backend);
  }
  static std::string kernels_of(const Json& result) {
    std::smatch found;
    const std::string version = version_of(result);
    return std::regex_search(version, found, std::regex(GetParam().kernels_pattern)) ? found[1].str() : "";
  }
  static std::string notes_of(const Json& result) {
    return backend_of(result).value("notes", Json::array()).dump();
  }

  /// An entry of the cache for this machine and library.
  Json entry(const std::string& kernels) const {
    const Json& host = by_itself_.at("host");
    std::string features;
    for (const std::string feature : host.at("cpu_features"))
      features += (features.empty() ? "" : " ") + feature;
    const std::string version = version_of(by_itself_);
    const std::string& backend = GetParam().backend;
    return {{"processor", host.value("cpu_identity", "")},
            {"features", features},
            {"library", backend},
            {"version", version.substr(0, version.find(", library defaults"))},
            {"file", backend_of(by_itself_).at("library_files").at(backend)},
            {"kernels", kernels}};
  }
  void plant(const Json& choices) const {
    write("cache/breakeven/kernels.json",
          Json{{"schema", "breakeven.kernels/1"}, {"choices", choices}}.dump());
  }
  /// Kernels that the library has but does not choose by itself, and the value of its variable for them.
  std::pair<std::string, std::string> others() const {
    const auto& narrow = GetParam().narrow;
    return narrow[0].first == own_ ? narrow[1] : narrow[0];
  }

  Json by_itself_;
  std::string own_;
};

/// Google Benchmark reads them. Listing alone would time nothing.
TEST_P(KernelsTest, VariablesOfGoogleBenchmarkChangeNothing) {
  const Json result = measure({{"BENCHMARK_LIST_TESTS", "true"}, {"BENCHMARK_REPETITIONS", "3"}});
  EXPECT_GT(result.at("cases").at(0).at("seconds").at("median"), 0);
}

TEST_P(KernelsTest, TheLibraryKeepsItsDefaultsWhereTheyAreWanted) {
  plant(Json::array({entry(others().first)}));
  for (const Json& result :
       {measure({}, {"--library-defaults"}), measure({}, {}, {{"library_defaults", true}})}) {
    EXPECT_EQ(kernels_of(result), own_);
    EXPECT_THAT(version_of(result), EndsWith(", library defaults"));
    EXPECT_THAT(result.at("cases").at(0).at("algorithm"), EndsWith(", library defaults"));
  }
}

TEST_P(KernelsTest, AKeptChoiceIsTakenAndShown) {
  plant(Json::array({entry(others().first)}));
  const std::string before = text_of(cache());
  const Json result = measure();
  EXPECT_EQ(kernels_of(result), others().first);
  const std::string note = "its kernels for " + own_ + " were replaced by those for " + others().first;
  EXPECT_THAT(notes_of(result), HasSubstr(note));
  EXPECT_THAT(result.at("warnings").dump(), HasSubstr(GetParam().backend + ": " + note));
  EXPECT_THAT(version_of(result), Not(HasSubstr("library defaults")));
  EXPECT_EQ(result.at("cases").at(0).at("status"), "ok");
  EXPECT_EQ(text_of(cache()), before) << "nothing was raced";
}

TEST_P(KernelsTest, RowsWithAndWithoutLibraryDefaultsAreOfDifferentLibraries) {
  plant(Json::array({entry(own_)}));
  write("base.json", measure({}, {"--library-defaults"}).dump());
  write("head.json", measure().dump());
  const Outcome compared =
      breakeven({"compare", file("base.json"), file("head.json"), "--out", "-", "--quiet"});
  EXPECT_THAT(compared.out, HasSubstr("different library"));
}

TEST_P(KernelsTest, WhatTheUserSetsWins) {
  plant(Json::array({entry(own_)}));
  const auto [kernels, value] = others();
  const Json result = measure({{GetParam().variable, value}});
  EXPECT_EQ(kernels_of(result), kernels);
  EXPECT_EQ(notes_of(result), "[]");
}

TEST_P(KernelsTest, TheChoiceOfARaceIsKept) {
  const Json first = measure();
  EXPECT_THAT(notes_of(first), Not(HasSubstr("raced again")));
  const std::string kept = text_of(cache());
  EXPECT_EQ(parse(kept).at("choices").at(0), entry(kernels_of(first)));
  const auto written = std::filesystem::last_write_time(cache());
  const Json second = measure();
  EXPECT_EQ(version_of(second), version_of(first));
  EXPECT_EQ(notes_of(second), notes_of(first));
  EXPECT_EQ(std::filesystem::last_write_time(cache()), written);
}

TEST_P(KernelsTest, ADamagedCacheIsWrittenAnew) {
  write("cache/breakeven/kernels.json", "{");
  const Json result = measure();
  EXPECT_THAT(notes_of(result), HasSubstr("raced again"));
  EXPECT_EQ(parse_file(cache()).at("choices").at(0), entry(kernels_of(result)));
  EXPECT_THAT(notes_of(measure()), Not(HasSubstr("raced again")));
}

/// One is of another machine, one names kernels that the library does not have.
TEST_P(KernelsTest, ChoicesThatAreNoneHereAreRacedAgainAndThoseOfOtherMachinesStay) {
  Json elsewhere = entry(others().first);
  elsewhere["processor"] = "another";
  plant(Json::array({elsewhere, entry("Kernels of tomorrow")}));
  const Json result = measure();
  EXPECT_THAT(parse_file(cache()).at("choices"), testing::ElementsAre(elsewhere, entry(kernels_of(result))));
}

TEST_P(KernelsTest, WithoutAFolderThatCanBeWrittenEachRunRacesOnceAndSaysSo) {
  const std::string in_a_file = write("file", "") / "cache";
  const Json result = measure({{"XDG_CACHE_HOME", in_a_file}}, {}, {{"launches", 3}});
  EXPECT_THAT(notes_of(result), HasSubstr("raced in every run, which takes two seconds, because"));
  EXPECT_EQ(result.at("cases").at(0).at("status"), "ok") << "all launches had the same kernels";
}

TEST_P(KernelsTest, KernelsThatDieOrHangInTheRaceAreOut) {
  const auto library = planted("planted-kernels");
  ASSERT_TRUE(exists(library)) << library;
  for (const char* fault : {"illegal instruction", "hang"}) {
    std::filesystem::remove_all(file("cache"));
    const Json result = measure({{"LD_PRELOAD", library.string()}, {"BREAKEVEN_PLANTED", fault}});
    EXPECT_EQ(kernels_of(result), own_) << fault;
    EXPECT_EQ(notes_of(result), "[]");
  }
}

auto libraries() {
  return testing::Values(
      Library{
          "openblas", "kernels for (\\w+)", "OPENBLAS_CORETYPE", {{"Haswell", "Haswell"}, {"Zen", "Zen"}}},
      // The numbers are those of BLIS 0.9.
      Library{"blis", "0\\.9\\S* (\\w+)", "BLIS_ARCH_TYPE", {{"haswell", "3"}, {"zen3", "6"}}});
}

std::string backend_name(const testing::TestParamInfo<Library>& tested) {
  return tested.param.backend;
}

INSTANTIATE_TEST_SUITE_P(Libraries, KernelsTest, libraries(), backend_name);

}  // namespace
}  // namespace breakeven::cli_tests
