// breakeven selftest: measures which changes a gate finds on this host.
#include "verdicts/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>

#include "cli/messages.h"
#include "cli/named_files.h"
#include "cli/progress_line.h"
#include "cli/selection.h"
#include "cli/subcommand.h"
#include "cli/text_file.h"
#include "host/library_variables.h"
#include "host/steady_clock.h"
#include "plan/config.h"
#include "results/file_lock.h"
#include "session/discovery.h"
#include "session/environment.h"
#include "session/gate.h"
#include "statistics/summary.h"
#include "version.h"

namespace breakeven {
namespace {

struct SelftestOptions {
  CaseSelection selection;
  std::vector<std::string> backends;
  std::filesystem::path out;
  double threshold = 0.03, minutes = 20, gate_minutes = 10;
  int threads = 0;
  bool quiet = false;
};

void declare(CLI::App& command, SelftestOptions& o) {
  declare_statuses(command, {{exit_code::good, "measured"},
                             {exit_code::incomplete, "a backend is not here"},
                             {exit_code::interrupted, interrupted_and_saved}});
  add_case_options(command, o.selection);
  add_backends_option(command, o.backends, "each must be available");
  add_threshold_option(command, o.threshold, "the smallest change that the tried gates look for");
  add_minutes_option(command, "--minutes", o.minutes,
                     "how long gates are tried, each kind at least once; default: 20. More gates say more");
  add_minutes_option(command, "--gate-minutes", o.gate_minutes, "time limit of each gate; default: 10");
  command.add_option("--threads", o.threads,
                     "CPU threads; default: one a physical core, within affinity and quota");
  accept_output_file(command.add_option(
      "--out", o.out,
      "where the findings are written, and `gate` looks for them: results/HOST/selftest.json; "
      "- for standard output"));
  command.add_flag("--quiet", o.quiet, "no progress line and no report");
}

/// A plan whose sides are the same programs.
GatePlan plan_of(const SelftestOptions& o) {
  GatePlan plan;
  plan.config = select_cases(o.selection);
  apply_start_options({}, plan.config.measure);
  plan.threads = choose_threads(o.threads, plan.config.measure);
  plan.max_seconds = 60 * o.gate_minutes;
  plan.rules.threshold = o.threshold;
  const BackendChoice found = choose_backends(o.backends, plan.config.backends, plan.threads);
  plan.reference_backend = found.reference_backend;
  for (Side* side : {&plan.base, &plan.head}) {
    side->source = "this breakeven";
    side->threads = plan.threads;
    for (const BackendRecord& backend : found.measured) {
      if (backend.available) side->backends.push_back(backend);
    }
  }
  for (const BackendRecord& backend : plan.head.backends)
    plan.backends.push_back({.base = backend.name, .head = backend.name});
  return plan;
}

std::string rate_text(std::size_t events, std::size_t trials) {
  const Interval interval = proportion_interval(events, trials);
  return fmt::format("{} of {} (95 %: {:.1f} to {:.1f} %)", events, trials, interval.low * 100,
                     interval.high * 100);
}

void print_selftest(const Selftest& s) {
  print(fmt::format("What a gate with a threshold of {:g} % can tell on {} ({})\n\n", s.rules.threshold * 100,
                    s.host.name, s.host.cpu));
  for (const InjectedCounts& c : s.counts) {
    if (c.share == 0) {
      print(fmt::format("nothing changed   gates that failed: {}\n", rate_text(c.failing, c.suites)));
      print(fmt::format("                  cases called slower or faster: {}\n",
                        rate_text(c.slower + c.faster, c.cases)));
    } else {
      print(fmt::format("+{:<4g} % of work   cases found slower: {}\n", c.share * 100,
                        rate_text(c.slower, c.cases)));
    }
    if (c.inconclusive > 0)
      print(fmt::format("                  inconclusive: {}\n", rate_text(c.inconclusive, c.cases)));
    if (c.incomparable > 0)
      print(fmt::format("                  incomparable: {} of {}\n", c.incomparable, c.cases));
  }
  std::vector<CaseNoise> noise = s.noise;
  if (noise.empty()) return;
  std::ranges::sort(noise, std::greater{}, &CaseNoise::smallest_change);
  print(
      fmt::format("\nSmallest change that is found 19 times in 20: {:.1f} % in the median case, {:.1f} % "
                  "in the noisiest\n",
                  noise[noise.size() / 2].smallest_change * 100, noise.front().smallest_change * 100));
  constexpr std::size_t shown = 5;
  for (std::size_t i = 0; i < std::min(shown, noise.size()); ++i) {
    print(fmt::format("  {:.1f} %  {} on {}: launches vary by {:.1f} %\n", noise[i].smallest_change * 100,
                      noise[i].id, noise[i].backend, noise[i].deviation * 100));
  }
}

int selftest(const SelftestOptions& o) {
  const Interruption interruption;
  // Half of the gates are without a change, because rare events need the most trials.
  constexpr std::array shares{0.0, 0.05, 0.0, 0.10, 0.0, 0.02};
  const std::filesystem::path out = o.out.empty() ? results_folder() / selftest_file : o.out;
  check_output_files({{.option = "--out", .path = out.string()}}, files_of_configs(o.selection.configs));
  const FileLock lock(out);
  Selftest found;
  found.created = now_utc();
  found.tool_version = version;
  GatePlan plan = plan_of(o);
  std::map<double, InjectedCounts> counts;
  std::vector<Verdicts> unchanged;
  ProgressLine line(o.quiet);
  const auto start = Clock::now();
  for (std::size_t i = 0; !Interruption::requested(); ++i) {
    if (i >= shares.size() && seconds_since(start) > 60 * o.minutes) break;
    const double share = shares.at(i % shares.size());
    plan.head.environment.clear();
    if (share > 0) plan.head.environment = {{extra_work_variable, fmt::format("{}", share)}};
    ++plan.config.measure.seed;  // so that each gate uses another random order
    Verdicts verdicts = run_gate(
        plan, [](const Verdicts&) {}, [&](const SessionProgress& p) { line.show(p); });
    if (!verdicts.complete) break;
    found.host = verdicts.host;
    found.rules = plan.rules;
    found.rules.cases = std::max<std::size_t>(1, verdicts.cases.size());
    counts[share].share = share;
    counts[share].add(verdicts);
    if (share == 0) unchanged.push_back(std::move(verdicts));
  }
  line.clear();
  for (const auto& [share, of_share] : counts) found.counts.push_back(of_share);
  found.noise = noise_of(unchanged, found.rules);
  found.wall_seconds = seconds_since(start);
  if (counts.empty()) return exit_code::interrupted;
  write_or_rescue(out.string(), to_json_text(found), [&] {
    if (!o.quiet && out != "-") print_selftest(found);
    write_text_file(out.string(), to_json_text(found));
  });
  if (!o.quiet) report_saved_file(out.string());
  return Interruption::requested() ? exit_code::interrupted : exit_code::good;
}

const SubcommandRegistration selftest_command(subcommand<SelftestOptions>(
    "selftest", "find the smallest change that a gate finds on this host, and its error rates", declare,
    selftest));

}  // namespace
}  // namespace breakeven
