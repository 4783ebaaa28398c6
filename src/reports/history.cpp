#include "reports/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/own_speed.h"
#include "json/text.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "reports/words/notes.h"

namespace breakeven {
namespace {

Json run_json(const Run& run) {
  return {{"run", run.id},
          {"commit", run.commit},
          {"branch", run.branch},
          {"time", run.time},
          {"source", run.source}};
}

Json machine_json(const Machine& machine) {
  return {{"name", machine.name}, {"description", machine.description}};
}

Json series_json(const Series& series, const Machine& machine) {
  return {{"id", series.case_id}, {"backend", series.backend}, {"machine", machine_json(machine)}};
}

Json ratio_json(double ratio, const Interval& interval) {
  return {{"value", number_or_null(ratio)},
          {"low", number_or_null(interval.low)},
          {"high", number_or_null(interval.high)}};
}

/// Describes how slow the machine of a run was; empty if it ran at its own speed or was not probed.
std::string slowness_of(const Run& run) {
  if (!run.machine_speed || run.machine_speed->median >= trusted_speed_share) return {};
  return "; the machine " + ran_at(run.machine_speed->median);
}

}  // namespace

std::size_t runs_in(const History& history) {
  std::set<std::size_t> runs;
  for (const Series& series : history.series) {
    for (const Measurement& m : series.measurements) runs.insert(m.run);
  }
  return runs.size();
}

std::string describe_run(const Run& run) {
  std::string known = printable(run.commit).substr(0, 12);
  if (!run.time.empty()) known += (known.empty() ? "" : ", ") + printable(run.time);
  return fmt::format("run {}{}", run.id, known.empty() ? "" : fmt::format(" ({})", known));
}

std::string describe_series(const Series& series, const Machine& machine, const History& history) {
  const std::string where = history.machines.size() > 1 ? " on " + printable(machine.name) : "";
  return fmt::format("{} {}{}", printable(series.case_id), backend_title(series.backend), where);
}

std::string describe_times(const Change& change) {
  return fmt::format("{} → {}", format_seconds(change.before_seconds), format_seconds(change.after_seconds));
}

std::string describe_place(const History& history, std::size_t last_before, std::size_t first_after) {
  return fmt::format("{} and {}", describe_run(history.runs[last_before]),
                     describe_run(history.runs[first_after]));
}

std::string history_json(const HistoryCheck& check, const std::string& store) {
  const History& history = *check.history;
  Json json{{"schema", "breakeven.history/1"},
            {"store", store},
            {"threshold", check.options.threshold},
            {"level", check.options.level},
            {"runs", runs_in(history)},
            {"series", check.series},
            {"series_too_short", check.untold},
            {"runs_needed", check.values_needed},
            {"runs_recorded", check.most_values},
            {"exit_status", exit_status(check)},
            {"changes", Json::array()},
            {"machine_changes", Json::array()},
            {"not_ok", Json::array()},
            {"suspicions", Json::array()},
            {"perhaps_faster", Json::array()}};
  for (const Change& c : check.changes) {
    Json& change = json["changes"].emplace_back(series_json(*c.series, *c.machine));
    change.update({{"state", name(c.state)},
                   {"direction", c.ratio > 1 ? "slower" : "faster"},
                   {"ratio", ratio_json(c.ratio, c.interval)},
                   {"p_value", number_or_null(c.p_value)},
                   {"before_seconds", number_or_null(c.before_seconds)},
                   {"after_seconds", number_or_null(c.after_seconds)},
                   {"last_before", run_json(history.runs[c.last_before])},
                   {"first_after", run_json(history.runs[c.first_after])},
                   {"notes", note_texts(c.notes)}});
  }
  for (const HostChange& h : check.host_changes) {
    json["machine_changes"].push_back({{"machine", machine_json(*h.machine)},
                                       {"part", h.part},
                                       {"direction", h.ratio > 1 ? "slower" : "faster"},
                                       {"ratio", ratio_json(h.ratio, h.interval)},
                                       {"last_before", run_json(history.runs[h.last_before])},
                                       {"first_after", run_json(history.runs[h.first_after])}});
  }
  for (const Failure& f : check.failures) {
    Json& failure = json["not_ok"].emplace_back(series_json(*f.series, *f.machine));
    failure["status"] = name(f.status);
    failure["run"] = run_json(history.runs[f.run]);
  }
  for (const auto& [key, suspicions] :
       {std::pair("suspicions", &check.suspicions), std::pair("perhaps_faster", &check.promising)}) {
    for (const Suspicion& s : *suspicions) {
      Json& suspicion = json[key].emplace_back(series_json(*s.series, *s.machine));
      suspicion["ratio"] = number_or_null(s.ratio);
      suspicion["runs"] = s.values;
      suspicion["more_runs_needed"] = s.more;
      suspicion["even_more_possible"] = s.at_least;
      suspicion["notes"] = note_texts(s.notes);
    }
  }
  return text_of(json, 1) + "\n";
}

std::string history_listing(const History& history, const std::string& store, std::size_t most_runs) {
  std::string text =
      fmt::format("{}: {}, {}, {}\n", printable(store), counted_text(history.runs.size(), "run", "runs"),
                  counted_text(history.machines.size(), "machine", "machines"),
                  counted_text(history.series.size(), "series", "series"));
  for (const Machine& m : history.machines) {
    const auto its = [&](const auto& all, const char* one, const char* several) {
      return counted_text(std::ranges::count_if(all, [&](const auto& of) { return of.machine == m.id; }), one,
                          several);
    };
    text += fmt::format("  machine {}: {}: {}; {}, {}\n", m.id, printable(m.name), printable(m.description),
                        its(history.runs, "run", "runs"), its(history.series, "series", "series"));
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
    text +=
        fmt::format("  {}{} on machine {}: {}, from {}{}\n", describe_run(run),
                    run.branch.empty() ? "" : " of " + printable(run.branch), run.machine,
                    counted_text(measurements[i], "case", "cases"), printable(run.source), slowness_of(run));
  }
  return text;
}

}  // namespace breakeven
