#include "reports/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "reports/text.h"
#include "reports/units.h"
#include "statistics/summary.h"

namespace breakeven {
namespace {

bool ok(const CaseResult& r) {
  return r.status == Status::ok && r.seconds.has_value();
}

std::string time(const CaseResult& r) {
  return ok(r) ? format_seconds(r.seconds->median) : "";
}

std::string interval(const CaseResult& r) {
  if (!ok(r) || !r.seconds->ci_low || !r.seconds->ci_high) return "";
  return "±" + format_percent(relative_half_width({.low = *r.seconds->ci_low, .high = *r.seconds->ci_high},
                                                  r.seconds->median));
}

std::string samples_per_second_text(const CaseResult& r) {
  if (!ok(r) || r.samples <= 0) return "";
  return format_number(static_cast<double>(r.samples) / r.seconds->median);
}

/// Of networks, the images a second are what people know.
std::string gflops(const CaseResult& r) {
  const auto rate = r.gflops();
  return rate && r.flop > 0 && r.samples == 0 ? format_number(*rate) : "";
}

/// Only where memory decides: every machine of the last decade does ten operations and more in the time of
/// moving one byte.
std::string gbps(const CaseResult& r) {
  constexpr double operations_per_byte = 10;
  const auto rate = r.gbps();
  return rate && r.bytes > 0 && r.flop < operations_per_byte * r.bytes ? format_number(*rate) : "";
}

std::string device_time(const CaseResult& r) {
  return ok(r) && r.device_seconds ? format_seconds(*r.device_seconds) : "";
}

std::string energy(const CaseResult& r) {
  return ok(r) && r.joules ? format_joules(*r.joules) : "";
}

std::string p50(const CaseResult& r) {
  return ok(r) && r.latency ? format_seconds(r.latency->p50) : "";
}

std::string p99(const CaseResult& r) {
  return ok(r) && r.latency ? format_seconds(r.latency->p99) : "";
}

/// A loss that is not finite has diverged: said as it is.
std::string loss_text(double loss) {
  return std::isfinite(loss) ? format_number(loss) : "diverged";
}

std::string loss(const CaseResult& r) {
  if (!r.training || r.training->loss.empty()) return "";
  return fmt::format("{} → {}", loss_text(r.training->loss.front()), loss_text(r.training->loss.back()));
}

std::string epoch(const CaseResult& r) {
  if (!r.training || r.training->epoch_seconds.empty()) return "";
  return format_seconds(median(r.training->epoch_seconds));
}

std::string accuracy(const CaseResult& r) {
  if (!r.training || !r.training->accuracy || !std::isfinite(*r.training->accuracy)) return "";
  return fmt::format("{:.1f}%", *r.training->accuracy * 100);
}

std::string to_accuracy(const CaseResult& r) {
  if (!r.training) return "";
  if (r.training->seconds_to_accuracy) return format_seconds(*r.training->seconds_to_accuracy);
  const Value* target = r.parameters.find("target_accuracy");
  if (target == nullptr || *target == Value(0.0) || *target == Value(std::int64_t{0})) return "";
  return "not reached";
}

std::string largest(const CaseResult& r) {
  return r.fit ? fmt::format("{}", r.fit->largest) : "";
}

std::string refused(const CaseResult& r) {
  return r.fit && r.fit->refused > 0 ? fmt::format("{}", r.fit->refused) : "";
}

std::string limit(const CaseResult& r) {
  constexpr std::size_t columns = 40;
  return r.fit ? shorten(printable(r.fit->limit), columns) : "";
}

/// A figure that the result alone tells.
template <std::string (*text)(const CaseResult&)>
std::string of(const Entry& entry) {
  return text(*entry.result);
}

std::string roofline_share(const Entry& entry) {
  if (!entry.roofline) return "";
  return fmt::format("{} {}", format_percent(entry.roofline->share),
                     entry.roofline->arithmetic ? "arithmetic" : "memory");
}

}  // namespace

std::vector<Figure> figures(const ProblemGroup& group) {
  static const auto all = std::to_array<Figure>({
      {.header = "time", .text = of<time>, .essential = true},
      {.header = "95%", .text = of<interval>, .essential = true},
      {.header = "largest", .text = of<largest>, .essential = true},
      {.header = "too large", .text = of<refused>},
      {.header = "because", .text = of<limit>},
      {.header = "GFLOP/s", .text = of<gflops>},
      {.header = "samples/s", .text = of<samples_per_second_text>},
      {.header = "GB/s", .text = of<gbps>},
      {.header = "of ceiling", .text = roofline_share},
      {.header = "device time", .text = of<device_time>},
      {.header = "energy", .text = of<energy>},
      {.header = "p50", .text = of<p50>},
      {.header = "p99", .text = of<p99>},
      {.header = "loss", .text = of<loss>},
      {.header = "accuracy", .text = of<accuracy>},
      {.header = "to target", .text = of<to_accuracy>},
      {.header = "epoch", .text = of<epoch>},
  });
  std::vector<Figure> shown;
  for (const Figure& figure : all) {
    const auto has_some = [&](const Problem& problem) {
      return std::any_of(problem.entries.begin(), problem.entries.end(),
                         [&](const Entry& e) { return !figure.text(e).empty(); });
    };
    if (std::any_of(group.problems.begin(), group.problems.end(), has_some)) shown.push_back(figure);
  }
  return shown;
}

}  // namespace breakeven
