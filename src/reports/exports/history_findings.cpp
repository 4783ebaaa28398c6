#include "reports/exports/history_findings.h"

#include <fmt/format.h>

#include "reports/exports/named_cases.h"
#include "reports/history.h"
#include "reports/words/change_text.h"
#include "reports/words/notes.h"
#include "text/counted.h"

namespace breakeven {

std::vector<HistoryFinding> history_findings(const HistoryCheck& check) {
  const History& history = *check.history;
  std::vector<HistoryFinding> findings;
  findings.reserve(check.failures.size() + check.changes.size() + check.suspicions.size());
  for (const Failure& f : check.failures) {
    const bool is_bad = f.status == Status::wrong || f.status == Status::implausible;
    findings.push_back({.series = f.series,
                        .fails = true,
                        .is_error = !is_bad,
                        .kind = std::string(name(f.status)),
                        .change = {},
                        .text = fmt::format("{}; in {}", describe_series(*f.series, *f.machine, history),
                                            describe_run(history.runs[f.run]))});
  }
  for (const Change& c : check.changes) {
    if (c.state != ChangeState::fresh) continue;
    const std::string change =
        change_text(Ratio{.value = c.ratio, .low = c.interval.low, .high = c.interval.high});
    findings.push_back(
        {.series = c.series,
         .fails = true,
         .kind = "slower",
         .change = change,
         .text = joined_known(
             {describe_series(*c.series, *c.machine, history), change, describe_times(c),
              "between " + describe_place(history, c.last_before, c.first_after), reasons_text(c.notes)},
             "; ")});
  }
  for (const Suspicion& s : check.suspicions) {
    findings.push_back(
        {.series = s.series,
         .kind = "perhaps slower",
         .change = change_text(s.ratio),
         .text = joined_known(
             {describe_series(*s.series, *s.machine, history), change_text(s.ratio),
              fmt::format("in the newest {}; {} more until it is certain",
                          counted_text(s.values, "run", "runs"),
                          s.at_least ? fmt::format("at least {}", s.more) : std::to_string(s.more)),
              reasons_text(s.notes)},
             "; ")});
  }
  return findings;
}

}  // namespace breakeven
