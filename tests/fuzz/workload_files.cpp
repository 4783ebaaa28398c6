// Fuzzes mixes with weights, questions about a threshold and lists of shapes: each is a ConfigError, or its
// cases can be made.
#include "fuzz/input.h"
#include "fuzz/json_mutator.h"
#include "plan/config.h"
#include "plan/shape_file.h"
#include "plan/threshold_config.h"
#include "rank/mix.h"

using namespace breakeven;

namespace {

/// Makes the cases that `breakeven threshold` makes first.
void make_ends(const ThresholdConfig& config) {
  for (const ThresholdQuestion& question : config.questions) {
    for (const std::size_t side : {0U, 1U}) {
      for (const std::int64_t value : {question.from, question.to}) {
        fuzz::read_or_refuse<ConfigError>([&] { return question.at(side, value); });
      }
    }
  }
}

/// Makes the cases of a config that names the file.
void make_cases(const std::string& op) {
  const auto config = fuzz::file_of(
      "config.json",
      fmt::format(R"({{"workloads": [{{"op": "{}", "shapes": "workloads.json", "dtype": "f32"}}]}})", op));
  fuzz::read_or_refuse<ConfigError>([&] { return read_config(config); });
  fuzz::read_or_refuse<ConfigError>([&] { return files_of_configs({config}); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = fuzz::file_of("workloads.json", fuzz::text_of_input(data, size));
  fuzz::read_or_refuse<ConfigError>([&] { return read_mix(path); });
  if (const auto config = fuzz::read_or_refuse<ConfigError>([&] { return read_threshold_config(path); }))
    make_ends(*config);
  for (const char* op : {"matmul", "conv2d"}) make_cases(op);
  return 0;
}
