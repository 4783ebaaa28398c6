#include "workloads/fit.h"

#include <algorithm>

#include "workloads/dtype.h"

namespace breakeven {

Fit find_fit(std::int64_t most, std::int64_t step, const std::function<std::string(std::int64_t)>& why_not) {
  Fit fit;
  const auto fits = [&](std::int64_t size) {
    std::string why = why_not(size);
    if (why.empty()) {
      fit.largest = size;
      return true;
    }
    fit.refused = size;
    fit.limit = std::move(why);
    return false;
  };
  most -= most % step;
  for (std::int64_t size = step; fits(size); size = std::min(2 * size, most)) {
    if (size == most) return fit;
  }
  while (fit.refused - fit.largest > std::max(step, fit.largest / 100))
    fits(fit.largest + (fit.refused - fit.largest) / step / 2 * step);
  return fit;
}

std::string library_limit(const std::string& why) {
  return "library limit: " + why;
}

std::int64_t fit_step(const Parameters& fits) {
  return fits.text("of") == "matmul" && facts(*parse_dtype(fits.text("dtype"))).bytes() == 1 ? 16 : 1;
}

Case case_of_size(const Parameters& fits, std::int64_t size) {
  const std::string& of = fits.text("of");
  Parameters p{{"tuned", false}, {"dtype", fits.text("dtype")}};
  if (of == "matmul") {
    for (const char* dimension : {"m", "n", "k"}) p.set(dimension, size);
  } else {
    p.set("network", fits.text("network"));
    p.set("batch", size);
    if (of == "train") p.set("optimizer", fits.text("optimizer"));
  }
  return make_case(*find_workload(of), p);
}

}  // namespace breakeven
