// Cases under names that no two of them share, and lists of them as JSON: what formats for other programs
// have in common.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/exports/format.h"
#include "results/result.h"

namespace breakeven {

/// One case on one backend. Points into the results it was made of.
struct NamedCase {
  std::string
      name;  // "ID/BACKEND", of several machines "ID/BACKEND/MACHINE"; of at most 1024 bytes; no other has it
  std::size_t number = 1;  // different for each that has the same id, backend and machine
  std::string machine;
  const Result* run = nullptr;
  const CaseResult* result = nullptr;
};

/// Every case, in the order of the files, its texts printable. The results must outlive what is returned.
std::vector<NamedCase> named_cases(std::span<const Result> results);

/// `host.name`, printable, never empty.
std::string machine_name(const Result& result);

/// What is known of the backend that the case ran on; nothing where the file does not list it.
const BackendRecord* backend_of(const NamedCase& named);

/// The texts that are not empty, with `between` them.
std::string joined_known(std::vector<std::string> texts, std::string_view between);

/// Sets a member of a JSON object; leaves it out where it is unknown or no finite number.
void set_known(nlohmann::ordered_json& object, const char* key, const std::optional<double>& value);

/// `opening`, an element a line for each case with commas between, `closing`. An empty element leaves its
/// case out. With 10^6 elements a JSON value would be slow to build, and would take ten times the memory.
FormattedReport json_report(std::span<const Result> results, const std::string& opening,
                            const std::function<std::string(const NamedCase&, std::size_t index)>& element_of,
                            const std::string& closing);

}  // namespace breakeven
