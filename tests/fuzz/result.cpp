// Fuzzes result files, Google Benchmark's and our own: each is a ResultError, or a result that can be written
// and read again, with well-formed reports in every form.
#include "results/result.h"

#include "fuzz/input.h"
#include "fuzz/json_mutator.h"
#include "results/google_benchmark.h"
#include "unit/texts_of_files.h"

using namespace breakeven;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = fuzz::file_of("result.json", fuzz::text_of_input(data, size));
  const auto result = fuzz::read_or_refuse<ResultError>([&] { return read_any_result(path); });
  if (!result) return 0;
  const Result again = result_from_text(to_json_text(*result), "what was written of it");
  const Measured measured{.results = {*result, again}};
  fuzz::expect_well_formed(&measured);
  return 0;
}
