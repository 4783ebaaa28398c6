#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "results/counted_samples.h"
#include "statistics/estimate.h"
#include "statistics/summary.h"
#include "text/counted.h"
#include "verdicts/roofline.h"
#include "verdicts/scaling.h"
#include "workloads/bandwidth.h"
#include "workloads/dtype.h"
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

using BestByValue = std::map<double, const CaseResult*>;

BestByValue fastest_cpus(const Family& family, const std::string& dtype) {
  return family.fastest(dtype, [](const Timed& timed) { return !timed.is_gpu(); });
}
BestByValue fastest_gpus(const Family& family, const std::string& dtype) {
  return family.fastest(dtype, [](const Timed& timed) { return timed.is_gpu(); });
}

/// The shares of its own speed at which the CPU ran in the times that a GPU's are compared with.
std::vector<double> cpu_shares(const Family& family, const std::string& dtype) {
  const BestByValue gpus = fastest_gpus(family, dtype);
  std::vector<double> shares;
  for (const auto& [value, cpu] : fastest_cpus(family, dtype)) {
    const auto share = own_speed_of(*cpu);
    if (share && gpus.contains(value)) shares.push_back(*share);
  }
  return shares;
}

std::optional<Statement> gpu_statement(const Family& family, const std::string& dtype,
                                       const std::string& work) {
  const BestByValue cpus = fastest_cpus(family, dtype);
  const BestByValue gpus = fastest_gpus(family, dtype);
  std::map<double, Estimate> speedups;
  for (const auto& [value, gpu] : gpus) {
    if (const auto cpu = cpus.find(value); cpu != cpus.end())
      speedups[value] = ratio(cpu->second->seconds->estimate(), gpu->seconds->estimate());
  }
  if (speedups.empty()) return std::nullopt;
  const auto& [best_at, best] =
      *std::ranges::max_element(speedups, {}, [](const auto& at) { return at.second.value; });
  // A tie does not count as a win.
  const auto wins = [](const auto& at) { return at.second.value > 1 && !may_be_equal(at.second); };
  const std::string parameter = printable(family.parameter);
  const std::string& backend = gpus.at(best_at)->backend;
  const bool is_one =
      std::ranges::all_of(gpus, [&](const auto& at) { return at.second->backend == backend; });
  const std::string gpu =
      fmt::format("{}: the GPU{}", work, is_one ? fmt::format(" ({})", backend_title(backend)) : "");
  const std::string most = fmt::format("{} at {}{}", factor_text(best), at_value(family.parameter, best_at),
                                       is_one ? "" : fmt::format(" with {}", backend_title(backend)));
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
    return Statement{.text = fmt::format("{} is faster at none of {} of {}.", gpu,
                                         counted_text(speedups.size(), "value", "values"), parameter),
                     .in_short = "nowhere measured"};
  return Statement{
      .text = fmt::format("{} is faster at {} of {} of {}, {}.", gpu, won,
                          counted_text(speedups.size(), "value", "values"), parameter, most),
      .in_short = fmt::format("at {} of {}", won, counted_text(speedups.size(), "value", "values"))};
}

// ---- the ceilings of a device

}  // namespace

std::vector<std::string> peak_texts(const std::map<std::string, double>& gflops) {
  constexpr double large = 1e5;
  const bool in_tera = std::ranges::any_of(gflops, [](const auto& of) { return of.second >= large; });
  std::vector<std::string> floats;
  std::vector<std::string> integers;
  for (const auto& [dtype, rate] : gflops) {
    const auto known = parse_dtype(dtype);
    const bool is_integer = known && facts(*known).is_integer();
    std::vector<std::string>& texts = is_integer ? integers : floats;
    const std::string unit =
        texts.empty() ? fmt::format(" {}{}/s", in_tera ? "T" : "G", is_integer ? "OP" : "FLOP") : "";
    texts.push_back(
        fmt::format("{}{} in {}", number_text(in_tera ? rate * 1e-3 : rate), unit, printable(dtype)));
  }
  floats.insert(floats.end(), integers.begin(), integers.end());
  return floats;
}

namespace {

Statement device_statement(const std::string& device, const std::map<std::string, double>& gflops,
                           const Ceilings& ceilings) {
  constexpr double far_above_median = 1.2;
  constexpr double beyond_caches = 1e18;  // bytes
  const bool is_cpu = device == "cpu";
  const std::string name = device == "gpu" ? "GPU" : printable(device);
  const std::vector<std::string> rates = peak_texts(gflops);
  Statement said;
  if (!rates.empty())
    said.text = fmt::format("{}{}.", is_cpu ? "At most " : fmt::format("The {} reaches at most ", name),
                            joined_text(rates));
  const auto usual = ceilings.usual_bytes_per_second_of_memory();
  std::string memory;
  if (usual) {
    memory = number_text(*usual * 1e-9) + " GB/s";
    const double best = *ceilings.bytes_per_second(beyond_caches);
    said.text += fmt::format("{}{} moves up to {}{}.", rates.empty() ? "" : " ",
                             is_cpu ? "Memory" : fmt::format("The {}'s memory", name), memory,
                             best > far_above_median * *usual
                                 ? fmt::format(" ({} in the best sample)", number_text(best * 1e-9))
                                 : "");
    said.figures.push_back({.value = memory, .meaning = "memory, beyond the caches"});
  }
  said.in_short = fmt::format("{}{}{}", memory, memory.empty() || rates.empty() ? "" : ", ",
                              rates.empty() ? "" : rates.front());
  return said;
}

/// Makes a statement for each family and dtype. The work names the dtype if there are several.
template <typename Make>
std::vector<Statement> by_dtype(const std::vector<Family>& families, Make make) {
  std::vector<Statement> said;
  for (const Family& family : families) {
    for (const auto& [dtype, work] : family.works()) {
      if (std::optional<Statement> one = make(family, dtype, work)) said.push_back(std::move(*one));
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
  return by_dtype(families, [](const Family& family, const std::string& dtype, const std::string& work) {
    std::optional<Statement> said = gpu_statement(family, dtype, work);
    const std::vector<double> shares = cpu_shares(family, dtype);
    if (said && !shares.empty() && median(shares) < baseline_speed_share)
      said = Statement{.text = work + ": there is no baseline for the GPU.", .in_short = "no baseline"};
    const std::string slow = slow_machine_text("The CPU", shares);
    if (said && !slow.empty()) said->text += " " + slow;
    return said;
  });
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
  for (const OverValue& one : over_f32(all)) {
    const std::string dtype = printable(one.value);
    const std::string factor = factor_text(one.mean);
    const std::string where = one.device == "cpu" ? "" : " on the GPU";
    said.push_back(
        {.text = fmt::format("{}{} run {} as fast in {} as in f32{}.", capitalised(plural_of(one.op)), where,
                             factor, dtype, range_text(one.problems, one.least, one.most)),
         .in_short = fmt::format("{}: {}", dtype, factor),
         .figures = {
             {.value = factor, .meaning = fmt::format("{} in {} over f32", plural_of(one.op), dtype)}}});
  }
  return said;
}

std::vector<Statement> ceiling_statements(const Measurements& measured) {
  struct Limits {
    std::map<std::string, double> gflops;  // by dtype
    const Ceilings* ceilings = nullptr;
    const CaseResult* launch = nullptr;
  };
  std::map<std::string, Limits> by_device;
  for (const Timed& timed : measured.timed) {
    const CaseResult& c = *timed.result;
    const Value* waits = c.parameters.find("waits");
    if (c.op == "launch" && waits != nullptr && *waits == Value(true))
      keep_faster(by_device[c.device].launch, c);
    if (!is_ceiling(c)) continue;
    Limits& limits = by_device[c.device];
    limits.ceilings = &measured.ceilings[timed.device];
    if (const auto rate = limits.ceilings->flop_per_second(c.dtype); c.op == "peak" && rate)
      limits.gflops[c.dtype] = *rate * 1e-9;
  }
  std::vector<Statement> said;
  for (const auto& [device, limits] : by_device) {
    if (limits.ceilings != nullptr) {
      Statement one = device_statement(device, limits.gflops, *limits.ceilings);
      if (!one.text.empty()) said.push_back(std::move(one));
    }
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
