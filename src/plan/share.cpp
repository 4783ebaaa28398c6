#include "plan/share.h"

#include <fmt/format.h>

#include <cstddef>

namespace breakeven {

Share read_share(const Json& entry, const Place& place, const std::filesystem::path& folder) {
  Json bare = entry;
  if (bare.is_object()) {
    bare.erase("weight");
    bare.erase("or_dtype");
  }
  Share share{.sweep = read_sweep(bare, place, folder), .weight = 1, .instead = {}};
  if (entry.contains("weight"))
    share.weight =
        require_above_zero(entry["weight"], place / "weight", ": how often each of the cases runs");
  if (!entry.contains("or_dtype")) return share;
  const Json& others = entry["or_dtype"];
  const Place at = place / "or_dtype";
  if (!others.is_array() || others.empty())
    at.fail(fmt::format("is {}; it must be a list of dtypes that are acceptable, too, such as [\"bf16\"]",
                        shown(others)));
  if (!bare.contains("dtype") || bare["dtype"].is_structured())
    at.fail("needs one 'dtype' that these may stand in for; give each dtype an entry of its own");
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i] == bare["dtype"]) (at / i).fail("is the workload's own dtype; remove it");
    Json other = bare;
    other["dtype"] = others[i];
    share.instead.push_back(read_sweep(other, at / i, folder));
  }
  return share;
}

}  // namespace breakeven
