#include "workloads/copy.h"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/random.h"
#include "workloads/transfer.h"

namespace breakeven {
namespace {

/// In the order of the enumeration.
const std::vector<std::string> directions{"to_device", "from_device", "within"};

Direction parse_direction(const std::string& name) {
  return static_cast<Direction>(std::find(directions.begin(), directions.end(), name) - directions.begin());
}

class CopyWorkload final : public Workload {
 public:
  std::string_view op() const override { return "copy"; }
  std::string_view meaning() const override {
    return "an array copied: between the host's memory and the device's, its bytes counted once, as a link's "
           "rate is; or within the memory that the backend computes in, counted twice, as read and written";
  }
  std::string_view plural() const override { return "copies"; }

  const std::vector<Parameter>& parameters() const override {
    static const std::vector<Parameter> all{
        choice_parameter("direction",
                         "to_device and from_device: from and to the host's memory. within: in the "
                         "backend's own memory, the host's of a CPU backend, the device's of a GPU's",
                         directions),
        Bandwidth::bytes_parameter(),
        choice_parameter("memory",
                         "the host's side: pinned, which the device reads and writes by itself, or pageable, "
                         "as it comes from malloc",
                         {"pinned", "pageable"}, "pinned"),
        tuned_parameter(),
        dtype_parameter({Dtype::f64, Dtype::f32}),
    };
    return all;
  }

  std::string title(const Parameters& parameters) const override {
    return what(Copy(parameters)) + how_text(parameters);
  }
  static std::string what(const Copy& p) {
    const char* memory = p.pinned ? "pinned" : "pageable";
    switch (p.direction) {
      case Direction::to_device:
        return fmt::format("{} to the device, from {} memory", p.array.title(), memory);
      case Direction::from_device:
        return fmt::format("{} from the device, to {} memory", p.array.title(), memory);
      case Direction::within:
        break;
    }
    return p.array.title() + " within one memory";
  }

  /// Resets a parameter that has no effect: `memory` within one memory, `tuned` over a link, where there is
  /// only one variant.
  void normalise(Parameters& parameters) const override {
    if (parameters.text("direction") == "within") {
      parameters.set("memory", "pinned");
    } else {
      parameters.set("tuned", true);
    }
  }

  void check(const Parameters& parameters) const override { Bandwidth(parameters).check(); }

  std::vector<Parameters> examples() const override {
    std::vector<Parameters> all;
    for (const std::int64_t bytes : Bandwidth::example_bytes) {
      for (const std::string& direction : directions) {
        for (const std::string memory : {"pinned", "pageable"}) {
          if (direction == "within" && memory != "pinned") continue;
          all.push_back({{"direction", direction}, {"bytes", bytes}, {"memory", memory}});
        }
      }
    }
    return all;
  }

  double flop(const Parameters&) const override { return 0; }
  double bytes(const Parameters& parameters) const override { return memory(parameters); }
  /// Counts one array for a copy over the link, because each side holds one, and two within one memory.
  double memory(const Parameters& parameters) const override {
    const Copy p(parameters);
    return (p.direction == Direction::within ? 2.0 : 1.0) * static_cast<double>(p.array.bytes);
  }

  OutputShape output(const Parameters& parameters) const override { return Bandwidth(parameters).shape(); }

  Evidence expect(const Parameters& parameters, std::uint64_t seed,
                  const std::vector<std::int64_t>& elements) const override {
    const Bandwidth p(parameters);
    const RandomStream source(seed, stream::first_operand);
    return array_truth(p.shape(), seed, elements,
                       [&](std::int64_t first, std::int64_t count, double* values) {
                         read_inputs(p.dtype, source, first, count, values);
                       });
  }

  /// Zero: a copy is exact, and so are the projections. Inputs are multiples of 2^-23 below 1, and f64 adds
  /// up to 2^30 of them without rounding, in any order; a projection of the largest array has 2^29.
  Tolerance tolerance(const Parameters&, const Evidence&) const override { return {}; }
};

const WorkloadRegistration<CopyWorkload> copy_registered;

}  // namespace

Copy::Copy(const Parameters& p)
    : direction(parse_direction(p.text("direction"))), pinned(p.text("memory") == "pinned"), array(p) {}

}  // namespace breakeven
