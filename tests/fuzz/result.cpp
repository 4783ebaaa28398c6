// Whatever a result file holds, Google Benchmark's or our own, it is a result, which is written and read
// again and makes well-formed reports, or a ResultError.
#include "results/result.h"

#include <unistd.h>

#include <array>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "reports/document/builders.h"
#include "reports/exports/format.h"
#include "reports/render/terminal.h"
#include "results/google_benchmark.h"
#include "results/json_text.h"

using namespace breakeven;

/// What readers refuse ends the program: an exception cannot leave.
static void make_reports(const std::vector<Result>& results) noexcept {
  const Measured measured{.results = results};
  render_terminal(document_of(measured), {});
  for (const OutputFormat* format : formats_for(std::array{SubjectKind::measured})) {
    const std::string text = format->format(&measured).text;
    if (format->option == "--bencher" || format->option == "--github" ||
        format->option == "--google-benchmark")
      parse_strictly(text);
    if (format->option != "--junit") continue;
    std::istringstream xml(text);
    boost::property_tree::ptree tree;
    boost::property_tree::read_xml(xml, tree);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto path =
      std::filesystem::temp_directory_path() / ("breakeven-fuzz-" + std::to_string(getpid()) + ".json");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const Result result = read_any_result(path);
    const std::vector<Result> results{result, result};
    std::ofstream(path, std::ios::binary) << to_json_text(results[0]);
    read_result(path);
    make_reports(results);
  } catch (const ResultError&) {
  }
  return 0;
}
