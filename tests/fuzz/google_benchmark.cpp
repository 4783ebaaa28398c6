// Fuzzes Google Benchmark's JSON: it is a ResultError, or a result that can be compared with itself, added to
// a history and written as Google Benchmark's JSON again.
#include "results/google_benchmark.h"

#include "fuzz/input.h"
#include "fuzz/json_mutator.h"
#include "history/history.h"
#include "history/store.h"
#include "verdicts/compare.h"

using namespace breakeven;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of_input(data, size);
  is_google_benchmark(text);
  const auto result =
      fuzz::read_or_refuse<ResultError>([&] { return google_benchmark_from_text(text, "theirs.json"); });
  if (!result) return 0;
  count_measurements(*result);
  machine_of(*result, "");
  software_of(*result);
  const Verdicts verdicts = compare_results(*result, *result, {});
  fuzz::expect_well_formed(&verdicts);
  const Measured measured{.results = {*result}};
  fuzz::expect_well_formed(&measured);
  for (const OutputFormat* format : formats_for<Measured>()) {
    if (format->option == "--google-benchmark")
      google_benchmark_from_text(format->format(&measured).text, "what was written of it");
  }
  return 0;
}
