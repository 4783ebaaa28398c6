#include "reports/document/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <utility>

#include "reports/text.h"
#include "workloads/workload.h"

namespace breakeven {

std::string backend_title(std::string_view name) {
  // The spellings of their makers. A backend that is not listed is shown by its own name.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> written{
      {{"openblas", "OpenBLAS"},
       {"onednn", "oneDNN"},
       {"blis", "BLIS"},
       {"mkl", "MKL"},
       {"pytorch", "PyTorch"},
       {"tensorflow", "TensorFlow"},
       {"jax", "JAX"},
       {"cuda", "CUDA"}}};
  const std::size_t dash = name.find('-');
  const std::string_view first = name.substr(0, dash);
  const auto* found =
      std::find_if(written.begin(), written.end(), [&](const auto& of) { return of.first == first; });
  if (found == written.end()) return printable(name);
  if (dash == std::string_view::npos) return std::string(found->second);
  std::string rest;
  for (const char c : name.substr(dash + 1)) rest += c == '-' ? std::string(", ") : std::string(1, c);
  return printable(fmt::format("{} ({})", found->second, rest));
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
  } catch (const std::out_of_range&) {  // a file of another version, with other parameters
    return capitalised(std::string(workload->plural()));
  }
}

std::string joined_text(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string status_text(Status status) {
  std::string text(name(status));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string capitalised(std::string text) {
  // A capital among the first letters shows that a name has a spelling of its own.
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
