// breakeven threshold: from which value on is one side faster?
#include "session/threshold.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

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
  command
      .add_option("CONFIG", o.config,
                  "a config with a \"threshold\"; see configs/break-even.json and docs/thresholds.md")
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

/// "cuda: no NVIDIA driver; mkl: not installed"; only the first line of each reason.
std::string why_not_here(const std::vector<BackendRecord>& backends) {
  std::vector<std::string> reasons;
  for (const BackendRecord& backend : backends) {
    if (backend.available) continue;
    reasons.push_back(fmt::format(
        "{}: {}", backend.name,
        backend.program.empty() ? "not installed" : backend.reason.substr(0, backend.reason.find('\n'))));
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

/// A backend that cannot start here does not say what it computes on; those for GPUs have "cuda" in their
/// names.
bool is_for_gpu(const BackendRecord& backend) {
  return backend.device == "gpu" || backend.name.find("cuda") != std::string::npos;
}

/// The error where a side cannot be measured here: where its backends are GPUs' alone, what to run where.
CommandError nothing_here(const ThresholdOptions& o, const ThresholdPlan& plan, std::size_t side) {
  const std::vector<BackendRecord>& backends = plan.sides[side].backends;
  const std::string reasons = why_not_here(backends);
  if (!std::all_of(backends.begin(), backends.end(), is_for_gpu))
    return {exit_code::incomplete,
            fmt::format("the {} has no backend that is available here ({}); `breakeven devices` lists those "
                        "that are",
                        threshold_sides[side], reasons)};
  const std::string config = o.config.string();
  return {exit_code::incomplete,
          fmt::format("No GPU here, and the {} needs one ({}).\n"
                      "On a machine with one:  breakeven threshold {}\n"
                      "On two machines:        breakeven run {} on each, then breakeven threshold "
                      "--from-results CPU.json GPU.json --parameter {}",
                      threshold_sides[side], reasons, config, config, plan.config.parameter)};
}

GateSide side_of(const ThresholdSide& wanted, int threads, std::optional<BackendRecord>& arbiter) {
  GateSide side{.source = "this breakeven",
                .environment = {},
                .threads = wanted.threads > 0 ? choose_threads(wanted.threads) : threads,
                .backends = {}};
  BackendChoice found = find_named_backends(wanted.backends, side.threads);
  if (found.arbiter) arbiter = std::move(found.arbiter);
  side.backends = std::move(found.measured);
  return side;
}

/// A side is whatever of its list is available here; what is left out is said once. A side without any
/// backend is an error.
void choose_sides(ThresholdPlan& plan, const ThresholdOptions& o) {
  std::vector<BackendRecord> left_out;
  for (std::size_t side = 0; side < 2; ++side) {
    plan.sides[side] = side_of(plan.config.sides[side], plan.threads, plan.arbiter);
    const auto& backends = plan.sides[side].backends;
    if (std::none_of(backends.begin(), backends.end(), [](const auto& b) { return b.available; }))
      throw nothing_here(o, plan, side);
    for (const BackendRecord& backend : backends) {
      const auto is_known = [&](const BackendRecord& other) { return other.name == backend.name; };
      if (!backend.available && std::none_of(left_out.begin(), left_out.end(), is_known))
        left_out.push_back(backend);
    }
  }
  if (!left_out.empty()) fmt::print(stderr, "breakeven: left out, not here: {}\n", why_not_here(left_out));
}

int threshold(const ThresholdOptions& o) {
  check_output_files({{"--out", o.out}, {"--markdown", o.markdown}, {"--html", o.html}});
  ThresholdPlan plan;
  plan.config = read_threshold_config(o.config);
  plan.threads = choose_threads(o.threads);
  plan.max_seconds = 60 * o.minutes;
  choose_sides(plan, o);

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
