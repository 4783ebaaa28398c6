// Whatever a result file holds, it is a result, which is written and read again, or a ResultError.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "reports/csv.h"
#include "reports/markdown.h"
#include "reports/terminal.h"
#include "results/result.h"

using namespace breakeven;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto path = std::filesystem::temp_directory_path() / ("breakeven-fuzz-" + std::to_string(getpid()) + ".json");
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const std::vector<Result> results{read_result(path)};
    std::ofstream(path, std::ios::binary) << to_json_text(results[0]);
    read_result(path);
    terminal_report(results[0], {});
    markdown_report(results);
    csv_report(results);
  } catch (const ResultError&) {
  }
  return 0;
}
