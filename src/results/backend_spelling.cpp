#include "results/backend_spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <cctype>

namespace breakeven {
namespace {

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

}  // namespace breakeven
