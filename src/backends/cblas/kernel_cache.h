// The file that keeps which kernels of a library were the fastest here, so that they are raced once.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace breakeven::cblas {

/// Identifies where a choice of kernels holds. A home folder may serve machines of several kinds.
struct ChoiceKey {
  std::string processor, features;     // cpu_identity(), cpu_features()
  std::string library, version, file;  // with the kernels of its own choice in `version`
  bool operator==(const ChoiceKey&) const = default;
};

/// The text is not what a cache file holds.
class DamagedCache : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The kernels that the text of a cache file names for `key`; nothing where it has no choice for it. An empty
/// text has none. Throws DamagedCache.
std::optional<std::string> cached_choice(const std::string& text, const ChoiceKey& key);

/// The text with this choice, in place of an earlier one. A damaged text is not kept.
std::string with_choice(const std::string& text, const ChoiceKey& key, const std::string& kernels);

/// breakeven/kernels.json in XDG_CACHE_HOME, or in ~/.cache; empty where the environment names neither.
std::filesystem::path kernel_cache_file();

/// Empty where there is no file. Throws DamagedCache for one that is too large, std::system_error for one
/// that cannot be read.
std::string read_cache(const std::filesystem::path& file);

/// Makes its folder and writes it as a whole, by renaming a finished file. Throws std::system_error.
void write_cache(const std::filesystem::path& file, const std::string& text);

}  // namespace breakeven::cblas
