// Whatever a result file holds, Google Benchmark's or our own, it is a result, which is written and read
// again and makes well-formed reports of every form, or a ResultError.
#include "results/result.h"

#include "fuzz/input.h"
#include "fuzz/json_mutator.h"
#include "results/google_benchmark.h"

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
