// breakeven threshold: from which value on is one side faster?
#include "session/threshold.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/named_files.h"
#include "cli/progress_line.h"
#include "cli/selection.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "cli/text_file.h"
#include "reports/html_results.h"
#include "reports/threshold_report.h"
#include "session/discovery.h"

namespace breakeven {
namespace {

struct ThresholdOptions {
  std::filesystem::path config;
  std::string out, markdown, html;
  double minutes = 60;
  int threads = 0;
  bool quiet = false;
};

void declare(CLI::App& command, ThresholdOptions& o) {
  accept_config_names(
      command.add_option(
          "CONFIG", o.config,
          "a config with a \"threshold\", by path or name, as break-even; see docs/thresholds.md"))
      ->required();
  command
      .add_option("--minutes", o.minutes, "time limit; what is not answered by then is unclear; default: 60")
      ->check(above_zero());
  command.add_option(
      "--threads", o.threads,
      "CPU threads of sides that do not say; default: one a physical core, within affinity and quota");
  command.add_option("--out", o.out, "what was found, as JSON; - for standard output");
  command.add_option("--markdown", o.markdown, "the same for people; - for standard output");
  command.add_option("--html", o.html, "the same for a browser; - for standard output");
  command.add_flag("--quiet", o.quiet, "no progress line and no report");
}

/// A backend that is named and not there is said and left out; a side without any cannot be compared.
GateSide side_of(const ThresholdSide& wanted, const std::string& side_name, int threads,
                 std::optional<BackendRecord>& arbiter) {
  GateSide side{.source = "this breakeven",
                .environment = {},
                .threads = wanted.threads > 0 ? choose_threads(wanted.threads) : threads,
                .backends = {}};
  const BackendChoice found = choose_backends({}, wanted.backends, side.threads);
  if (found.arbiter) arbiter = found.arbiter;
  side.backends = found.measured;
  for (const BackendRecord& backend : side.backends) {
    if (!backend.available)
      fmt::print(stderr, "breakeven: the {}'s {} is not available: {}\n", side_name, backend.name,
                 backend.reason);
  }
  return side;
}

int threshold(const ThresholdOptions& o) {
  check_output_files({{"--out", o.out}, {"--markdown", o.markdown}, {"--html", o.html}});
  ThresholdPlan plan;
  plan.config = read_threshold_config(o.config);
  plan.threads = choose_threads(o.threads);
  plan.max_seconds = 60 * o.minutes;
  for (std::size_t side = 0; side < 2; ++side)
    plan.sides[side] = side_of(plan.config.sides[side], threshold_sides[side], plan.threads, plan.arbiter);

  const Interruption interruption;
  ProgressLine line(o.quiet);
  WorkingFile working(o.out);
  const Threshold found = run_threshold(
      plan, [&](const auto& so_far) { working.save([&] { return to_json_text(so_far()); }); },
      [&](const SessionProgress& p) { line.show(p); });
  line.clear();
  if (!o.out.empty()) write_text_file(o.out, to_json_text(found));
  if (!o.markdown.empty()) write_text_file(o.markdown, threshold_markdown(found));
  if (!o.html.empty()) write_text_file(o.html, html_report({.results = {}, .thresholds = {found}}));
  if (!o.quiet && o.out != "-" && o.markdown != "-" && o.html != "-")
    fmt::print("{}", threshold_terminal(found, terminal_style()));
  return Interruption::requested() ? exit_code::interrupted : exit_status(found);
}

const SubcommandRegistration threshold_command({"threshold", "find the value from which one side is faster",
                                                [](CLI::App& command) {
                                                  auto o = std::make_shared<ThresholdOptions>();
                                                  declare(command, *o);
                                                  return [o] { return threshold(*o); };
                                                }});

}  // namespace
}  // namespace breakeven
