#include "results/shard.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "text/hash.h"

namespace breakeven {
namespace {

/// A number of one to six digits; empty for other texts.
std::optional<std::size_t> short_number(std::string_view text) {
  constexpr std::size_t longest = 6;
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || behind != end || text.size() > longest) return std::nullopt;
  return number;
}

}  // namespace

std::string Shard::text() const {
  return fmt::format("{}/{}", number, count);
}

std::optional<Shard> parse_shard(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto number = short_number(text.substr(0, slash));
  const auto count = short_number(text.substr(slash + 1));
  if (!number || !count || *number < 1 || *number > *count) return std::nullopt;
  return Shard{.number = *number, .count = *count};
}

std::string fingerprint_of(const std::vector<std::string>& ids) {
  Hash hash;
  for (const std::string& id : ids) {
    hash.add(id);
    hash.add("\n");
  }
  return hash.text();
}

}  // namespace breakeven
