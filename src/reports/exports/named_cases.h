// Cases with unique names, and lists of them as JSON, for formats of other programs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "reports/exports/format.h"
#include "results/result.h"

namespace breakeven {

/// One case on one backend. Points into the results that it was made from.
struct NamedCase {
  std::string name;        // unique: "ID/BACKEND" or "ID/BACKEND/MACHINE", at most 1024 bytes
  std::size_t number = 1;  // distinguishes cases with the same id, backend and machine
  std::string machine;
  const Result* run = nullptr;
  const CaseResult* result = nullptr;
};

/// Every case, in the order of the files, with printable texts. The results must outlive the list.
std::vector<NamedCase> named_cases(std::span<const Result> results);

/// The name of the machine from `host.name`: printable, never empty.
std::string machine_name(const Result& result);

/// Joins the texts that are not empty with `between`.
std::string joined_known(std::vector<std::string> texts, std::string_view between);

/// Sets a member of a JSON object, unless the value is unknown or not finite.
void set_known(Json& object, const char* key, const std::optional<double>& value);

/// Writes `opening`, one element per line for each case with commas between, and `closing`. An empty element
/// leaves its case out. The text is written directly, because a JSON value of 10^6 elements would be slow to
/// build and would need ten times the memory.
FormattedReport json_report(std::span<const Result> results, const std::string& opening,
                            const std::function<std::string(const NamedCase&, std::size_t index)>& element_of,
                            const std::string& closing);

}  // namespace breakeven
