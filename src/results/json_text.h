// The JSON of files that a program wrote: strict, bounded, and with errors that say where.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace breakeven {

/// Files beyond this are refused before they take all memory: 10,000 cases with every sample are a tenth of
/// it.
inline constexpr std::uintmax_t largest_result_file = std::uintmax_t{256} << 20U;

/// All of a file; "-" is standard input. Throws ResultError, which names the file, where it cannot be read or
/// is too large.
std::string read_result_text(const std::filesystem::path& path);

enum class RepeatedKey { refused, first_counts };

/// Throws ResultError, which names the place but not the file, for text that is not JSON, is nested too
/// deeply, has a number that no double holds, too many keys in one object, or one of them twice.
nlohmann::ordered_json parse_strictly(const std::string& text, RepeatedKey repeated = RepeatedKey::refused);

}  // namespace breakeven
