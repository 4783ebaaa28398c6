// Fuzzes config files: each is a config or a ConfigError.
#include "plan/config.h"

#include "fuzz/input.h"
#include "fuzz/json_mutator.h"

using namespace breakeven;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = fuzz::file_of("config.json", fuzz::text_of_input(data, size));
  fuzz::read_or_refuse<ConfigError>([&] { return read_config(path); });
  fuzz::read_or_refuse<ConfigError>([&] { return files_of_configs({path}); });
  return 0;
}
