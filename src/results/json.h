// JSON of result files, and of the parts that other files share with them.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "json/fields.h"
#include "results/result.h"

namespace breakeven {

template <typename T>
inline constexpr bool is_optional<Rare<T>> = true;

void fields(Fields& f, BackendRecord& backend);
void fields(Fields& f, CaseResult& result);
void fields(Fields& f, Host& host);
void fields(Fields& f, MachineSpeed& speed);
void fields(Fields& f, Parameters& parameters);

/// The members at the beginning of a case, in results and in verdicts.
void case_fields(Fields& f, CaseOnBackend& c);

/// The cases that were read so far. Throws JsonError if two have the same id and backend.
class ReadCases {
 public:
  void add(const Fields& f, const CaseOnBackend& c) {
    if (!seen_.insert(c.id + '\0' + c.backend).second)
      f.fail(fmt::format("repeats '{}' of backend '{}'", c.id, c.backend));
  }

 private:
  std::unordered_set<std::string> seen_;
};

/// Reads the list "cases". Throws JsonError if two have the same id and backend.
template <typename T>
void read_cases(const JsonReader& in, std::vector<T>& cases) {
  ReadCases read;
  Fields(in).objects("cases", cases, [&](Fields& one, T& c) {
    fields(one, c);
    read.add(one, c);
  });
}

/// The object "tool": the name and version of this program, and the members that `more` lists.
void tool_fields(
    Fields& f, std::string& version, const std::function<void(Fields&)>& more = [](Fields&) {});

/// Throws JsonError unless the document has this schema.
void expect_schema(const JsonReader& in, std::string_view schema);

/// Describes an impossible value; empty if there is none.
std::string fault_of(const MachineSpeed& speed);

/// A file of any kind that may be a result. The cases of a result are read while the text is parsed: only one
/// of them is in memory as JSON. JsonErrors name the place but not the file.
class AnyFile : private ElementReceiver {
 public:
  AnyFile(const TextParts& text, Detail detail);
  /// The document. Without the cases of a result.
  const Json& document() const { return parsed_.document(); }
  /// The result, once. Throws JsonError if the file is none or cannot be used.
  Result result();

 private:
  bool wants(const Json& before, const std::string& key) override;
  void receive(const Json& element) override;

  Detail detail_;
  ReadCases read_;
  std::vector<CaseResult> cases_;
  bool received_cases_ = false;
  std::exception_ptr error_;  // of the first case that cannot be used; what is wrong elsewhere is said first
  ParsedFile parsed_;         // declared last, because parsing fills the others
};

}  // namespace breakeven
