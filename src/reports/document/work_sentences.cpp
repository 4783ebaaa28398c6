#include "reports/document/work_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/document/descriptions.h"
#include "reports/document/lower_precision.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "statistics/estimate.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

/// "Training the MLP, width 256, in bf16"; the dtype only where the operation has several.
std::string work_of(const Family& family, const std::string& dtype, bool with_dtype) {
  std::string text = activity_of(*family.members.front().second->result);
  if (!family.fixed_without_network.empty()) text += ", " + family.fixed_without_network;
  return with_dtype ? fmt::format("{} in {}", text, printable(dtype)) : text;
}

std::set<std::string> dtypes_of(const Family& family) {
  std::set<std::string> dtypes;
  for (const auto& [x, timed] : family.members) dtypes.insert(timed->result->dtype);
  return dtypes;
}

std::string at_value(const std::string& parameter, double value) {
  return parameter == "batch" ? fmt::format("batch {}", count_text(value))
                              : fmt::format("{} = {}", printable(parameter), count_text(value));
}

using Best = std::map<double, const CaseResult*>;  // by value

/// The fastest at each value, of those that `holds`.
template <typename Holds>
Best best_of(const Family& family, Holds holds) {
  Best best;
  for (const auto& [value, timed] : family.members) {
    if (holds(*timed)) keep_faster(best[value], *timed->result);
  }
  return best;
}

double images_per_second(const CaseResult& c) {
  return static_cast<double>(c.samples) / c.seconds->median;
}

Statement batch_statement(const std::string& work, const Best& best) {
  constexpr double nearly = 0.95;
  const auto& [first_batch, first] = *best.begin();
  const auto& [last_batch, last] = *best.rbegin();
  const double gain = images_per_second(*last) / images_per_second(*first);
  Statement said{
      .text = fmt::format("{}: {} images/s at batch {}, {} at batch {} ({}).", work,
                          number_text(images_per_second(*first)), count_text(first_batch),
                          number_text(images_per_second(*last)), count_text(last_batch), factor_text(gain)),
      .in_short = fmt::format("{} from batch {} to {}", factor_text(gain), count_text(first_batch),
                              count_text(last_batch))};
  const auto most = std::max_element(best.begin(), best.end(), [](const auto& a, const auto& b) {
    return images_per_second(*a.second) < images_per_second(*b.second);
  });
  const double enough = nearly * images_per_second(*most->second);
  const auto reaches = std::find_if(best.begin(), best.end(),
                                    [&](const auto& b) { return images_per_second(*b.second) >= enough; });
  said.figures = {
      {.value = factor_text(gain),
       .meaning = fmt::format("images/s at batch {} over batch {}: {}", count_text(last_batch),
                              count_text(first_batch), work)},
      {.value = count_text(reaches->first), .meaning = "smallest batch with 95 % of the most images/s"}};
  return said;
}

// ---- the GPU beside the processors of its machine

struct Pair {
  const CaseResult* cpu = nullptr;
  const CaseResult* gpu = nullptr;
};

Estimate speedup(const Pair& pair) {
  return ratio(pair.cpu->seconds->estimate(), pair.gpu->seconds->estimate());
}

bool gpu_wins(const Pair& pair) {
  const Estimate faster = speedup(pair);
  return faster.interval ? faster.interval->low > 1 : faster.value > 1;
}

std::optional<Statement> gpu_statement(const Family& family, const std::string& dtype,
                                       const std::string& work) {
  const auto of = [&](bool gpu) {
    return best_of(family,
                   [&](const Timed& timed) { return timed.result->dtype == dtype && timed.is_gpu() == gpu; });
  };
  std::map<double, Pair> pairs;
  for (const auto& [value, result] : of(false)) pairs[value].cpu = result;
  for (const auto& [value, result] : of(true)) pairs[value].gpu = result;
  std::erase_if(pairs, [](const auto& p) { return p.second.cpu == nullptr || p.second.gpu == nullptr; });
  if (pairs.empty()) return std::nullopt;
  const auto best = std::max_element(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
    return speedup(a.second).value < speedup(b.second).value;
  });
  const std::string gpu = backend_title(best->second.gpu->backend);
  const std::string most = fmt::format("{} at {}", factor_text(speedup(best->second).value),
                                       at_value(family.parameter, best->first));
  auto from = pairs.end();
  while (from != pairs.begin() && gpu_wins(std::prev(from)->second)) --from;
  if (from == pairs.end()) {
    const auto wins =
        std::count_if(pairs.begin(), pairs.end(), [](const auto& p) { return gpu_wins(p.second); });
    if (wins == 0)
      return Statement{.text = fmt::format("{}: the GPU ({}) is faster at none of the {} values of {}.", work,
                                           gpu, pairs.size(), printable(family.parameter)),
                       .in_short = "nowhere measured"};
    return Statement{.text = fmt::format("{}: the GPU ({}) is faster at {} of {} values of {}, {}.", work,
                                         gpu, wins, pairs.size(), printable(family.parameter), most),
                     .in_short = fmt::format("at {} of {} values", wins, pairs.size())};
  }
  const std::string when = from == pairs.begin()
                               ? fmt::format("at every {} measured, from {} up", printable(family.parameter),
                                             count_text(from->first))
                               : fmt::format("from {} up", at_value(family.parameter, from->first));
  return Statement{.text = fmt::format("{}: the GPU ({}) wins {}; {}.", work, gpu, when, most),
                   .in_short = from == pairs.begin() ? "everywhere measured"
                                                     : "from " + at_value(family.parameter, from->first)};
}

}  // namespace

std::vector<Statement> batch_statements(const std::vector<Family>& families) {
  std::vector<Statement> said;
  for (const Family& family : families) {
    if (family.parameter != "batch") continue;
    const std::set<std::string> dtypes = dtypes_of(family);
    for (const std::string& dtype : dtypes) {
      const Best best = best_of(family, [&](const Timed& timed) {
        return timed.result->dtype == dtype && timed.result->samples > 0;
      });
      if (best.size() > 1) said.push_back(batch_statement(work_of(family, dtype, dtypes.size() > 1), best));
    }
  }
  return said;
}

std::vector<Statement> precision_statements(const std::vector<Timed>& all) {
  std::vector<Statement> said;
  for (const OverF32& one : over_f32(all)) {
    const std::string what = capitalised(plural_of(one.op)) + (one.device == "cpu" ? "" : " on the GPU");
    const std::string range = one.problems == 1 ? ""
                                                : fmt::format(" ({} problems: {} to {})", one.problems,
                                                              factor_text(one.least), factor_text(one.most));
    said.push_back({.text = fmt::format("{} run {} as fast in {} as in f32{}.", what, factor_text(one.mean),
                                        printable(one.dtype), range),
                    .in_short = fmt::format("{}: {}", printable(one.dtype), factor_text(one.mean)),
                    .figures = {{.value = factor_text(one.mean),
                                 .meaning = fmt::format("{} in {} over f32", plural_of(one.op),
                                                        printable(one.dtype))}}});
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
        device == "cpu" ? "At most " : fmt::format("The {} does at most ", printable(device));
    std::vector<std::string> rates;
    for (const auto& [dtype, gflops] : limits.gflops)
      rates.push_back(
          fmt::format("{}{} in {}", number_text(gflops), rates.empty() ? " GFLOP/s" : "", printable(dtype)));
    const std::string memory =
        limits.memory ? fmt::format("{} GB/s", number_text(*limits.memory * 1e-9)) : "";
    if (!rates.empty())
      said.push_back({.text = fmt::format("{}{}.{}", where, joined_text(rates),
                                          memory.empty() ? "" : fmt::format(" Memory moves {}.", memory)),
                      .in_short = fmt::format("{}{}{}", memory, memory.empty() ? "" : ", ", rates.front())});
    else if (!memory.empty())
      said.push_back({.text = fmt::format("{}{} of memory.", where, memory), .in_short = memory});
    if (!said.empty() && limits.memory)
      said.back().figures.push_back({.value = memory, .meaning = "memory, beyond the caches"});
    if (limits.launch != nullptr)
      said.push_back(
          {.text = fmt::format("Starting work that does nothing, and waiting for it, takes {} ({}).",
                               format_seconds(limits.launch->seconds->median),
                               backend_title(limits.launch->backend)),
           .in_short = format_seconds(limits.launch->seconds->median)});
  }
  return said;
}

std::vector<Statement> gpu_statements(const std::vector<Family>& families) {
  std::vector<Statement> said;
  for (const Family& family : families) {
    const std::set<std::string> dtypes = dtypes_of(family);
    for (const std::string& dtype : dtypes) {
      if (auto one = gpu_statement(family, dtype, work_of(family, dtype, dtypes.size() > 1)))
        said.push_back(std::move(*one));
    }
  }
  return said;
}

std::vector<Statement> fit_statements(const Runs& runs) {
  std::vector<Statement> said;
  for (const Result* run : runs) {
    for (const CaseResult& c : run->cases) {
      if (c.fit)
        said.push_back({.text = fmt::format("{}: {}.", capitalised(problem_title(c)), describe_fit(*c.fit)),
                        .in_short = count_text(static_cast<double>(c.fit->largest))});
    }
  }
  return said;
}

}  // namespace breakeven
