// Tests the cache of reference results: what is found again, what is not believed, and what is removed.
#include "backends/reference/reference_cache.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "backends/reference/expected_networks.h"
#include "host/cache_folder.h"
#include "unit/network_fixtures.h"
#include "unit/temporary_folder.h"
#include "unit/variable_for_now.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

constexpr const char* program = "0123456789abcdef";
constexpr const char* other_program = "fedcba9876543210";

request::Expect product(std::int64_t m, std::uint64_t seed = 1,
                        const std::vector<std::int64_t>& elements = {0, 1}, const Given& more = {}) {
  Given given{{"m", m}, {"n", std::int64_t{8}}, {"k", std::int64_t{8}}, {"dtype", std::string("f32")}};
  for (const auto& one : more) {
    std::erase_if(given, [&](const auto& earlier) { return earlier.first == one.first; });
    given.push_back(one);
  }
  return {.problem = case_of("matmul", given), .seed = seed, .elements = elements};
}

Evidence evidence(double value) {
  return {.elements = {value, -0.0},
          .projections = {1.0 / 3, 5e-324},
          .losses = {value * 1e300},
          .alternatives = {{.elements = {0.1, value}, .projections = {-1}, .losses = {}}}};
}

void expect_same(const Evidence& a, const Evidence& b) {
  EXPECT_EQ(a.elements, b.elements);
  EXPECT_EQ(a.projections, b.projections);
  EXPECT_EQ(a.losses, b.losses);
  ASSERT_EQ(a.alternatives.size(), b.alternatives.size());
  for (std::size_t i = 0; i < a.alternatives.size(); ++i) expect_same(a.alternatives[i], b.alternatives[i]);
}

class ReferenceCacheTest : public testing::Test {
 protected:
  ReferenceCache cache(const char* of = program, std::uintmax_t most = ReferenceCache::usual_bytes) const {
    return {folder(), of, most};
  }
  fs::path folder() const { return temporary_.path() / "cache" / "reference"; }

  /// True if a new process would compute the result. If so, it computes `value` and keeps it.
  bool computes(const request::Expect& request, double value = 1, const char* of = program) const {
    bool computed = false;
    ReferenceCache opened = cache(of);
    expect_same(opened.result(request,
                              [&] {
                                computed = true;
                                return evidence(value);
                              }),
                evidence(value));
    return computed;
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder()), fs::directory_iterator()));
  }
  std::uintmax_t bytes() const {
    std::uintmax_t sum = 0;
    for (const auto& entry : fs::directory_iterator(folder())) sum += entry.file_size();
    return sum;
  }

  TemporaryFolder temporary_;
};

TEST_F(ReferenceCacheTest, FindsAResultAgain) {
  EXPECT_TRUE(computes(product(8), 0.1));
  EXPECT_FALSE(computes(product(8), 0.1));
  EXPECT_EQ(files(), 1U);
}

TEST_F(ReferenceCacheTest, KeepsEveryResultByItself) {
  const std::vector<request::Expect> different{
      product(8),
      product(9),
      product(8, 2),
      product(8, 1, {1, 0}),
      product(8, 1, {0, 2}),
      product(8, 1, {0, 1}, {{"k", std::int64_t{9}}}),
      product(8, 1, {0, 1}, {{"transpose_a", true}}),
      product(8, 1, {0, 1}, {{"batch", std::int64_t{2}}}),
      product(8, 1, {0, 1}, {{"dtype", std::string("f64")}}),
      {.problem = case_of("copy", {{"direction", std::string("within")}, {"bytes", std::int64_t{64}}}),
       .seed = 1,
       .elements = {0, 1}},
      {.problem = case_of("triad", {{"bytes", std::int64_t{64}}}), .seed = 1, .elements = {0, 1}}};
  for (std::size_t i = 0; i < different.size(); ++i)
    EXPECT_TRUE(computes(different[i], static_cast<double>(i))) << i;
  for (std::size_t i = 0; i < different.size(); ++i)
    EXPECT_FALSE(computes(different[i], static_cast<double>(i))) << i;
}

const std::vector<std::pair<std::string, Value>> variants{{"tuned", false},
                                                          {"transfer", std::string("once")},
                                                          {"repetitions", std::int64_t{3}},
                                                          {"graph", false},
                                                          {"fused", false},
                                                          {"operands", std::string("rotating")}};

TEST_F(ReferenceCacheTest, SharesTheResultOfVariants) {
  EXPECT_TRUE(computes(product(8)));
  EXPECT_FALSE(computes(product(8, 1, {0, 1}, {{"transfer", std::string("each")}})));
  EXPECT_FALSE(
      computes(product(8, 1, {0, 1}, {{"transfer", std::string("once")}, {"repetitions", std::int64_t{5}}})));
  EXPECT_FALSE(computes(product(8, 1, {0, 1}, {{"tuned", false}})));
  EXPECT_FALSE(computes(product(8, 1, {0, 1}, {{"operands", std::string("rotating")}})));
}

// The cache relies on this when it shares results.
TEST_F(ReferenceCacheTest, VariantsHaveTheSameResult) {
  write_dataset(temporary_.path(), 20, 10);
  int compared = 0;
  for (const auto& workload : workloads()) {
    auto examples = workload->examples();
    if (examples.empty()) continue;
    Parameters given = examples.front();
    const auto& known = workload->parameters();
    const auto has = [&](const std::string& name) {
      return std::ranges::find(known, name, &Parameter::name) != known.end();
    };
    if (has("data")) given.set("data", temporary_.path().string());
    given.set("dtype", known.back().choices.front());
    const auto result = [&](const Parameters& parameters) {
      return reference_result(make_case(*workload, parameters), 3, {0});
    };
    for (const auto& [name, value] : variants) {
      if (!has(name)) continue;
      Parameters changed = given;
      if (name == "repetitions") changed.set("transfer", std::string("once"));
      changed.set(name, value);
      ++compared;
      SCOPED_TRACE(std::string(workload->op()) + " " + name);
      expect_same(result(changed), result(given));
    }
  }
  EXPECT_GT(compared, 15);
}

TEST_F(ReferenceCacheTest, ResultsOfAnotherProgramAreNotUsedAndStay) {
  EXPECT_TRUE(computes(product(8), 1));
  const fs::path first = cache().file_of(product(8));
  EXPECT_TRUE(exists(first));
  temporary_.write("cache/reference/notes.txt", "of somebody else");
  temporary_.write("cache/reference/0123456789abcdef-somebody-else.result", "");
  EXPECT_TRUE(computes(product(8), 2, other_program));
  EXPECT_EQ(files(), 4U);
  EXPECT_FALSE(computes(product(8), 2, other_program));
  EXPECT_FALSE(computes(product(8), 1));
}

TEST_F(ReferenceCacheTest, DamagedFilesAreReplaced) {
  EXPECT_TRUE(computes(product(8), 1));
  const fs::path file = cache().file_of(product(8));
  const std::string text = read_file(file);
  std::vector<std::string> damaged{"",          "\n",        "not a result",
                                   text + text, text + "\n", text.substr(0, text.size() - 1)};
  for (std::size_t length = 0; length < text.size(); length += 7) damaged.push_back(text.substr(0, length));
  for (std::size_t at = 0; at < text.size(); at += 3) {
    damaged.push_back(text);
    damaged.back()[at] = damaged.back()[at] == '7' ? '8' : '7';
  }
  for (const std::string& one : damaged) {
    write_file(file, one);
    EXPECT_TRUE(computes(product(8), 1)) << one;
    EXPECT_FALSE(computes(product(8), 1)) << one;
  }
}

TEST_F(ReferenceCacheTest, AWholeFileOfAnotherCaseIsNotBelieved) {
  EXPECT_TRUE(computes(product(8), 1));
  EXPECT_TRUE(computes(product(9), 2));
  fs::copy_file(cache().file_of(product(9)), cache().file_of(product(8)),
                fs::copy_options::overwrite_existing);
  EXPECT_TRUE(computes(product(8), 1));
  EXPECT_FALSE(computes(product(8), 1));
  EXPECT_FALSE(computes(product(9), 2));
}

TEST_F(ReferenceCacheTest, WhatIsNotAFileIsLeftAlone) {
  const fs::path file = cache().file_of(product(8));
  fs::create_directories(file / "inside");
  EXPECT_TRUE(computes(product(8)));
  EXPECT_TRUE(computes(product(8)));
  EXPECT_TRUE(exists(file / "inside"));
  const fs::path pipe = cache().file_of(product(9));
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(computes(product(9)));  // and does not wait for a writer
}

TEST_F(ReferenceCacheTest, WithoutAFolderEverythingIsComputed) {
  temporary_.write("cache", "a file where the folder should be");
  EXPECT_TRUE(computes(product(8)));
  EXPECT_TRUE(computes(product(8)));
}

TEST_F(ReferenceCacheTest, ResultsThatAreNotWholeAreNotKept) {
  ReferenceCache opened = cache();
  const Evidence infinite{.elements = {1, std::numeric_limits<double>::infinity()}};
  const Evidence shorter{.elements = {1}};
  for (const Evidence& one : {infinite, shorter}) {
    EXPECT_EQ(opened.result(product(8), [&] { return one; }).elements, one.elements);
    EXPECT_TRUE(!exists(folder()) || files() == 0);
  }
}

TEST_F(ReferenceCacheTest, TheOldestAreRemovedBeyondTheLargestSize) {
  EXPECT_TRUE(computes(product(1000)));
  const std::uintmax_t most = 10 * bytes();
  fs::last_write_time(cache().file_of(product(1000)),
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  ReferenceCache opened = cache(program, most);
  for (std::int64_t m = 1001; m < 1050; ++m) {
    opened.result(product(m), [] { return evidence(1); });
    EXPECT_LE(bytes(), most) << m;
    // The first one is used again and again, and so stays.
    opened.result(product(1000), [] { return evidence(1); });
    EXPECT_TRUE(exists(opened.file_of(product(1000)))) << m;
  }
  EXPECT_GE(files(), 5U);
  EXPECT_FALSE(exists(opened.file_of(product(1001))));
  EXPECT_TRUE(exists(opened.file_of(product(1049))));
  EXPECT_EQ(opened.result(product(1001), [] { return evidence(3); }).elements, evidence(3).elements);
}

TEST_F(ReferenceCacheTest, FilesLeftByAKilledProgramAreRemoved) {
  const fs::path old = temporary_.write("cache/reference/unfinished-abcdef", "half");
  const fs::path recent = temporary_.write("cache/reference/unfinished-ghijkl", "half");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(computes(product(8)));
  EXPECT_FALSE(exists(old));
  EXPECT_TRUE(exists(recent));
}

TEST_F(ReferenceCacheTest, AnotherDataSetHasAnotherResult) {
  const auto training = [&] {
    return request::Expect{.problem = case_of("train", {{"network", std::string("mlp")},
                                                        {"batch", std::int64_t{4}},
                                                        {"data", temporary_.path().string()}}),
                           .seed = 1,
                           .elements = {0, 1}};
  };
  write_dataset(temporary_.path(), 20, 10);
  EXPECT_TRUE(computes(training(), 1));
  EXPECT_FALSE(computes(training(), 1));
  write_file(temporary_.path() / "train-labels-idx1-ubyte", idx_labels(20, 3));
  EXPECT_TRUE(computes(training(), 2));
  EXPECT_FALSE(computes(training(), 2));
}

TEST_F(ReferenceCacheTest, SeveralProcessesMayUseItAtOnce) {
  constexpr int processes = 4;
  std::vector<pid_t> children;
  for (int child = 0; child < processes; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      // Small enough that the children remove each other's files.
      ReferenceCache opened = cache(program, 8192);
      bool right = true;
      for (int i = 0; i < 400; ++i) {
        const std::int64_t m = 1 + (i + child) % 20;
        const Evidence expected = evidence(static_cast<double>(m));
        const Evidence got = opened.result(product(m), [&] { return expected; });
        right = right && got.elements == expected.elements && got.losses == expected.losses;
      }
      _exit(right ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  for (const auto& entry : fs::directory_iterator(folder()))
    EXPECT_THAT(entry.path().filename(), testing::Not(testing::StartsWith("unfinished")));
}

TEST(ReferenceCacheFolder, IsUsedOnlyIfTheDriverSaysSo) {
  const TemporaryFolder folder;
  const VariableForNow home("XDG_CACHE_HOME", folder.path().c_str());
  for (const char* value : {static_cast<const char*>(nullptr), "", "0", "yes"}) {
    const VariableForNow wanted(reference_cache_variable, value);
    EXPECT_EQ(open_reference_cache(), nullptr);
  }
  const VariableForNow wanted(reference_cache_variable, "1");
  const auto opened = open_reference_cache();
  ASSERT_NE(opened, nullptr);
  EXPECT_THAT(opened->file_of(product(8)).string(),
              testing::StartsWith(
                  (folder.path() / "breakeven" / "reference" / hash_of_file("/proc/self/exe")).string()));
}

TEST(ReferenceCacheFolder, HashesAreThoseOfFnv1a) {
  const TemporaryFolder folder;
  // RFC 9923, appendix C.
  EXPECT_EQ(hash_of_file(folder.write("empty", "")), "cbf29ce484222325");
  EXPECT_EQ(hash_of_file(folder.write("a", "a")), "af63dc4c8601ec8c");
  EXPECT_EQ(hash_of_file(folder.write("foobar", "foobar")), "85944171f73967e8");
  EXPECT_EQ(hash_of_file(folder.path()), "");
  EXPECT_EQ(hash_of_file(folder.path() / "missing"), "");
}

}  // namespace
}  // namespace breakeven
