#include "results/backend_spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <cctype>
#include <vector>

namespace breakeven {
namespace {

/// True for "winograd took 1.3x", "im2col failed" and "tuned: best of 5 ways".
bool is_about_race(std::string_view part) {
  if (part.starts_with("tuned: ") || part.ends_with(" not tried") || part.ends_with(" failed")) return true;
  const std::size_t found = part.rfind(" took ");
  if (found == std::string_view::npos || !part.ends_with("x")) return false;
  std::string_view factor = part.substr(found + std::string_view(" took ").size());
  factor.remove_suffix(1);
  return !factor.empty() && factor.find_first_not_of("0123456789.e+") == std::string_view::npos;
}

/// The parts that say nothing of a race, each without such a remark in parentheses at its end.
std::string without_race(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  boost::iter_split(parts, text, boost::first_finder(separator));
  parts.erase(std::remove_if(parts.begin() + 1, parts.end(), is_about_race), parts.end());
  for (std::string& part : parts) {
    const std::size_t open = part.rfind(" (");
    if (open == std::string::npos || !part.ends_with(")")) continue;
    if (is_about_race(std::string_view(part).substr(open + 2, part.size() - open - 3))) part.resize(open);
  }
  return boost::join(parts, separator);
}

struct KnownBackend {
  std::string_view name, spelling;
  bool is_framework = false;
};

/// The backend whose name is that before the first dash; null for others, which are shown by their own names.
const KnownBackend* find_known(std::string_view name) {
  static constexpr std::array<KnownBackend, 8> known{{{"openblas", "OpenBLAS"},
                                                      {"onednn", "oneDNN"},
                                                      {"blis", "BLIS"},
                                                      {"mkl", "MKL"},
                                                      {"pytorch", "PyTorch", true},
                                                      {"tensorflow", "TensorFlow", true},
                                                      {"jax", "JAX", true},
                                                      {"cuda", "CUDA"}}};
  const auto* found = std::ranges::find(known, name.substr(0, name.find('-')), &KnownBackend::name);
  return found == known.end() ? nullptr : found;
}

}  // namespace

std::string backend_spelling(std::string_view name) {
  const KnownBackend* found = find_known(name);
  if (found == nullptr) return std::string(name);
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::string(found->spelling);
  if (const auto version = version_in_name(name); !version.empty())
    return fmt::format("{} {}", found->spelling, version);
  return fmt::format("{} ({})", found->spelling,
                     boost::replace_all_copy(std::string(name.substr(dash + 1)), "-", ", "));
}

bool is_framework(std::string_view backend) {
  const KnownBackend* found = find_known(backend);
  return found != nullptr && found->is_framework;
}

std::string_view version_in_name(std::string_view backend) {
  const std::size_t dash = backend.find('-');
  if (dash == std::string_view::npos) return {};
  const std::string_view version = backend.substr(dash + 1);
  const bool is_number = !version.empty() && std::isdigit(static_cast<unsigned char>(version.front())) != 0;
  return is_number ? version : std::string_view{};
}

std::string chosen_algorithm(std::string_view algorithm) {
  // Semicolons first: they separate names that contain commas.
  return without_race(without_race(std::string(algorithm), "; "), ", ");
}

}  // namespace breakeven
