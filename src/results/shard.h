// The part of a run that `--shard I/N` measures, and what its result file records to be joined with the
// others.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

/// Part `number` of `count` parts; numbers start from 1.
struct Shard {
  std::size_t number = 1, count = 1;
  std::string text() const;                        // "2/4"
  auto operator<=>(const Shard&) const = default;  // NOLINT(modernize-use-nullptr): the compiler's own 0
};

/// The shard with this text; empty for anything else, and for numbers that are not from 1 to the count.
/// Counts have at most six digits.
std::optional<Shard> parse_shard(std::string_view text);

/// The settings of a measurement that options of `run` change. The config in the result file does not have
/// them.
struct ShardSettings {
  double precision = 0, max_seconds = 0, energy_seconds = 0;
  bool library_defaults = false;
  bool operator==(const ShardSettings&) const = default;
};

struct ShardRecord {
  Shard shard;
  std::size_t cases = 0;               // of all shards together
  std::string fingerprint;             // of the ids of all these cases, in order
  std::vector<std::size_t> positions;  // of this shard's cases among all, rising
  ShardSettings settings = {};
  bool operator==(const ShardRecord&) const = default;
};

/// 16 hexadecimal digits that differ for other ids, or another order (FNV-1a, 64 bits).
std::string fingerprint_of(const std::vector<std::string>& ids);

}  // namespace breakeven
