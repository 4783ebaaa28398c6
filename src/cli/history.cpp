// breakeven history: stores results over time and finds changes in them.
#include "reports/history.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/chart_files.h"
#include "cli/messages.h"
#include "cli/named_files.h"
#include "cli/outputs.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "history/check.h"
#include "history/store.h"
#include "plan/price.h"
#include "reports/charts/history_charts.h"
#include "reports/document/builders.h"
#include "reports/text.h"
#include "results/google_benchmark.h"
#include "results/number_text.h"
#include "results/reading.h"
#include "verdicts/roofline.h"

namespace breakeven {
namespace {

struct HistoryOptions {
  std::filesystem::path store;
  std::vector<std::filesystem::path> results;
  RunLabel label;
  HistorySelection selection;
  double threshold = 0.03;
  std::string since;
  Outputs outputs;      // of `check`
  ChartOptions charts;  // the same
  double wait = 10;     // seconds
  bool all_runs = false;
};

/// The first line that git prints about the checkout in the working directory; empty if it fails. A git hook
/// has variables that name another repository, perhaps.
std::string git_line(const std::string& arguments) {
  std::error_code error;
  if (std::filesystem::current_path(error).empty()) return {};  // sh would complain of a deleted folder
  const std::string command =
      fmt::format("exec 2>/dev/null; unset $(git rev-parse --local-env-vars); git {}", arguments);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 256> line{};
  if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return {};
  std::string text = line.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// True for a day, or a day and a time of it in UTC, that exist.
bool is_time(const std::string& text) {
  static const RE2 form("(.{10})(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?");
  std::string day;
  return RE2::FullMatch(text, form, &day) && is_date(day);
}

/// True if `commit` is `full` or, as git shortens it, the beginning of it.
bool is_same_commit(const std::string& commit, const std::string& full) {
  constexpr std::size_t shortest = 7;
  return commit.size() >= shortest && full.starts_with(commit);
}

/// Fills in what the user did not state about the runs, from the checkout in the working directory. Throws
/// CommandError for a time in another format.
void complete_label(RunLabel& label) {
  if (!label.time.empty() && !is_time(label.time))
    throw CommandError("--time {}: must be in UTC, as 2026-01-31 or 2026-01-31T12:00:00Z", label.time);
  const std::string checked_out = git_line("rev-parse --verify HEAD");
  if (label.commit.empty()) label.commit = checked_out;
  if (label.commit.empty())
    throw CommandError(
        "history add: which commit was measured? The working directory is not a git checkout; say "
        "--commit SHA");
  // The branch of another commit is not known.
  if (label.branch.empty() && is_same_commit(label.commit, checked_out))
    label.branch = git_line("symbolic-ref --quiet --short HEAD");
}

struct ReadResult {
  std::filesystem::path file;
  std::string text;
  Result result = {};
  std::size_t measurements = 0;
};

std::vector<ReadResult> read_all(const std::vector<std::filesystem::path>& files) {
  std::vector<ReadResult> all;
  all.reserve(files.size());
  for (const auto& file : files) {
    ReadResult& read = all.emplace_back(ReadResult{.file = file, .text = read_result_text(file)});
    read.result = any_result_from_text(read.text, file.string());
    mark_implausible_as_read(read.result);
    read.measurements = count_measurements(read.result);
  }
  return all;
}

/// Adds runs. Reads every file before it opens the store, so that an unreadable file leaves the store
/// unchanged, or missing. Returns status 4 if a file contained no measurement.
int add_runs(const HistoryOptions& o) {
  check_one_standard_input(o.results);
  RunLabel label = o.label;
  complete_label(label);
  const std::vector<ReadResult> results = read_all(o.results);
  std::optional<HistoryStore> store;
  if (std::ranges::any_of(results, [](const auto& read) { return read.measurements > 0; }))
    store.emplace(o.store, HistoryStore::Open::to_add, std::chrono::duration<double>(o.wait));
  int status = exit_code::good;
  for (const ReadResult& read : results) {
    label.source = read.file.string();
    const AddedRun added = read.measurements > 0 ? store->add(read.result, read.text, label) : AddedRun{};
    const std::string source = printable(label.source);
    if (added.is_new) {
      print(fmt::format("{} added: {} of {}, on {} ({})\n", describe_run(added.run),
                        counted_text(added.measurements, "case", "cases"), source,
                        printable(added.machine.name), printable(added.machine.description)));
      if (const std::string& host = read.result.host.name;
          label.machine.empty() && host != added.machine.name)
        print(
            fmt::format("  {} counts as this machine, which agrees in all but its name; --machine NAME keeps "
                        "them apart\n",
                        printable(host)));
      if (!read.result.complete) print("  its run was interrupted: further cases may be missing\n");
      if (added.before && !added.run.time.empty() && added.run.time < added.before->time)
        print(fmt::format("  its time is before that of {}: runs stay in the order in which they are added\n",
                          describe_run(*added.before)));
    } else if (added.measurements == 0) {
      print(fmt::format("{}: holds nothing that was measured, and is not added\n", source));
      status = exit_code::incomplete;
    } else {
      std::cout << fmt::format("{}: is there already, as {}; nothing was added\n", source,
                               describe_run(added.run));
    }
  }
  return status;
}

History read_selected(const HistoryOptions& o) {
  const HistoryStore store(o.store, HistoryStore::Open::existing, std::chrono::duration<double>(o.wait));
  return select(store.read(), o.selection);
}

int check_store(const HistoryOptions& o) {
  o.outputs.check({o.store}, o.charts);
  const History history = read_selected(o);
  CheckOptions options;
  options.threshold = o.threshold;
  if (!o.since.empty()) options.since = find_run(history, o.since);
  const CheckedHistory found{.check = check_history(history, options), .store = o.store.string()};
  if (!o.outputs.replace_the_report() && !o.charts.list) print_document(document_of(found), true);
  o.outputs.write(&found);
  if (o.charts.any()) show_charts(history_charts(found.check), o.charts);
  return exit_status(found.check);
}

int accept_changes(const HistoryOptions& o) {
  HistoryStore store(o.store, HistoryStore::Open::existing, std::chrono::duration<double>(o.wait));
  std::vector<std::int64_t> series;
  for (const Series& s : select(store.read(), o.selection).series) series.push_back(s.id);
  store.accept(series);
  print(fmt::format("accepted: all changes of {} series up to now\n", series.size()));
  return exit_code::good;
}

void add_selection(CLI::App& command, HistorySelection& selection) {
  command.add_option("--machine", selection.machine, "only this machine, by its name or number");
  command.add_option("--filter", selection.filter,
                     "only series whose 'CASE BACKEND' this regular expression (RE2) finds");
}

/// Adds a subcommand of `history`, which calls `work`.
CLI::App* add_command(CLI::App& history, const std::shared_ptr<HistoryOptions>& o,
                      const std::shared_ptr<std::function<int()>>& chosen, const std::string& name,
                      const std::string& meaning, int (*work)(const HistoryOptions&)) {
  CLI::App* command = history.add_subcommand(name, meaning);
  declare_statuses(*command, {});
  command->add_option("STORE", o->store, "the history: one file")->required();
  command->add_option("--wait", o->wait, "seconds to wait while another process writes to it")
      ->check(number_within(number_parameter_from("", "", 0, 86400, 10)))
      ->capture_default_str();
  command->callback([=] { *chosen = [=] { return work(*o); }; });
  return command;
}

const SubcommandRegistration history_command(
    {"history", "keep results over time, and find where they changed", [](CLI::App& history) {
       auto o = std::make_shared<HistoryOptions>();
       auto chosen = std::make_shared<std::function<int()>>();
       history.require_subcommand(1);

       CLI::App* adding = add_command(history, o, chosen, "add", "add result files, each a run", add_runs);
       declare_statuses(*adding, {{exit_code::good, "added, or there already"},
                                  {exit_code::incomplete, "a file has no measurements"}});
       declare_result_files(*adding, o->results, "results of `run`, or of Google Benchmark as JSON");
       adding->add_option(
           "--commit", o->label.commit,
           "what was measured; default: the commit that is checked out in the working directory");
       adding->add_option("--branch", o->label.branch,
                          "of the commit; default: the branch that is checked out, if the commit is");
       adding->add_option("--time", o->label.time, "when it was measured, in UTC; default: as the file says");
       adding->add_option(
           "--machine", o->label.machine,
           "a name for the machine; default: the host's, or that of a known machine that agrees in all "
           "but its name");

       CLI::App* checking = add_command(history, o, chosen, "check",
                                        "find changes; status 1 if a new one is slower", check_store);
       declare_statuses(
           *checking,
           {{exit_code::good, "nothing new is slower, or there are too few runs yet"},
            {exit_code::wrong_or_regressed, "a case became slower, or its newest result is wrong"},
            {exit_code::incomplete, "a case failed in its newest run, or there are no times at all"}});
       add_selection(*checking, o->selection);
       checking->add_option("--branch", o->selection.branch, "only runs of this branch");
       add_threshold_option(*checking, o->threshold, "the smallest change that matters");
       checking->add_option("--since", o->since, "changes before this commit or run do not count as new");
       o->outputs.declare(*checking, formats_for<CheckedHistory>());
       declare_chart_options(*checking, o->charts);

       CLI::App* accepting =
           add_command(history, o, chosen, "accept",
                       "accept all changes up to now: they no longer fail `check`", accept_changes);
       add_selection(*accepting, o->selection);

       CLI::App* listing =
           add_command(history, o, chosen, "list", "show machines and runs", [](const HistoryOptions& given) {
             const std::string text =
                 history_listing(read_selected(given), given.store.string(), given.all_runs ? 0 : 20);
             print(terminal_style().unicode ? text : to_ascii(text));
             return exit_code::good;
           });
       listing->add_flag("--all", o->all_runs, "all runs, not only the newest");
       return [chosen] { return (*chosen)(); };
     }});

}  // namespace
}  // namespace breakeven
