#include "reports/words/notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "host/own_speed.h"
#include "text/counted.h"

namespace breakeven {
namespace {

constexpr double percent = 100, ms = 1e-3, GiB = 0x1p30;

/// "2,568 samples". The figures of a file may be any.
std::string count_text(double count, const char* one, const char* several) {
  constexpr double most = 1e15;
  if (!(count >= 0 && count < most)) return fmt::format("{} {}", count, several);
  return counted_text(static_cast<std::size_t>(count), one, several);
}

/// "3 of 40 samples".
std::string part_text(double part, double all, const char* one, const char* several) {
  return fmt::format("{} of {}", part, count_text(all, one, several));
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

/// Without its source.
std::string text_alone(const Note& n) {
  const std::vector<double>& x = n.figures;
  const auto about = [&](std::size_t i) { return i < n.about.size() ? n.about[i] : std::string(); };
  switch (n.kind) {
    case NoteKind::quoted:
      return about(0);
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
      return fmt::format("this machine ran below {:.0f} % of its own speed in {} ({:.0f} % in the slowest)",
                         x[0] * percent, part_text(x[1], x[2], "round", "rounds"), x[3] * percent);
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
          x[0] / GiB, x[1] / GiB, about(0));
    case NoteKind::gpu_exclusive:
      return exclusive_gpu(n, about(0), about(1));
    case NoteKind::clock_step:
      return fmt::format("the clock steps by {:.3g} ms: samples are as long as that needs", x[0] / ms);
    case NoteKind::clock_jumps:
      return fmt::format("the clock jumped in {}, which {} taken again",
                         count_text(x[0], "sample", "samples"), x[0] == 1 ? "was" : "were");
    case NoteKind::threads_not_held:
      return "the kernel did not let its threads be held on CPUs (sched_setaffinity), so it ran where the "
             "kernel put it: times vary more; allow the call in the sandbox";
    case NoteKind::several_algorithms:
      return several_algorithms_text(n.about);
    case NoteKind::partly_verified:
      return fmt::format("{} elements of the result were checked, not all of it", x[0]);
    case NoteKind::measured_alone:
      return fmt::format("measured alone: {}, while others held memory, too", about(0));
    case NoteKind::busy_threads:
      return fmt::format("its threads were still busy {} ms after a sample: they disturb the other backends",
                         std::round(x[0] / ms));
    case NoteKind::other_commit:
      return fmt::format(
          "some cases are of an earlier run, by breakeven of commit {}, and the others by commit {}",
          about(0), about(1));
    case NoteKind::other_host_name:
      return fmt::format("some cases are of an earlier run, when this host was called {}", about(0));
    case NoteKind::backend_gone:
      return fmt::format("{} is not available any more: {}; its results are those of the earlier run",
                         about(0), about(1));
    case NoteKind::ended_early:
      return fmt::format("the run ended early: {}", about(0));
    case NoteKind::target_missed:
      return fmt::format("the target accuracy of {:g} was not reached", x[0]);
    case NoteKind::amount_left_out:
      return fmt::format("{} of {:.3g} is left out: an iteration takes {:.3g} s", about(0), x[0], x[1]);
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
      return fmt::format("the {} is incomplete: its run was interrupted", about(0));
    case NoteKind::renamed_host:
      return fmt::format("the host was called {}, then {}", about(0), about(1));
    case NoteKind::renamed_backend:
      return fmt::format("the base's program is called {}, the head's {}", about(0), about(1));
    case NoteKind::allowed_difference:
      return about(0) + " (allowed)";
    case NoteKind::unsupported_in_base:
      return fmt::format("not supported in the base: {}", about(0));
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
                         cases_text(n), about(0), about(0));
    case NoteKind::without_time:
      return fmt::format("{} result{} left out, without a time", x[0], x[0] == 1 ? " was" : "s were");
    case NoteKind::measured_on_one:
      return fmt::format("{} measured on {} alone", about(0), about(1));
    case NoteKind::untimed:
      return "not compared, it has no time";
    case NoteKind::slow_until_the_end:
      return fmt::format("time ran out: this machine {}; repeat it when nothing else shares its cores",
                         ran_at(x[0]));
  }
  return "";
}

}  // namespace

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

bool is_worse(const Note& note, const Note& other) {
  const bool smaller_is_worse = note.kind == NoteKind::few_samples || note.kind == NoteKind::slow_samples;
  const auto size = [](double a, double b) { return std::abs(a) < std::abs(b); };
  const auto& [less, more] =
      smaller_is_worse ? std::tie(note.figures, other.figures) : std::tie(other.figures, note.figures);
  return std::ranges::lexicographical_compare(less, more, size);
}

}  // namespace breakeven
