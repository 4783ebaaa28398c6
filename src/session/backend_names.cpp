#include "session/backend_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <iterator>

#include "plan/suggestion.h"
#include "results/backend_spelling.h"

namespace breakeven {
namespace {

/// From the CMakeLists.txt of the backends' folders.
constexpr OwnBackend all_own[] = {
#include "own_backends.inc"
};

const OwnBackend* find_own(std::string_view name) {
  const auto* found = std::ranges::find(all_own, name, &OwnBackend::name);
  return found == std::end(all_own) ? nullptr : found;
}

/// True for a version of a library that scripts/setup-libraries installs, such as "openblas-0.3.30".
bool is_brought_version(std::string_view name) {
  const std::string_view version = version_in_name(name);
  if (version.empty()) return false;
  const OwnBackend* library = find_own(name.substr(0, name.size() - version.size() - 1));
  return library != nullptr && library->has_versions;
}

/// "; did you mean 'openblas'?", whatever the case of the name's letters; empty if no name is similar.
std::string suggestion(std::string_view name, std::span<const BackendProgram> programs) {
  std::vector<std::string> names;
  for (const BackendProgram& program : programs) names.push_back(program.name);
  for (const OwnBackend& backend : all_own) names.emplace_back(backend.name);
  return did_you_mean(boost::algorithm::to_lower_copy(std::string(name)), names);
}

}  // namespace

std::span<const OwnBackend> own_backends() {
  return all_own;
}

bool is_own_backend(std::string_view name) {
  return find_own(name) != nullptr || is_brought_version(name);
}

bool is_unknown_backend(std::string_view name, std::span<const BackendProgram> programs) {
  return !is_own_backend(name) && std::ranges::find(programs, name, &BackendProgram::name) == programs.end();
}

std::string no_such_backend(std::string_view name, std::span<const BackendProgram> programs) {
  const std::string near = suggestion(name, programs);
  return fmt::format("there is no such backend{}",
                     near.empty() ? "; `breakeven devices` lists those that are here" : near);
}

std::string why_no_program(std::string_view name, std::span<const BackendProgram> programs) {
  if (const OwnBackend* known = find_own(name)) return fmt::format("was not built here; {}", known->remedy);
  if (is_brought_version(name))
    return "was not built here; scripts/setup-libraries brings versions of libraries "
           "(docs/compare-libraries.md)";
  return fmt::format("there is no program breakeven-backend-{}{}", name, suggestion(name, programs));
}

}  // namespace breakeven
