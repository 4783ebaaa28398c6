// Tests what the writer of result files does when memory ends, or the file would be too large to be read.
// tests/cli/output_test.cpp has the rest.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "results/json.h"
#include "results/reading.h"
#include "results/result.h"
#include "results/whole_file.h"
#include "unit/reports_sample.h"
#include "unit/temporary_folder.h"
#include "unit/texts_of_files.h"

namespace breakeven::results_writer_test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_sanitizer = true;
#elif defined(__has_feature)
constexpr bool has_sanitizer = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool has_sanitizer = false;
#endif

/// Lets the process have this much memory besides what it has.
void limit_further_memory(rlim_t bytes) {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit both{.rlim_cur = limit, .rlim_max = limit};
  if (setrlimit(RLIMIT_AS, &both) != 0) std::_Exit(2);
}

TEST(ResultWriter, WritesNoFileThatWouldNotBeRead) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "r.json";
  CaseResult planned = sample::product("a", 64, 1);
  planned.status = Status::interrupted;
  planned.seconds.reset();
  Result result = sample::result({planned, planned});
  const std::uintmax_t least = 2 * text_of(json_of(planned)).size() + 2 * 200;
  EXPECT_THROW(ResultWriter(file, report_words(), least - 1).update(result, 0), FileTooLarge)
      << "before anything is measured";
  EXPECT_FALSE(std::filesystem::exists(file));
  ResultWriter(file, report_words(), least).update(result, 0);

  result.cases[0] = sample::product("a", 64, 1);
  ResultWriter writer(file, report_words(), to_json_text(result).size());
  EXPECT_THROW(
      {
        writer.update(result, 0);
        for (int i = 0; i < 100; ++i) {
          result.cases[1].warnings.push_back(quoted_note(std::string(i, 'w')));
          writer.update(result, 1);
        }
      },
      FileTooLarge);
}

TEST(ExpectReadable, AgreesWithTheReader) {
  const TemporaryFolder folder;
  std::string text(largest_document, ' ');
  EXPECT_NO_THROW(expect_readable(text, "f", ""));
  EXPECT_EQ(read_result_text(folder.write("f", text)).size(), largest_document);
  text += ' ';
  EXPECT_THROW(expect_readable(text, "f", ""), ResultError);
  EXPECT_THROW(read_result_text(folder.write("f", text)), ResultError);
}

TEST(ResultWriter, AnUpdateWithoutMemoryIsLeftToTheNext) {
  if (has_sanitizer) GTEST_SKIP() << "a sanitizer ends the process where an allocation fails";
  const TemporaryFolder folder;
  Result result = sample::recorded_result({sample::recorded(sample::product("a", 64, 1))});
  result.backends.push_back(sample::backend("b", true));
  constexpr std::size_t too_much = std::size_t{64} << 20U;
  const auto update_and_end = [&] {
    ResultWriter writer(folder.path() / "r.json", report_words());
    writer.update(result, 0);
    result.cases.push_back(sample::recorded(sample::product("b", 64, 1)));
    result.cases.back().reason.assign(too_much, 'x');
    limit_further_memory(too_much / 4);
    writer.update(result, 1);
    result.cases.back().reason.clear();
    writer.update(result, 1);
    std::_Exit(writer.finish(result) ? 0 : 1);
  };
  EXPECT_EXIT(update_and_end(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(read_result(folder.path() / "r.json").cases.size(), 2U);
}

}  // namespace
}  // namespace breakeven::results_writer_test
