#include "reports/document/lower_precision.h"

#include <algorithm>
#include <map>
#include <utility>

#include "statistics/estimate.h"
#include "verdicts/roofline.h"

namespace breakeven {

std::vector<OverF32> over_f32(const std::vector<Timed>& all) {
  using ByDtype = std::map<std::string, const CaseResult*>;
  using OpOnDevice = std::pair<std::string, std::string>;
  std::map<OpOnDevice, std::map<std::string, ByDtype>> by_place;  // by problem
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    if (is_ceiling(c)) continue;
    keep_faster(by_place[{c.op, c.device}][rest_of(c.parameters, "dtype", false)][c.dtype], c);
  }
  std::vector<OverF32> found;
  for (const auto& [place, problems] : by_place) {
    std::map<std::string, std::vector<Estimate>> faster;  // by dtype
    for (const auto& [problem, dtypes] : problems) {
      const auto f32 = dtypes.find("f32");
      if (f32 == dtypes.end()) continue;
      for (const auto& [dtype, c] : dtypes) {
        if (dtype != "f32")
          faster[dtype].push_back({.value = f32->second->seconds->median / c->seconds->median});
      }
    }
    for (const auto& [dtype, ratios] : faster) {
      const auto [least, most] = std::ranges::minmax(ratios, {}, &Estimate::value);
      found.push_back({.op = place.first,
                       .device = place.second,
                       .dtype = dtype,
                       .mean = geometric_mean(ratios).value,
                       .least = least.value,
                       .most = most.value,
                       .problems = ratios.size()});
    }
  }
  return found;
}

}  // namespace breakeven
