// The file of the kernels of a library that were fastest here, so that each library is raced only once.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace breakeven {

/// Identifies the machine and library for which a choice of kernels is valid. Machines of several kinds may
/// share a home folder.
struct ChoiceKey {
  std::string processor, features;     // cpu_identity(), cpu_features()
  std::string library, version, file;  // `version` includes the kernels of the library's own choice
  bool operator==(const ChoiceKey&) const = default;
};

/// Thrown for text that is not such a file's.
class DamagedCache : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the kernels that the text of a cache file names for `key`; empty if it has no choice for it, or if
/// the text is empty. Throws DamagedCache.
std::optional<std::string> cached_choice(const std::string& text, const ChoiceKey& key);

/// Returns the text with this choice added, or in place of an earlier one. A damaged text is replaced.
std::string with_choice(const std::string& text, const ChoiceKey& key, const std::string& kernels);

/// The path of the cache file: breakeven/kernels.json in XDG_CACHE_HOME, or in ~/.cache. Empty if the
/// environment defines neither.
std::filesystem::path choices_file();

/// Reads the cache file; empty if there is none. Throws DamagedCache for one that is too large or not an
/// ordinary file, std::system_error for one that cannot be read.
std::string read_choices(const std::filesystem::path& file);

}  // namespace breakeven
