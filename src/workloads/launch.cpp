#include "workloads/launch.h"

#include "workloads/random.h"

namespace breakeven {

Launch::Launch(const Parameters& p) : waits(p.boolean("waits")) {}

float Launch::number(std::uint64_t seed) {
  return static_cast<float>(input_value(Dtype::f32, RandomStream(seed, stream::first_operand), 0));
}

namespace {

class LaunchWorkload final : public Workload {
 public:
  std::string_view op() const override { return "launch"; }
  std::string_view meaning() const override {
    return "work that does next to nothing, started: an empty kernel on a GPU, an empty region of all "
           "threads "
           "on a CPU, a framework's smallest operation";
  }
  std::string_view plural() const override { return "launches"; }

  const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> all{
        boolean_parameter("waits",
                          "true: each is waited for before the next is started, which is a latency; false: "
                          "they are started without waiting, which is a rate",
                          true),
        dtype_parameter({Dtype::f32}),
    };
    return all;
  }

  std::string title(const Parameters& parameters) const override {
    return Launch(parameters).waits ? "each waited for" : "started without waiting";
  }

  std::vector<Parameters> examples() const override { return {{{"waits", true}}, {{"waits", false}}}; }

  double flop(const Parameters&) const override { return 0; }
  double bytes(const Parameters&) const override { return 0; }
  double memory(const Parameters&) const override { return sizeof(float); }

  OutputShape output(const Parameters&) const override { return one_number; }

  Evidence expect(const Parameters&, std::uint64_t seed,
                  const std::vector<std::int64_t>& elements) const override {
    return evidence_of_number(Launch::number(seed), seed, elements);
  }

  /// The result is a number that is only written, so the only error is its rounding.
  Tolerance tolerance(const Parameters&, const Evidence&) const override {
    return {.relative = facts(Dtype::f32).unit_roundoff};
  }
};

const WorkloadRegistration<LaunchWorkload> launch_registered;

}  // namespace
}  // namespace breakeven
