#include "workloads/fit.h"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/network.h"

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
  const auto set_size = [&](Parameters& p, std::int64_t to) {
    if (of != "matmul") return p.set("batch", to);
    for (const char* dimension : {"m", "n", "k"}) p.set(dimension, to);
  };
  Parameters smallest{{"tuned", false}, {"dtype", fits.text("dtype")}};
  set_size(smallest, 1);
  if (of != "matmul") smallest.set("network", fits.text("network"));
  if (of == "train") smallest.set("optimizer", fits.text("optimizer"));
  Case made = make_case(*find_workload(of), smallest);
  set_size(made.parameters, size);  // only now: a device may hold more than a config may ask for
  return made;
}

namespace {

/// The largest problem that fits into the memory of a device. The device is asked; nothing is timed.
class FitsWorkload final : public Workload {
 public:
  std::string_view op() const override { return "fits"; }
  std::string_view meaning() const override {
    return "the largest square product, or the largest batch of a network, that a device's memory holds";
  }
  std::string_view plural() const override { return "capacities"; }
  bool is_timed() const override { return false; }

  const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> all{
        choice_parameter("of", "a product of n x n x n, or a step of a network: n or the batch is found",
                         {"matmul", "train", "infer"}),
        choice_parameter("network", "which, of train and infer", network_names(), "mlp"),
        choice_parameter("optimizer", "of train", {"sgd", "adam"}, "sgd"),
        dtype_parameter(all_dtypes()),
    };
    return all;
  }

  std::string title(const Parameters& p) const override {
    const std::string& of = p.text("of");
    if (of == "matmul") return fmt::format("n x n x n product, {}", p.text("dtype"));
    return fmt::format("batch to {} {}, {}", of, p.text("network"), p.text("dtype"));
  }

  void normalise(Parameters& p) const override {
    if (p.text("of") == "matmul") p.set("network", std::string("mlp"));
    if (p.text("of") != "train") p.set("optimizer", std::string("sgd"));
  }

  void check(const Parameters& p) const override {
    const auto& dtypes = find_workload(p.text("of"))->parameters().back();
    if (const auto wanted = dtypes.rejects(p.text("dtype")))
      throw InvalidCase(
          "dtype", fmt::format("dtype of {} is {} and must be {}", p.text("of"), p.text("dtype"), *wanted));
  }

  std::vector<Parameters> examples() const override { return {}; }

  double flop(const Parameters&) const override { return 0; }
  double bytes(const Parameters&) const override { return 0; }

  // There is no result to compare: whether memory is granted shows at once.
  OutputShape output(const Parameters&) const override { return {.outer = 0, .channels = 0, .inner = 0}; }
  Evidence expect(const Parameters&, std::uint64_t, const std::vector<std::int64_t>&) const override {
    return {};
  }
  Tolerance tolerance(const Parameters&, const Evidence&) const override { return {}; }
};

const WorkloadRegistration<FitsWorkload> fits_registered;

}  // namespace
}  // namespace breakeven
