// Whatever a config file holds, it is a config or a ConfigError.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "plan/config.h"
#include "plan/place.h"

using namespace breakeven;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto path = std::filesystem::temp_directory_path() / ("breakeven-fuzz-" + std::to_string(getpid()) + ".json");
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    read_config(path);
  } catch (const ConfigError&) {
  }
  return 0;
}
