// Reference results of earlier runs, kept in files. A result is taken from there only if the same program
// would compute it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "protocol/messages.h"

namespace breakeven {

/// One file for each result. Several programs may use the folder at once. A file that is damaged, or that
/// belongs to another case, is replaced. What cannot be read or written is computed again, without an error.
class ReferenceCache {
 public:
  static constexpr std::uintmax_t usual_bytes = std::uintmax_t{256} << 20U;

  /// `program` identifies the program that computes, as hash_of_file() does: results of another one are never
  /// used. If the files have more than `most_bytes` bytes, those that were not used for the
  /// longest time are removed.
  ReferenceCache(std::filesystem::path folder, std::string program, std::uintmax_t most_bytes = usual_bytes);

  /// The reference result of a case: the one that was kept, or that of compute(), which is then kept.
  Evidence result(const request::Expect& request, const std::function<Evidence()>& compute);

  /// The file of a result.
  std::filesystem::path file_of(const request::Expect& request);

 private:
  /// Everything on which the result depends, as text: the program, the case, the seed, the elements and the
  /// contents of the data set.
  std::string key_of(const request::Expect& request);
  std::filesystem::path file_of_key(const std::string& key) const;
  const std::string& data_set(const std::filesystem::path& folder);
  static std::optional<Evidence> read(const std::filesystem::path& file, const std::string& key,
                                      std::size_t elements);
  void write(const std::filesystem::path& file, const std::string& text);
  void remove_surplus();

  std::filesystem::path folder_;
  std::string program_;
  std::uintmax_t most_bytes_;
  std::optional<std::uintmax_t> bytes_;                     // of all files, as far as this process knows
  std::map<std::filesystem::path, std::string> data_sets_;  // hashes of their files
};

/// 16 hexadecimal digits that differ if the contents do (FNV-1a, 64 bits). Empty if the file cannot be read.
std::string hash_of_file(const std::filesystem::path& file);

/// The cache in the user's folder, for this program, if the variable `reference_cache_variable` is 1. Null if
/// it is not, or if there is no such folder.
std::unique_ptr<ReferenceCache> open_reference_cache();

}  // namespace breakeven
