// Fuzzes the files that `gate`, `compare`, `threshold` and `selftest` write and read: each is a ResultError,
// or verdicts, a break-even or a selftest that can be written and read again, with well-formed reports.
#include "fuzz/input.h"
#include "fuzz/json_mutator.h"
#include "unit/texts_of_files.h"
#include "verdicts/measured.h"
#include "verdicts/selftest.h"

using namespace breakeven;

namespace {

void read_as_reports(const std::filesystem::path& path) {
  const auto measured = fuzz::read_or_refuse<ResultError>([&] { return read_measured(std::array{path}); });
  if (!measured) return;
  fuzz::expect_well_formed(&*measured);
  for (const Verdicts& verdicts : measured->verdicts) {
    exit_status(verdicts);
    const Verdicts again = verdicts_from(ParsedFile(to_json_text(verdicts)).document());
    fuzz::expect_well_formed(&again);
  }
  for (const Threshold& threshold : measured->thresholds) {
    exit_status(threshold);
    const Threshold again = threshold_from(parse_strictly(to_json_text(threshold)));
    fuzz::expect_well_formed(&again);
  }
}

void read_as_selftest(const std::filesystem::path& path) {
  const auto selftest = fuzz::read_or_refuse<ResultError>([&] { return read_selftest(path); });
  if (!selftest) return;
  for (const std::string& warning :
       note_texts(selftest_warnings(*selftest, selftest->host, selftest->rules))) {
    if (const std::string fault = fault_of_message(warning); !fault.empty())
      throw std::logic_error(fmt::format("a warning {}: {}", fault, warning));
  }
  read_selftest(fuzz::file_of("again.json", to_json_text(*selftest)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = fuzz::file_of("verdicts.json", fuzz::text_of_input(data, size));
  read_as_reports(path);
  read_as_selftest(path);
  return 0;
}
