#include "reports/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/text.h"
#include "reports/units.h"
#include "results/json_parts.h"

namespace breakeven {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_lines = 20;

std::string plural(std::size_t count, const std::string& one, const std::string& several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

/// 1.123 -> "+12.3 %".
std::string change_text(double ratio) {
  return fmt::format("{:+.1f}", 100 * (ratio - 1));
}
std::string change_text(const Change& c) {
  return fmt::format("{} % ({} to {})", change_text(c.ratio), change_text(c.interval.low),
                     change_text(c.interval.high));
}

/// The machine is said only where there are several.
std::string series_text(const Series& series, const Machine& machine, const History& history) {
  const std::string where = history.machines.size() > 1 ? " on " + printable(machine.name) : "";
  return fmt::format("{} {}{}", printable(series.case_id), printable(series.backend), where);
}

/// The findings of one kind: a heading and lines; nothing where there are none.
template <typename Findings, typename Describe>
std::string section(const std::string& heading, const Findings& findings, Describe describe) {
  if (findings.empty()) return {};
  std::string text = fmt::format("\n{}:\n", heading);
  for (std::size_t i = 0; i < std::min(findings.size(), most_lines); ++i) text += describe(findings[i]);
  if (findings.size() > most_lines)
    text += fmt::format("  and {} more; --out FILE has all\n", findings.size() - most_lines);
  return text;
}

std::string change_lines(const Change& c, const History& history) {
  std::string text = fmt::format(
      "  {}  {}: {} → {} between {} and {}\n", change_text(c), series_text(*c.series, *c.machine, history),
      format_seconds(c.before_seconds), format_seconds(c.after_seconds),
      describe_run(history.runs[c.last_before]), describe_run(history.runs[c.first_after]));
  for (const std::string& note : c.notes) text += fmt::format("      {}\n", printable(note));
  return text;
}

std::vector<Change> of_state(const HistoryCheck& check, ChangeState state) {
  std::vector<Change> some;
  std::copy_if(check.changes.begin(), check.changes.end(), std::back_inserter(some),
               [state](const Change& c) { return c.state == state; });
  return some;
}

/// Runs that gave a measurement to one of the series.
std::size_t runs_of(const History& history) {
  std::set<std::size_t> runs;
  for (const Series& series : history.series) {
    for (const Measurement& m : series.measurements) runs.insert(m.run);
  }
  return runs.size();
}

Json run_json(const Run& run) {
  return {{"run", run.id},
          {"commit", run.commit},
          {"branch", run.branch},
          {"time", run.time},
          {"source", run.source}};
}

Json series_json(const Series& series, const Machine& machine) {
  return {{"id", series.case_id},
          {"backend", series.backend},
          {"machine", {{"name", machine.name}, {"description", machine.description}}}};
}

}  // namespace

std::string describe_run(const Run& run) {
  std::string known = printable(run.commit).substr(0, 12);
  if (!run.time.empty()) known += (known.empty() ? "" : ", ") + printable(run.time);
  return fmt::format("run {}{}", run.id, known.empty() ? "" : fmt::format(" ({})", known));
}

std::string history_report(const HistoryCheck& check, const std::string& store) {
  const History& history = *check.history;
  const auto changes = [&](const Change& c) { return change_lines(c, history); };
  const auto fresh = of_state(check, ChangeState::fresh);
  const auto better = of_state(check, ChangeState::better);
  std::string text = fmt::format(
      "{}: {} on {}, {} (a case on a backend); changes of at least {}; where there are none, at most "
      "{} of such checks find any\n",
      printable(store), plural(runs_of(history), "run", "runs"),
      plural(history.machines.size(), "machine", "machines"), plural(check.series, "series", "series"),
      format_percent(check.options.threshold), format_percent(check.options.level));
  text += section(
      fmt::format("{} slower, and nobody has accepted it", plural(fresh.size(), "change is", "changes are")),
      fresh, changes);
  text += section("Not ok in the newest run that has them", check.failures, [&](const Failure& f) {
    return fmt::format("  {}: {}, {}\n", name(f.status), series_text(*f.series, *f.machine, history),
                       describe_run(history.runs[f.run]));
  });
  const auto perhaps = [&](const std::string& extreme) {
    return [&, extreme](const Suspicion& suspicion) {
      return fmt::format(
          "  {} %  {}: {}; {}{} will tell\n", change_text(suspicion.ratio),
          series_text(*suspicion.series, *suspicion.machine, history),
          suspicion.values == 1 ? fmt::format("the newest run is the {}", extreme)
                                : fmt::format("the newest {} runs are the {}", suspicion.values, extreme),
          suspicion.at_least ? "at least " : "", plural(suspicion.more, "more run", "more runs"));
    };
  };
  text += section("Perhaps slower, but too few runs yet to be sure", check.suspicions, perhaps("slowest"));
  text += section("Perhaps faster, but too few runs yet to be sure", check.promising, perhaps("fastest"));
  text += section(plural(better.size(), "change is faster", "changes are faster"), better, changes);
  for (const auto& [state, said] : {std::pair(ChangeState::accepted, "slower and accepted"),
                                    std::pair(ChangeState::undone, "slower and made good since"),
                                    std::pair(ChangeState::earlier, "slower, before --since")}) {
    if (const auto some = of_state(check, state); !some.empty())
      text += fmt::format("\n{} {}; --out FILE has them\n", plural(some.size(), "change is", "changes are"),
                          said);
  }
  if (check.changes.empty() && check.untold < check.series) text += "\nNo series changed its level.\n";
  if (check.is_too_young()) {
    text += fmt::format("\n{} of {} runs recorded: changes can be found from {} on.\n", check.most_values,
                        check.values_needed, check.values_needed);
  } else if (check.untold > 0) {
    text += fmt::format("\n{} of {} series {} fewer than {} runs: their changes can be found from {} on.\n",
                        check.untold, check.series, check.untold == 1 ? "has" : "have", check.values_needed,
                        check.values_needed);
  }
  if (!fresh.empty() || !check.failures.empty()) {
    text += fmt::format("\nWhat is meant to be so: breakeven history accept {} --filter REGEX\n",
                        printable(store));
  }
  return text;
}

std::string history_json(const HistoryCheck& check, const std::string& store) {
  const History& history = *check.history;
  Json json{{"schema", "breakeven.history/1"},
            {"store", store},
            {"threshold", check.options.threshold},
            {"level", check.options.level},
            {"runs", runs_of(history)},
            {"series", check.series},
            {"series_too_short", check.untold},
            {"runs_needed", check.values_needed},
            {"runs_recorded", check.most_values},
            {"exit_status", exit_status(check)},
            {"changes", Json::array()},
            {"not_ok", Json::array()},
            {"suspicions", Json::array()},
            {"perhaps_faster", Json::array()}};
  for (const Change& c : check.changes) {
    Json change = series_json(*c.series, *c.machine);
    change["state"] = name(c.state);
    change["direction"] = c.ratio > 1 ? "slower" : "faster";
    change["ratio"] = {{"value", number_or_null(c.ratio)},
                       {"low", number_or_null(c.interval.low)},
                       {"high", number_or_null(c.interval.high)}};
    change["p_value"] = number_or_null(c.p_value);
    change["before_seconds"] = number_or_null(c.before_seconds);
    change["after_seconds"] = number_or_null(c.after_seconds);
    change["last_before"] = run_json(history.runs[c.last_before]);
    change["first_after"] = run_json(history.runs[c.first_after]);
    change["notes"] = c.notes;
    json["changes"].push_back(std::move(change));
  }
  for (const Failure& f : check.failures) {
    Json failure = series_json(*f.series, *f.machine);
    failure["status"] = name(f.status);
    failure["run"] = run_json(history.runs[f.run]);
    json["not_ok"].push_back(std::move(failure));
  }
  for (const auto& [key, suspicions] :
       {std::pair("suspicions", &check.suspicions), std::pair("perhaps_faster", &check.promising)}) {
    for (const Suspicion& s : *suspicions) {
      Json suspicion = series_json(*s.series, *s.machine);
      suspicion["ratio"] = number_or_null(s.ratio);
      suspicion["runs"] = s.values;
      suspicion["more_runs_needed"] = s.more;
      json[key].push_back(std::move(suspicion));
    }
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string history_listing(const History& history, const std::string& store, std::size_t most_runs) {
  std::string text =
      fmt::format("{}: {}, {}, {}\n", printable(store), plural(history.runs.size(), "run", "runs"),
                  plural(history.machines.size(), "machine", "machines"),
                  plural(history.series.size(), "series", "series"));
  for (const Machine& m : history.machines) {
    const auto is_its = [&](const auto& of) { return of.machine == m.id; };
    text += fmt::format(
        "  machine {}: {}: {}; {}, {}\n", m.id, printable(m.name), printable(m.description),
        plural(static_cast<std::size_t>(std::count_if(history.runs.begin(), history.runs.end(), is_its)),
               "run", "runs"),
        plural(static_cast<std::size_t>(std::count_if(history.series.begin(), history.series.end(), is_its)),
               "series", "series"));
  }
  std::vector<std::size_t> measurements(history.runs.size());
  for (const Series& series : history.series) {
    for (const Measurement& m : series.measurements) ++measurements[m.run];
  }
  std::size_t shown = 0;
  for (std::size_t i = history.runs.size(); i-- > 0;) {
    if (most_runs > 0 && shown++ == most_runs) {
      text += fmt::format("  and {} earlier; --all shows them\n", i + 1);
      break;
    }
    const Run& run = history.runs[i];
    text += fmt::format("  {}{} on machine {}: {}, from {}\n", describe_run(run),
                        run.branch.empty() ? "" : " of " + printable(run.branch), run.machine,
                        plural(measurements[i], "case", "cases"), printable(run.source));
  }
  return text;
}

}  // namespace breakeven
