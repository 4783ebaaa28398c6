#include "reports/document/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_map>

#include "reports/document/descriptions.h"
#include "reports/document/names.h"
#include "reports/text.h"

namespace breakeven {
namespace {

/// Numbers replaced, so that "12.5 % of CPU time" and "9 % of CPU time" are one text. Digits behind a letter
/// are part of a name: f16 is not f32.
std::string without_numbers(std::string_view text) {
  const auto is_digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string key;
  for (std::size_t i = 0; i < text.size();) {
    const bool in_name = i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0;
    if (!is_digit(i) || in_name) {
      key += text[i++];
      continue;
    }
    while (is_digit(i) || (i < text.size() && text[i] == '.' && is_digit(i + 1))) ++i;
    key += '0';
  }
  return key;
}

/// Gathers remarks in order of appearance.
class Remarks {
 public:
  void add(const std::string& said, const CaseResult* result) {
    const std::string text = printable(said);
    const auto [known, fresh] = index_.try_emplace(without_numbers(text), all_.size());
    if (fresh) {
      all_.push_back({.text = text, .varies = false, .count = 0, .backends = {}, .first = {}});
    }
    Remark& remark = all_[known->second];
    remark.varies = remark.varies || remark.text != text;
    if (result == nullptr) return;
    if (++remark.count == 1) {
      remark.first = fmt::format("{} {}", printable(result->op), problem_title(*result));
    }
    std::string backend = printable(result->backend);
    if (std::find(remark.backends.begin(), remark.backends.end(), backend) == remark.backends.end()) {
      remark.backends.push_back(std::move(backend));
    }
  }
  std::vector<Remark> take() { return std::move(all_); }

 private:
  std::vector<Remark> all_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

std::map<Status, std::size_t> count_statuses(const Runs& runs) {
  std::map<Status, std::size_t> counts;
  for (const Result* run : runs) {
    for (const CaseResult& result : run->cases) ++counts[result.status];
  }
  return counts;
}

std::vector<Remark> find_warnings(const Runs& runs) {
  Remarks remarks;
  for (const Result* run : runs) {
    for (const std::string& warning : run->warnings) remarks.add(warning, nullptr);
    for (const CaseResult& result : run->cases) {
      for (const std::string& warning : result.warnings) remarks.add(warning, &result);
    }
  }
  return remarks.take();
}

std::vector<Remark> find_failures(const Runs& runs) {
  Remarks remarks;
  for (const Result* run : runs) {
    for (const CaseResult& result : run->cases) {
      if (result.status == Status::ok) continue;
      remarks.add(fmt::format("{}: {}", name(result.status), explain(result)), &result);
    }
  }
  return remarks.take();
}

std::string describe_extent(const Remark& remark) {
  if (remark.count == 0) return "";
  if (remark.count == 1) return fmt::format("({}, {})", remark.backends.front(), remark.first);
  return fmt::format("({} cases{}: {})", remark.count, remark.varies ? ", with other figures" : "",
                     fmt::join(remark.backends, ", "));
}

}  // namespace breakeven
