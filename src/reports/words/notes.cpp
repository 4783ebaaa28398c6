#include "reports/words/notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "reports/words/change_text.h"
#include "results/number_text.h"
#include "text/counted.h"
#include "verdicts/compare.h"
#include "verdicts/measured_cases.h"
#include "verdicts/overview.h"

namespace breakeven {
namespace {

constexpr double percent = 100, ms = 1e-3, ns = 1e-9, GiB = 0x1p30;

/// "2,568 samples". The figures of a file may be any.
std::string count_text(double count, const char* one, const char* several) {
  constexpr double most = 1e15;
  if (!(count >= 0 && count < most)) return fmt::format("{} {}", count, several);
  return counted_text(static_cast<std::size_t>(count), one, several);
}

/// "3 of 40 samples".
std::string part_text(double part, double all, const char* one, const char* several) {
  return fmt::format("{} of {}", breakeven::count_text(part), count_text(all, one, several));
}

std::string lowered_clocks(const Note& n) {
  return fmt::format("the GPU lowered its clocks in {} ({})",
                     part_text(n.figures[0], n.figures[1], "sample", "samples"), fmt::join(n.about, ", "));
}

std::string exclusive_gpu(const Note& n, const std::string& gpu, const std::string& mode) {
  return fmt::format(
      "{} serves one program at a time (compute mode '{}'), and {} programs of this run compute on it: cases "
      "of all but one will fail. Name one GPU backend with --backends{}, or ask an administrator for "
      "'nvidia-smi -c 0'",
      gpu, mode, n.figures[0],
      n.figures[1] > 1 ? ", and select cases of one number of ranks with --filter" : "");
}

std::string slow_pairs(const Note& n) {
  return fmt::format("this machine {} in {}", ran_at(n.figures[0]),
                     part_text(n.figures[1], n.figures[2], "pair of samples", "pairs of samples"));
}

/// The number of characters that all texts share at their start, up to their last comma or semicolon.
std::size_t shared_start(const std::vector<std::string>& texts) {
  if (texts.empty()) return 0;
  std::string_view shared = texts.front();
  for (const std::string& text : texts)
    shared = shared.substr(0, std::ranges::mismatch(shared, text).in1 - shared.begin());
  const std::size_t separator = std::max(shared.rfind(", ") + 1, shared.rfind("; ") + 1);  // 0 without one
  return separator == 0 ? 0 : separator + 1;
}

/// `its samples are of several algorithms: "im2col" and "winograd"`. A start that the texts share is left
/// out, up to a comma or a semicolon: `"... by gemm" and "... by gemv"`. Such texts differ at their ends.
std::string several_algorithms_text(const std::vector<std::string>& algorithms) {
  const std::size_t shared = shared_start(algorithms);
  std::vector<std::string> quoted;
  quoted.reserve(algorithms.size());
  for (const std::string& algorithm : algorithms)
    quoted.push_back(fmt::format("\"{}{}\"", shared == 0 ? "" : "... ", algorithm.substr(shared)));
  return fmt::format("its samples are of several algorithms: {}", fmt::join(quoted, " and "));
}

std::string cases_text(const Note& n) {
  return count_text(n.figures[0], "case", "cases");
}

/// "different instruction sets: only the base has amx, only the head has sve", of the sides, each with its
/// own.
std::string instruction_sets_text(const std::vector<std::string>& about) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i + 1 < about.size(); i += 2)
    parts.push_back(fmt::format("only {} has {}", about[i], about[i + 1]));
  return fmt::format("different instruction sets: {}", fmt::join(parts, ", "));
}

/// "shards 1/3, 3/3 were measured on alpha; shard 2/3 on beta", of the place of each shard.
std::string places_of_shards_text(const std::vector<std::string>& about) {
  InOrder<std::string, std::vector<std::string>> places;
  for (std::size_t i = 0; i + 1 < about.size(); i += 2) at_key(places, about[i]).push_back(about[i + 1]);
  std::string text;
  for (const auto& [place, shards] : places) {
    const bool are_several = shards.size() > 1;
    const char* measured = !text.empty() ? "" : are_several ? "were measured " : "was measured ";
    text += fmt::format("{}shard{} {} {}on {}", text.empty() ? "" : "; ", are_several ? "s" : "",
                        fmt::join(shards, ", "), measured, place);
  }
  return text.empty() ? "its shards were measured in several places" : text;
}

/// One of the names; empty if it is not there, as in a file.
std::string about(const Note& n, std::size_t i) {
  return i < n.about.size() ? n.about[i] : "";
}

std::string cores_clocked_text(const Note& n) {
  const double ratio = n.figures[0];
  return fmt::format("{}'s cores were clocked {:.0f} % {} than {}'s", about(n, 1),
                     std::abs(ratio - 1) * percent, ratio > 1 ? "higher" : "lower", about(n, 0));
}

std::string few_launches_text(double of_base, double all_of_base, double of_head, double all_of_head) {
  if (of_base == all_of_base && of_head == all_of_head)
    return fmt::format("too few launches: {} of the base, {} of the head; {} of each are needed", of_base,
                       of_head, fewest_launches);
  return fmt::format(
      "too few undisturbed launches: {} of {} in the base, {} of {} in the head; {} of each are needed: "
      "measure more launches, or on a quieter machine",
      of_base, all_of_base, of_head, all_of_head, fewest_launches);
}

/// " (+5.3 %, +4.1 to +6.6 %)", of a ratio and its interval; empty without.
std::string change_in_brackets(const std::vector<double>& ratio) {
  if (ratio.size() < 3) return "";
  return fmt::format(" ({})", change_text(Ratio{.value = ratio[0], .low = ratio[1], .high = ratio[2]}));
}

std::string machine_changed_text(const Note& n) {
  return fmt::format("the machine itself became {} there: its {} takes {:.3g}x as long",
                     n.figures[0] > 1 ? "slower" : "faster", about(n, 0), n.figures[0]);
}

std::string after_launches(double launches) {
  return launches == 0 ? "" : " after " + count_text(launches, "launch", "launches");
}

/// "2 cases timed out". A file may name any status.
std::string cases_without_time_text(const Note& n) {
  const auto status = parse_name<Status>(about(n, 0));
  return fmt::format("{} {}", cases_text(n), status ? status_text(*status) : about(n, 0));
}

/// "n1 (2 files), n2 (2 files) and 3 others".
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t most = 5;
  if (names.size() > most) {
    names[most - 1] = fmt::format("{} others", names.size() - most + 1);
    names.resize(most);
  }
  return joined_text(names);
}

/// Without its source.
std::string text_alone(const Note& n) {
  const std::vector<double>& x = n.figures;
  switch (n.kind) {
    case NoteKind::quoted:
      return about(n, 0);
    case NoteKind::few_samples:
      return fmt::format("only {} in {:g} s: too few for an interval", count_text(x[0], "sample", "samples"),
                         x[1]);
    case NoteKind::time_limit:
      return fmt::format(
          "the time limit of {:g} s was reached at an interval of ±{:.1f} %, requested was ±{:g} %", x[0],
          x[1] * percent, x[2] * percent);
    case NoteKind::drift:
      return fmt::format("drifted by {:+.1f} % from the first samples to the last", x[0] * percent);
    case NoteKind::other_processes:
      return fmt::format("other processes used {:.0f} % of the CPU time", x[0] * percent);
    case NoteKind::hypervisor:
      return fmt::format("the hypervisor took {:.0f} % of the CPU time", x[0] * percent);
    case NoteKind::cpu_quota:
      return fmt::format("the CPU quota stopped the run for {:.2g} s", x[0]);
    case NoteKind::cpu_heat:
      return "the CPU throttled because of heat";
    case NoteKind::gpu_processes:
      return fmt::format("other processes computed on the GPU: {}", x[0]);
    case NoteKind::gpu_memory_errors:
      return fmt::format("the GPU's memory had errors that were not corrected: {}", x[0]);
    case NoteKind::gpu_clocks:
      return lowered_clocks(n);
    case NoteKind::gpu_clocks_counted:
      return lowered_clocks(n) + ": too few are left, and figures are of all";
    case NoteKind::gpu_clocks_set_aside:
      return fmt::format("{}: figures are of the others; with lowered clocks it took {:.3g}x as long",
                         lowered_clocks(n), x[2]);
    case NoteKind::slow_samples:
      return fmt::format(
          "this machine ran at {:.0f} % of its own speed in {} of {} samples: measure again when it is "
          "quieter",
          x[0] * percent, x[1], x[2]);
    case NoteKind::slow_rounds:
      return fmt::format("this machine was slowed in {}, at worst to {:.0f} % of its own speed",
                         part_text(x[1], x[2], "round", "rounds"), x[3] * percent);
    case NoteKind::cpu_clock_range:
      return fmt::format("the processor's clock varied by {:.0f} % during this run, and times with it",
                         (x[0] - 1) * percent);
    case NoteKind::cores_moved:
      return fmt::format(
          "a hypervisor moved the cores during this run: the core-to-core latency changed by {:.2g}x, and "
          "work on several threads with it, by less",
          x[0]);
    case NoteKind::unoptimised_build:
      return "this build is not optimised: its own part of the times is not to be trusted";
    case NoteKind::library_variables:
      return fmt::format("environment variables that influence libraries are set: {}",
                         fmt::join(n.about, ", "));
    case NoteKind::withheld_variables:
      return fmt::format(
          "environment variables that would change a case's threads or precision are not passed to "
          "backends: {}",
          fmt::join(n.about, ", "));
    case NoteKind::gpu_in_use:
      return fmt::format(
          "{:.3g} of the {:.3g} GiB of memory of {} were in use before the run: another program uses this "
          "GPU, and may slow it down",
          x[0] / GiB, x[1] / GiB, about(n, 0));
    case NoteKind::gpu_exclusive:
      return exclusive_gpu(n, about(n, 0), about(n, 1));
    case NoteKind::clock_step:
      return fmt::format("the clock steps by {:.3g} ms: samples are as long as that needs", x[0] / ms);
    case NoteKind::clock_jumps:
      return fmt::format("the clock jumped in {}, which {} taken again",
                         count_text(x[0], "sample", "samples"), x[0] == 1 ? "was" : "were");
    case NoteKind::threads_not_held:
      return "the kernel did not let its threads be held on CPUs (sched_setaffinity), so it ran where the "
             "kernel put it: times vary more; allow the call in the sandbox";
    case NoteKind::slow_rank:
      return fmt::format("{} computes more than {:g}x as long as the median rank: the others wait for it",
                         about(n, 0), x[0]);
    case NoteKind::ranks_on_other_cpus:
      return fmt::format("{} computes on {}, and rank 0 on {}: a step takes as long as the slower one needs",
                         about(n, 0), about(n, 1), about(n, 2));
    case NoteKind::several_algorithms:
      return several_algorithms_text(n.about);
    case NoteKind::partly_verified:
      return fmt::format("{} elements of the result were checked, not all of it", x[0]);
    case NoteKind::measured_alone:
      return fmt::format("measured alone: {}, while others held memory, too", about(n, 0));
    case NoteKind::busy_threads:
      return fmt::format("its threads were still busy {} ms after a sample: they disturb the other backends",
                         std::round(x[0] / ms));
    case NoteKind::other_commit:
      return fmt::format(
          "some cases are of an earlier run, by breakeven of commit {}, and the others by commit {}",
          about(n, 0), about(n, 1));
    case NoteKind::other_host_name:
      return fmt::format("some cases are of an earlier run, when this host was called {}", about(n, 0));
    case NoteKind::backend_gone:
      return fmt::format("{} is not available any more: {}; its results are those of the earlier run",
                         about(n, 0), about(n, 1));
    case NoteKind::ended_early:
      return fmt::format("the run ended early: {}", about(n, 0));
    case NoteKind::target_missed:
      return fmt::format("the target accuracy of {:g} was not reached", x[0]);
    case NoteKind::amount_left_out:
      return fmt::format("{} of {:.3g} is left out: an iteration takes {:.3g} s", about(n, 0), x[0], x[1]);
    case NoteKind::aggregates_alone:
      return "only aggregates of its repetitions are in the file: there are no samples";
    case NoteKind::pairs_again:
      return fmt::format(
          "{} taken again, after the GPU had cooled down",
          x[0] == 1 ? "one pair of samples was" : fmt::format("{} pairs of samples were", x[0]));
    case NoteKind::slow_pairs_counted:
      return slow_pairs(n) + ", which widens the interval";
    case NoteKind::slow_pairs_left_out:
      return slow_pairs(n) + ", which are left out";
    case NoteKind::slow_launches:
      return fmt::format(
          "in {} this machine was below {:.0f} % of its own speed{}: the intervals include what neighbours "
          "can have done; the times were measured next to them",
          part_text(x[1], x[2], "launch", "launches"), x[0] * percent,
          x[3] < 1 ? fmt::format(", and {} while breakeven waited", ran_at(x[3])) : "");
    case NoteKind::incomplete_side:
      return fmt::format("the {} is incomplete: its run was interrupted", about(n, 0));
    case NoteKind::renamed_host:
      return fmt::format("the host was called {}, then {}", about(n, 0), about(n, 1));
    case NoteKind::renamed_backend:
      return fmt::format("the base's program is called {}, the head's {}", about(n, 0), about(n, 1));
    case NoteKind::unsupported_in_base:
      return fmt::format("not supported in the base: {}", about(n, 0));
    case NoteKind::same_samples:
      return cases_text(n) + ": the samples are identical on both sides. Is it one measurement, twice?";
    case NoteKind::few_launches:
      return fmt::format(
          "{}: fewer than {} launches on a side. Launches of one program differ by several per cent, and "
          "samples of one launch do not show it. Set \"launches\" to {} or more in the config's \"measure\", "
          "or use `breakeven gate`",
          cases_text(n), x[1], x[2]);
    case NoteKind::other_algorithm:
      return cases_text(n) + ": another algorithm was chosen in the head";
    case NoteKind::not_compared:
      return fmt::format("{}: not compared, different {}. If that is the change you test: --allow {}",
                         cases_text(n), about(n, 0), about(n, 0));
    case NoteKind::without_time:
      return fmt::format("{} result{} left out, without a time", x[0], x[0] == 1 ? " was" : "s were");
    case NoteKind::measured_on_one:
      return fmt::format("{} measured on {} alone", about(n, 0), about(n, 1));
    case NoteKind::untimed:
      return "not compared, it has no time";
    case NoteKind::same_file:
      return fmt::format("both sides loaded {}, although {} differs", about(n, 0), about(n, 1));
    case NoteKind::changed:
      return fmt::format("different {}: {} → {}", about(n, 0), about(n, 1), about(n, 2));
    case NoteKind::instruction_sets:
      return instruction_sets_text(n.about);
    case NoteKind::cores_clocked:
      return cores_clocked_text(n);
    case NoteKind::cores_clocked_alike:
      return cores_clocked_text(n) + ": as large a change is no change of the code";
    case NoteKind::cores_elsewhere:
      return fmt::format("the cores were elsewhere: the core-to-core latency was {:.0f} ns, then {:.0f} ns",
                         x[0] / ns, x[1] / ns);
    case NoteKind::ranks_elsewhere:
      return "different distribution of " + about(n, 0);
    case NoteKind::places_of_shards:
      return places_of_shards_text(n.about);
    case NoteKind::incomplete_shard:
      return fmt::format(
          "shard {0} ({1}) is incomplete, {2} of its {3} results are missing: continue it with `breakeven "
          "run "
          "CONFIG --shard {0} --resume {1}{4}` and the --filter, --backends and --threads that it had, then "
          "merge again",
          about(n, 0), about(n, 1), x[0], x[1], about(n, 2));
    case NoteKind::no_backend:
      return fmt::format("there is no {} in the {}", about(n, 0), about(n, 1));
    case NoteKind::backend_unavailable:
      return fmt::format("{} is not available{}: {}", about(n, 0),
                         about(n, 1).empty() ? "" : " in the " + about(n, 1), about(n, 2));
    case NoteKind::no_operation:
      return fmt::format("{} has no {} in the {}", about(n, 0), about(n, 2), about(n, 1));
    case NoteKind::not_measured_in_head:
      return "the head was not measured for this case";
    case NoteKind::other_problem:
      return "the two files have different problems under this name";
    case NoteKind::no_time_on_a_side:
      return "one of the two has no time";
    case NoteKind::other_fit:
      return fmt::format("largest size that fits: {} → {}", x[0], x[1]);
    case NoteKind::launches_unknown:
      return fmt::format("the {} does not say which launch each sample belongs to", about(n, 0));
    case NoteKind::few_launches_of_case:
      return few_launches_text(x[0], x[1], x[2], x[3]);
    case NoteKind::launches_of_two_kinds:
      return fmt::format(
          "up to {} by half of this change or more between launches, so it may be chance: measure {} of each "
          "side",
          count_text(x[0], "case varies", "cases vary"), count_text(x[1], "launch", "launches"));
    case NoteKind::not_significant:
      return "not significant among so many cases: by chance, some look this different";
    case NoteKind::change_not_confirmed:
      return "launches differ too much to confirm this change: measure more launches";
    case NoteKind::perhaps_below_threshold:
      return "slower, perhaps by less than the threshold";
    case NoteKind::launches_beyond_threshold:
      return "launches differ by more than the threshold: measure more launches";
    case NoteKind::perhaps_faster:
      return "not slower, perhaps faster: measure more launches to be sure";
    case NoteKind::probably:
      return fmt::format("probably {}{}, not confirmed", about(n, 0), change_in_brackets(x));
    case NoteKind::suspected:
      return fmt::format("perhaps {}{}, not confirmed", about(n, 0), change_in_brackets(x));
    case NoteKind::not_slower:
      return "not slower, perhaps faster" + change_in_brackets(x);
    case NoteKind::never_measured:
      return "not measured";
    case NoteKind::interrupted:
      return "interrupted" + after_launches(x[0]);
    case NoteKind::time_ran_out:
      return fmt::format("time ran out{}; re-run with --minutes {:.0f}", after_launches(x[0]), x[1]);
    case NoteKind::launches_differ:
      return fmt::format(
          "launches differ too much{}; repeat it on a quieter machine, or with a larger --threshold",
          after_launches(x[0]));
    case NoteKind::launches_of_side_differ:
      return fmt::format(
          "launches differ too much{0}; the {1}'s own times differ by {2} % between launches, the {3}'s by "
          "{4} "
          "%, so a quieter machine does not help: find out how processes of the {1} differ",
          after_launches(x[0]), about(n, 0), number_text(x[1] * percent), about(n, 1),
          number_text(x[2] * percent));
    case NoteKind::slow_machine:
      return fmt::format("this machine {}{}; repeat it when nothing else shares its cores", ran_at(x[1]),
                         after_launches(x[0]));
    case NoteKind::threads_spin:
      return fmt::format(
          "its threads do not sleep between samples, so a neighbour would not be seen beside them{}; make "
          "them "
          "sleep, as with OMP_WAIT_POLICY=passive in --base-env and --head-env",
          after_launches(x[0]));
    case NoteKind::method_of_gate:
      return fmt::format(
          "Each launch gives one value: the median over its pairs of samples of head's seconds over base's. "
          "The change is the trimmed mean of these values' logarithms, with Tukey and McLaughlin's 95 % "
          "interval. A case is called slower or faster only where further launches confirm it by the "
          "randomisation test of signs. Where nothing changed, the chance that any of {} is called slower or "
          "faster is at most {:g} %. Of a launch on a machine below its own speed, what a neighbour can have "
          "done is in the interval, and only a larger change is called slower or faster.",
          cases_text(n), x[1] * percent);
    case NoteKind::method_of_comparison:
      return fmt::format(
          "The change is the ratio of the geometric means of the launches' medians, with Welch's 95 % "
          "interval. Holm's procedure controls errors over all {}: where nothing changed, at most {:g} % of "
          "comparisons call any case slower. This includes launches of two memory layouts, which need more "
          "launches the more cases have them. A change of the machine between the two measurements looks "
          "like "
          "a change of the programs; `breakeven gate` measures both in turn and avoids this.",
          count_text(x[0], "compared case", "compared cases"), x[1] * percent);
    case NoteKind::slow_node:
      return fmt::format("it {}: something shares its cores", ran_at(x[0]));
    case NoteKind::slow_part:
      return fmt::format("its {} takes {:.2f}x as long in the speed probe", about(n, 0), x[0]);
    case NoteKind::gpu_link_lanes:
      return fmt::format("its GPU's link has {} lanes, not {}", x[0], x[1]);
    case NoteKind::gpu_link_generation:
      return fmt::format("its GPU's link is of PCIe generation {}, not {}", x[0], x[1]);
    case NoteKind::gpu_errors_of_node:
      return fmt::format("its GPU had {} uncorrected memory errors", x[0]);
    case NoteKind::gpu_clocks_of_node:
      return fmt::format("its GPU lowered its clocks ({})", about(n, 0));
    case NoteKind::nothing_differs:
      return "nothing that was recorded differs";
    case NoteKind::cases_without_time:
      return cases_without_time_text(n);
    case NoteKind::cases_missing:
      return fmt::format("no time of {} that others of its kind have", cases_text(n));
    case NoteKind::run_interrupted:
      return "the run was interrupted";
    case NoteKind::runs_of_nodes:
      return "files of one machine are its runs: " + some_of(n.about);
    case NoteKind::few_of_kind:
      return fmt::format("{} of this kind, and at least {} are needed to find a slow one", x[0], x[1]);
    case NoteKind::no_common_case:
      return "no case was measured on all of them";
    case NoteKind::selftest_of_other_host:
      return fmt::format("the selftest is from another host, {} ({}); run `breakeven selftest` on this one",
                         about(n, 0), about(n, 1));
    case NoteKind::selftest_of_other_processor:
      return fmt::format(
          "the selftest is from another processor, {}, and this one is {}; run `breakeven selftest` again",
          about(n, 0), about(n, 1));
    case NoteKind::selftest_finds_less:
      return fmt::format(
          "the selftest of {} could not detect changes of {:.1f} % in {} on this host, so they may end "
          "inconclusive: use a larger --threshold or a quieter host",
          about(n, 0), x[0] * percent, part_text(x[1], x[2], "case", "cases"));
    case NoteKind::selftest_failed:
      return fmt::format("in the selftest of {}, {} without a change failed on this host", about(n, 0),
                         part_text(x[0], x[1], "gate", "gates"));
    case NoteKind::results_apart:
      return fmt::format(
          "compared from results measured on {}, {}, not in turn: intervals allow for runs of one machine "
          "that "
          "differ by {:g} % (standard deviation), and between measured values a crossing is at best "
          "interpolated",
          x[0] == 1 ? "one machine" : "two machines",
          about(n, 0) == about(n, 1) ? fmt::format("on one day ({})", about(n, 0))
                                     : fmt::format("on different days ({} and {})", about(n, 0), about(n, 1)),
          x[1] * percent);
    case NoteKind::no_intervals:
      return fmt::format(
          "{} {} no interval: too few samples were taken. Without one, a lead counts from 1.2x, and a "
          "crossing "
          "may be anywhere between two values",
          part_text(x[0], x[1], "time", "times"), x[0] == 1 ? "has" : "have");
    case NoteKind::few_launches_of_results:
      return "intervals of fewer than five launches do not cover how much launches differ: where a few per "
             "cent "
             "decide, measure with \"launches\": 5";
    case NoteKind::inputs_on_gpu:
      return "the inputs of inference were already on the GPU: \"transfer\": \"each\" also counts moving "
             "them "
             "there, and the answers back";
    case NoteKind::one_commit:
      return "both runs are of one commit: it is not the code";
    case NoteKind::now_different:
      return fmt::format("{}: {} → {}", about(n, 0), about(n, 1), about(n, 2));
    case NoteKind::machine_changed:
      return machine_changed_text(n);
    case NoteKind::machine_recovered:
      return fmt::format("{}; from run {} on it was as before, and this series was not",
                         machine_changed_text(n), x[1]);
    case NoteKind::slow_run:
      return fmt::format("in run {} the machine {}", x[0], ran_at(x[1]));
    case NoteKind::fewer_threads:
      return fmt::format("computed by {}, which is {:.2f}x as fast as by all",
                         part_text(x[1], x[2], "thread", "threads"), x[0]);
    case NoteKind::kernels_replaced:
      return fmt::format("its kernels for {} were replaced by those for {}, which are faster here",
                         about(n, 0), about(n, 1));
    case NoteKind::kernels_not_started:
      return fmt::format("it does not start with the kernels that were chosen, and keeps its own: {}",
                         about(n, 0));
    case NoteKind::kernel_choices_damaged:
      return fmt::format("{} was not a file of choices of kernels: {}; they were raced again", about(n, 0),
                         about(n, 1));
    case NoteKind::kernel_choices_not_kept:
      return fmt::format(
          "its kernels are raced in every run, which takes two seconds, because {}; set XDG_CACHE_HOME to a "
          "folder that can be written",
          n.about.empty() ? "neither XDG_CACHE_HOME nor HOME names a folder"
                          : fmt::format("{} cannot be written: {}", about(n, 0), about(n, 1)));
    case NoteKind::injected_work:
      return fmt::format("all times are {:g} % longer than they were: BREAKEVEN_EXTRA_WORK injects that",
                         x[0] * percent);
    case NoteKind::slow_until_the_end:
      return fmt::format("time ran out: this machine {}; repeat it when nothing else shares its cores",
                         ran_at(x[0]));
  }
  return "";
}

}  // namespace

std::string ran_at(double share) {
  return ran_at(share, share);
}

std::string ran_at(double least, double most) {
  std::string range = fmt::format("{:.0f}", least * 100);
  if (const std::string end = fmt::format("{:.0f}", most * 100); end != range) range += " to " + end;
  return fmt::format("ran at {} % of its own speed", range);
}

std::string note_text(const Note& note) {
  const std::string text = text_alone(note);
  return note.source.empty() ? text : fmt::format("{}: {}", note.source, text);
}

std::vector<std::string> note_texts(const std::vector<Note>& notes) {
  std::vector<std::string> texts;
  texts.reserve(notes.size());
  for (const Note& note : notes) texts.push_back(note_text(note));
  return texts;
}

std::string reasons_text(const std::vector<Note>& reasons) {
  const auto is_direction = [](const Note& reason) {
    return reason.kind == NoteKind::probably || reason.kind == NoteKind::suspected ||
           reason.kind == NoteKind::not_slower || reason.kind == NoteKind::never_measured;
  };
  std::string text;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    text += note_text(reasons[i]);
    if (i + 1 < reasons.size()) text += is_direction(reasons[i]) ? ": " : "; ";
  }
  return text;
}

bool is_worse(const Note& note, const Note& other) {
  const bool smaller_is_worse = note.kind == NoteKind::few_samples || note.kind == NoteKind::slow_samples;
  const auto size = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto& [less, more] =
      smaller_is_worse ? std::tie(note.figures, other.figures) : std::tie(other.figures, note.figures);
  return std::ranges::lexicographical_compare(less, more, size);
}

}  // namespace breakeven
