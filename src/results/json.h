// JSON of result files, and of the parts that other files share with them.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "json/fields.h"
#include "results/result.h"

namespace breakeven {

void fields(Fields& f, BackendRecord& backend);
void fields(Fields& f, CaseResult& result);
void fields(Fields& f, Host& host);
void fields(Fields& f, MachineSpeed& speed);
void fields(Fields& f, Parameters& parameters);

/// The members at the beginning of a case, in results and in verdicts.
void case_fields(Fields& f, CaseOnBackend& c);

/// Reads the list "cases". Throws JsonError if two have the same id and backend.
template <typename T>
void read_cases(const JsonReader& in, std::vector<T>& cases) {
  std::set<std::pair<std::string, std::string>> seen;
  Fields(in).objects("cases", cases, [&](Fields& one, T& c) {
    fields(one, c);
    if (!seen.emplace(c.id, c.backend).second)
      one.fail(fmt::format("repeats '{}' of backend '{}'", c.id, c.backend));
  });
}

/// The object "tool": the name and version of this program, and the members that `more` lists.
void tool_fields(
    Fields& f, std::string& version, const std::function<void(Fields&)>& more = [](Fields&) {});

/// Throws JsonError unless the document has this schema.
void expect_schema(const JsonReader& in, std::string_view schema);

/// Describes an impossible value; empty if there is none.
std::string fault_of(const MachineSpeed& speed);

/// Reads a result from a file's JSON. Throws JsonError, which names the place but not the file.
Result result_from(const Json& json);

}  // namespace breakeven
