#include "reports/document/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <cctype>
#include <span>
#include <stdexcept>

#include "reports/text.h"
#include "results/backend_spelling.h"
#include "workloads/workload.h"

namespace breakeven {

std::string backend_title(std::string_view name) {
  return printable(backend_spelling(name));
}

std::string plural_of(std::string_view op) {
  const Workload* workload = find_workload(op);
  return workload == nullptr ? "problems" : std::string(workload->plural());
}

std::string activity_of(const CaseResult& result) {
  const Workload* workload = find_workload(result.op);
  if (workload == nullptr) return printable(result.op);
  try {
    return printable(workload->activity(result.parameters));
  } catch (const std::out_of_range&) {  // the file is from another version, with other parameters
    return capitalised(std::string(workload->plural()));
  }
}

std::string work_title(std::string_view stored) {
  std::vector<std::string> parts;
  boost::split(parts, stored, boost::is_any_of(","));
  const Workload* workload = find_workload(parts.front());
  if (workload == nullptr) return printable(stored);
  std::string work = capitalised(std::string(workload->plural()));
  std::string rest;
  for (std::string& part : std::span(parts).subspan(1)) {
    boost::trim(part);
    const std::size_t value = part.rfind(' ') + 1;
    if (part.starts_with("network ")) {
      work = workload->activity({{"network", part.substr(value)}});
      continue;
    }
    if (part.ends_with(" false")) part = "not " + part.substr(0, value - 1);
    if (part.ends_with(" true")) part.resize(value - 1);
    rest += ", " + part;
  }
  return printable(work + rest);
}

std::string joined_text(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string status_text(Status status) {
  std::string text(name(status));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string capitalised(std::string text) {
  // A capital letter among the first letters shows that the name has its own spelling.
  const bool is_name = text.size() > 1 &&
                       std::any_of(text.begin(), text.begin() + std::min<std::ptrdiff_t>(4, std::ssize(text)),
                                   [](unsigned char c) { return std::isupper(c) != 0; });
  if (!text.empty() && !is_name)
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string slug_of(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!made.empty() && made.back() != '-') {
      made += '-';
    }
  }
  while (!made.empty() && made.back() == '-') made.pop_back();
  return made;
}

}  // namespace breakeven
