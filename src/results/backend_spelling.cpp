#include "results/backend_spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>
#include <regex>
#include <utility>

namespace breakeven {

std::string backend_spelling(std::string_view name) {
  // Other backends are shown by their own names.
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
  const auto* found =
      std::ranges::find_if(written, [&](const auto& of) { return of.first == name.substr(0, dash); });
  if (found == written.end()) return std::string(name);
  if (dash == std::string_view::npos) return std::string(found->second);
  if (const auto version = version_in_name(name); !version.empty())
    return fmt::format("{} {}", found->second, version);
  return fmt::format("{} ({})", found->second,
                     boost::replace_all_copy(std::string(name.substr(dash + 1)), "-", ", "));
}

std::string_view version_in_name(std::string_view backend) {
  const std::size_t dash = backend.find('-');
  if (dash == std::string_view::npos) return {};
  const std::string_view version = backend.substr(dash + 1);
  const bool is_number = !version.empty() && std::isdigit(static_cast<unsigned char>(version.front())) != 0;
  return is_number ? version : std::string_view{};
}

std::string algorithm_without_times(std::string_view algorithm) {
  static const std::regex time(" took [0-9][0-9.e+]*x");
  return std::regex_replace(std::string(algorithm), time, "");
}

}  // namespace breakeven
