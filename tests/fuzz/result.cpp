// Whatever a result file holds, Google Benchmark's or our own, it is a result, which is written and read again and makes
// well-formed reports, or a ResultError.
#include <unistd.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "reports/bencher.h"
#include "reports/csv.h"
#include "reports/github_benchmark.h"
#include "reports/google_benchmark_json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/openmetrics.h"
#include "reports/terminal.h"
#include "results/google_benchmark.h"
#include "results/json_text.h"
#include "results/result.h"

using namespace breakeven;

/// What readers refuse ends the program: an exception cannot leave.
static void make_reports(const std::vector<Result>& results) noexcept {
  terminal_report(results[0], {});
  markdown_report(results);
  csv_report(results);
  openmetrics_report(results);
  for (auto* report : {bencher_report, github_benchmark_report, google_benchmark_json_report})
    parse_strictly(report(results).text);
  std::istringstream xml(junit_report(results).text);
  boost::property_tree::ptree tree;
  boost::property_tree::read_xml(xml, tree);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto path = std::filesystem::temp_directory_path() / ("breakeven-fuzz-" + std::to_string(getpid()) + ".json");
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
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
