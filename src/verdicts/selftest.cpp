#include "verdicts/selftest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "statistics/distributions.h"
#include "text/printable.h"
#include "verdicts/machines.h"

namespace breakeven {
namespace {

/// A file's text in a warning of one line.
std::string short_text(std::string_view text) {
  constexpr std::size_t most = 100;
  return message_line(text, most);
}

}  // namespace

void InjectedCounts::add(const Verdicts& verdicts) {
  const auto count = [&](Verdict verdict) {
    return static_cast<std::size_t>(std::ranges::count(verdicts.cases, verdict, &CaseVerdict::verdict));
  };
  ++suites;
  failing += count(Verdict::slower) > 0 ? 1 : 0;
  cases += verdicts.cases.size();
  slower += count(Verdict::slower);
  faster += count(Verdict::faster);
  same += count(Verdict::same);
  inconclusive += count(Verdict::inconclusive);
  incomparable += count(Verdict::incomparable);
}

double smallest_change(double deviation, double bound, const GateRules& rules) {
  // 19 times in 20: each of the two stages may miss half of the rest.
  constexpr double found = 0.975;
  const double power = normal_quantile(found);
  const Look last = confirming_looks(rules).back();
  const double error = last.share * confirming_error(rules);
  const double mean_deviation = deviation / std::sqrt(static_cast<double>(last.launches));
  // The randomisation test needs about as large an effect as Student's t, which approximates it.
  const double significant = (student_t_exceeded(last.launches - 1, error) + power) * mean_deviation;
  const double matters = std::log1p(rules.threshold) + power * mean_deviation;
  return std::expm1(bound + std::max(significant, matters));
}

std::vector<CaseNoise> noise_of(const std::vector<Verdicts>& gates, const GateRules& rules) {
  // The variance is computed within each gate, because a machine drifts between gates, and pooled by the
  // degrees of freedom.
  struct Pool {
    double squares = 0, freedom = 0;
    std::vector<double> bounds;  // by launch
  };
  std::map<std::pair<std::string, std::string>, Pool> pools;
  for (const Verdicts& gate : gates) {
    for (const CaseVerdict& c : gate.cases) {
      if (c.launches.size() < 3) continue;
      Pool& pool = pools[{c.id, c.backend}];
      std::vector<double> effects;
      for (const LaunchSamples& launch : c.launches) {
        const LaunchEffect effect = effect_of(launch);
        effects.push_back(effect.middle());
        pool.bounds.push_back(effect.upper - effect.middle());
      }
      const auto freedom = static_cast<double>(effects.size() - 1);
      pool.squares += freedom * std::pow(deviation(effects), 2);
      pool.freedom += freedom;
    }
  }
  std::vector<CaseNoise> all;
  for (const auto& [of, pool] : pools) {
    const double pooled = std::sqrt(pool.squares / pool.freedom);
    const double bound = median(pool.bounds);
    all.push_back({.id = of.first,
                   .backend = of.second,
                   .launches = pool.bounds.size(),
                   .deviation = pooled,
                   .bound = bound,
                   .smallest_change = smallest_change(pooled, bound, rules)});
  }
  return all;
}

std::vector<Note> selftest_warnings(const Selftest& selftest, const Host& here, const GateRules& rules) {
  if (selftest.host.cpu != here.cpu)
    return {{.kind = NoteKind::selftest_of_other_host,
             .about = {short_text(selftest.host.name), short_text(selftest.host.cpu)}}};
  if (!selftest.host.cpu_identity.empty() && selftest.host.cpu_identity != here.cpu_identity)
    return {{.kind = NoteKind::selftest_of_other_processor,
             .about = {short_text(selftest.host.cpu_identity), short_text(identity_text(here))}}};
  std::vector<Note> warnings;
  const std::string created = short_text(selftest.created);
  // The changes that could be found if every change mattered. They must not exceed the requested threshold.
  GateRules finest = rules;
  finest.threshold = 0;
  const auto blind = std::ranges::count_if(selftest.noise, [&](const CaseNoise& c) {
    return smallest_change(c.deviation, c.bound, finest) > rules.threshold;
  });
  if (blind > 0)
    warnings.push_back(
        {.kind = NoteKind::selftest_finds_less,
         .figures = {rules.threshold, static_cast<double>(blind), static_cast<double>(selftest.noise.size())},
         .about = {created}});
  for (const InjectedCounts& counts : selftest.counts) {
    if (counts.share > 0) continue;
    if (proportion_interval(counts.failing, counts.suites).low > rules.false_alarm)
      warnings.push_back(
          {.kind = NoteKind::selftest_failed,
           .figures = {static_cast<double>(counts.failing), static_cast<double>(counts.suites)},
           .about = {created}});
  }
  return warnings;
}

}  // namespace breakeven
