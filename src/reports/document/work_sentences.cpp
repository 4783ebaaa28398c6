#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "statistics/estimate.h"
#include "verdicts/roofline.h"
#include "verdicts/scaling.h"
#include "workloads/bandwidth.h"
#include "workloads/ranks.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

std::string at_value(const std::string& parameter, double value) {
  return fmt::format("{} {}", parameter == "batch" ? "batch" : printable(parameter) + " =",
                     count_text(value));
}

Statement batch_statement(const std::string& work, const std::map<double, const CaseResult*>& best) {
  constexpr double nearly = 0.95;
  const auto rate = [](const auto& at) {  // images per second
    return static_cast<double>(at.second->samples) / at.second->seconds->median;
  };
  const double first = rate(*best.begin());
  const double last = rate(*best.rbegin());
  const std::string least = count_text(best.begin()->first);
  const std::string most = count_text(best.rbegin()->first);
  const std::string gain = factor_text(last / first);
  const double highest = rate(*std::ranges::max_element(best, {}, rate));
  const auto reaches =
      std::ranges::find_if(best, [&](const auto& at) { return rate(at) >= nearly * highest; });
  return {.text = fmt::format("{}: {} images/s at batch {}, {} at batch {} ({}).", work, number_text(first),
                              least, number_text(last), most, gain),
          .in_short = fmt::format("{} from batch {} to {}", gain, least, most),
          .figures = {{.value = gain,
                       .meaning = fmt::format("images/s at batch {} over batch {}: {}", most, least, work)},
                      {.value = count_text(reaches->first),
                       .meaning = "smallest batch with 95 % of the most images/s"}}};
}

// ---- several ranks and one

/// The parameters of training for readers, without network and ranks, which the sentence names: "batch 128,
/// f32".
std::string settings_of(const CaseResult& result) {
  const Workload* workload = find_workload(result.op);
  if (workload == nullptr) return result.id;
  Parameters shown = result.parameters;
  shown.set("ranks", std::int64_t{1});
  const std::string title = workload->title(shown);
  return title.substr(std::min(title.size(), result.parameters.text("network").size() + 2));
}

Statement scaling_statement(const Scaling& one) {
  const CaseResult& many = *one.many;
  const std::string gain = factor_text(one.speedup.value);
  const std::string ideal = percent_text(one.efficiency.value);
  std::string text = fmt::format("{}, {}, on {} ranks with {}: {} the images/s of one", activity_of(many),
                                 settings_of(many), one.ranks, backend_title(many.backend), gain);
  if (one.is_weak) text += fmt::format(" with batch {}", count_text(static_cast<double>(one.one->samples)));
  text += fmt::format(", {} of ideal", ideal);
  if (const auto& interval = one.efficiency.interval)
    text += fmt::format(" ({} to {})", percent_text(interval->low), percent_text(interval->high));
  if (one.communication)
    text += fmt::format("; {} of a step is communication", percent_text(*one.communication));
  return {.text = text + ".",
          .in_short = fmt::format("{} on {} ranks", gain, one.ranks),
          .figures = {{.value = ideal,
                       .meaning = fmt::format("of ideal on {} ranks: {}, {}", one.ranks, activity_of(many),
                                              settings_of(many))}}};
}

// ---- the GPU and the processors of its machine

std::optional<Statement> gpu_statement(const Family& family, const std::string& dtype,
                                       const std::string& work) {
  const auto cpus = family.fastest(dtype, [](const Timed& timed) { return !timed.is_gpu(); });
  const auto gpus = family.fastest(dtype, [](const Timed& timed) { return timed.is_gpu(); });
  std::map<double, Estimate> speedups;
  for (const auto& [value, gpu] : gpus) {
    if (const auto cpu = cpus.find(value); cpu != cpus.end())
      speedups[value] = ratio(cpu->second->seconds->estimate(), gpu->seconds->estimate());
  }
  if (speedups.empty()) return std::nullopt;
  const auto& [best_at, best] =
      *std::ranges::max_element(speedups, {}, [](const auto& at) { return at.second.value; });
  // A tie does not count as a win.
  const auto wins = [](const auto& at) {
    return (at.second.interval ? at.second.interval->low : at.second.value) > 1;
  };
  const std::string parameter = printable(family.parameter);
  const std::string gpu = fmt::format("{}: the GPU ({})", work, backend_title(gpus.at(best_at)->backend));
  const std::string most =
      fmt::format("{} at {}", factor_text(best.value), at_value(family.parameter, best_at));
  auto from = speedups.end();
  while (from != speedups.begin() && wins(*std::prev(from))) --from;
  if (from == speedups.begin())
    return Statement{.text = fmt::format("{} wins at every {} measured, from {} up; {}.", gpu, parameter,
                                         count_text(from->first), most),
                     .in_short = "everywhere measured"};
  if (from != speedups.end()) {
    const std::string start = "from " + at_value(family.parameter, from->first);
    return Statement{.text = fmt::format("{} wins {} up; {}.", gpu, start, most), .in_short = start};
  }
  const auto won = std::ranges::count_if(speedups, wins);
  if (won == 0)
    return Statement{
        .text = fmt::format("{} is faster at none of the {} values of {}.", gpu, speedups.size(), parameter),
        .in_short = "nowhere measured"};
  return Statement{.text = fmt::format("{} is faster at {} of {} values of {}, {}.", gpu, won,
                                       speedups.size(), parameter, most),
                   .in_short = fmt::format("at {} of {} values", won, speedups.size())};
}

/// Makes a statement for each family and dtype. The work names the dtype if there are several.
template <typename Make>
std::vector<Statement> by_dtype(const std::vector<Family>& families, Make make) {
  std::vector<Statement> said;
  for (const Family& family : families) {
    const std::set<std::string> dtypes = family.dtypes();
    for (const std::string& dtype : dtypes) {
      const std::string in_dtype = dtypes.size() > 1 ? " in " + printable(dtype) : "";
      if (std::optional<Statement> one = make(family, dtype, family.work() + in_dtype))
        said.push_back(std::move(*one));
    }
  }
  return said;
}

}  // namespace

std::vector<Statement> batch_statements(const std::vector<Family>& families) {
  return by_dtype(families,
                  [](const Family& family, const std::string& dtype,
                     const std::string& work) -> std::optional<Statement> {
                    if (family.parameter != "batch") return std::nullopt;
                    const auto best =
                        family.fastest(dtype, [](const Timed& timed) { return timed.result->samples > 0; });
                    return best.size() > 1 ? std::optional(batch_statement(work, best)) : std::nullopt;
                  });
}

std::vector<Statement> gpu_statements(const std::vector<Family>& families) {
  return by_dtype(families, gpu_statement);
}

std::vector<Statement> scaling_statements(const Runs& runs) {
  std::vector<Statement> said;
  for (const Result* run : runs) {
    // The fastest backend on several ranks, among those that did the same work.
    std::map<std::tuple<std::string, std::int64_t, bool>, Scaling> best;
    for (const Scaling& one : scalings_of(*run)) {
      const auto at = std::tuple(activity_of(*one.many) + settings_of(*one.many), one.ranks, one.is_weak);
      const auto known = best.find(at);
      if (known == best.end() || one.many->seconds->median < known->second.many->seconds->median)
        best.insert_or_assign(at, one);
    }
    for (const auto& [at, one] : best) said.push_back(scaling_statement(one));
  }
  return said;
}

std::vector<Statement> precision_statements(const std::vector<Timed>& all) {
  std::vector<Statement> said;
  for (const OverF32& one : over_f32(all)) {
    const std::string dtype = printable(one.dtype);
    const std::string factor = factor_text(one.mean);
    const std::string where = one.device == "cpu" ? "" : " on the GPU";
    const std::string range = one.problems == 1 ? ""
                                                : fmt::format(" ({} problems: {} to {})", one.problems,
                                                              factor_text(one.least), factor_text(one.most));
    said.push_back({.text = fmt::format("{}{} run {} as fast in {} as in f32{}.",
                                        capitalised(plural_of(one.op)), where, factor, dtype, range),
                    .in_short = fmt::format("{}: {}", dtype, factor),
                    .figures = {{.value = factor,
                                 .meaning = fmt::format("{} in {} over f32", plural_of(one.op), dtype)}}});
  }
  return said;
}

std::vector<Statement> ceiling_statements(const std::vector<Timed>& all, const Runs& runs) {
  constexpr double beyond_caches = 1e18;  // bytes
  const CeilingsByDevice known = ceilings(runs);
  struct Limits {
    std::map<std::string, double> gflops;  // by dtype
    std::optional<double> memory;
    const CaseResult* launch = nullptr;
  };
  std::map<std::string, Limits> by_device;
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    const Value* waits = c.parameters.find("waits");
    if (c.op == "launch" && waits != nullptr && *waits == Value(true))
      keep_faster(by_device[c.device].launch, c);
    const Ceilings* of_device = find_ceilings(known, *timed.run, c);
    if (of_device == nullptr || !is_ceiling(c)) continue;
    Limits& limits = by_device[c.device];
    limits.memory = of_device->bytes_per_second(beyond_caches);
    if (const auto rate = of_device->flop_per_second(c.dtype); c.op == "peak" && rate)
      limits.gflops[c.dtype] = *rate * 1e-9;
  }
  std::vector<Statement> said;
  for (const auto& [device, limits] : by_device) {
    const std::string where =
        device == "cpu" ? "At most "
                        : fmt::format("The {} reaches at most ", device == "gpu" ? "GPU" : printable(device));
    std::vector<std::string> rates;
    for (const auto& [dtype, gflops] : limits.gflops)
      rates.push_back(
          fmt::format("{}{} in {}", number_text(gflops), rates.empty() ? " GFLOP/s" : "", printable(dtype)));
    const std::string memory =
        limits.memory ? fmt::format("{} GB/s", number_text(*limits.memory * 1e-9)) : "";
    if (!rates.empty())
      said.push_back(
          {.text = fmt::format("{}{}.{}", where, joined_text(rates),
                               memory.empty() ? "" : fmt::format(" Memory moves up to {}.", memory)),
           .in_short = fmt::format("{}{}{}", memory, memory.empty() ? "" : ", ", rates.front())});
    else if (!memory.empty())
      said.push_back({.text = fmt::format("{}{} of memory.", where, memory), .in_short = memory});
    if (!said.empty() && limits.memory)
      said.back().figures.push_back({.value = memory, .meaning = "memory, beyond the caches"});
    if (limits.launch == nullptr) continue;
    const std::string time = format_seconds(limits.launch->seconds->median);
    said.push_back({.text = fmt::format("Starting work that does nothing, and waiting for it, takes {} ({}).",
                                        time, backend_title(limits.launch->backend)),
                    .in_short = time});
  }
  return said;
}

std::vector<Statement> exchange_statements(const std::vector<Timed>& all) {
  struct Exchange {
    const CaseResult* fastest = nullptr;   // by bandwidth
    const CaseResult* smallest = nullptr;  // by bytes
  };
  using Key = std::tuple<std::string, std::int64_t, std::string>;  // operation, ranks, backend
  std::vector<std::pair<Key, Exchange>> found;                     // in the order of the results
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    const Workload* workload = find_workload(c.op);
    if (workload == nullptr || !workload->is_collective() || c.parameters.find("bytes") == nullptr) continue;
    const Key key{c.op, ranks_of(c.parameters), c.backend};
    auto known = std::ranges::find(found, key, &std::pair<Key, Exchange>::first);
    if (known == found.end()) known = found.insert(known, {key, {.fastest = &c, .smallest = &c}});
    Exchange& one = known->second;
    if (c.bytes / c.seconds->median > one.fastest->bytes / one.fastest->seconds->median) one.fastest = &c;
    if (c.bytes < one.smallest->bytes) one.smallest = &c;
  }
  std::vector<Statement> said;
  for (const auto& [key, one] : found) {
    const auto& [op, ranks, backend] = key;
    const std::string rate = number_text(one.fastest->bytes / one.fastest->seconds->median * 1e-9) + " GB/s";
    said.push_back(
        {.text =
             fmt::format("{} on {} ranks ({}): up to {} of bus bandwidth, at {}; {} takes {}.", op, ranks,
                         backend_title(backend), rate, bytes_text(one.fastest->parameters.integer("bytes")),
                         bytes_text(one.smallest->parameters.integer("bytes")),
                         format_seconds(one.smallest->seconds->median)),
         .in_short = fmt::format("{}: {}", op, rate),
         .figures = {{.value = rate, .meaning = fmt::format("bus bandwidth of {}, {} ranks", op, ranks)}}});
  }
  return said;
}

std::vector<Statement> fit_statements(const Runs& runs) {
  std::vector<Statement> said;
  for (const Result* run : runs) {
    for (const CaseResult& c : run->cases) {
      if (c.fit)
        said.push_back({.text = fmt::format("{}: {}.", capitalised(problem_title(c)), describe_fit(*c.fit)),
                        .in_short = count_text(c.fit->largest)});
    }
  }
  return said;
}

}  // namespace breakeven
