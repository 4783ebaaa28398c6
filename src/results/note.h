// Remarks on a run, a case or a verdict, as facts: their kind, figures and names. The room of reports has the
// words (reports/words/notes.h).
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "json/fields.h"

namespace breakeven {

/// `quoted` is a text without figures: of another program, or an older version.
enum class NoteKind {
  quoted,
  few_samples,
  time_limit,
  drift,
  other_processes,
  hypervisor,
  cpu_quota,
  cpu_heat,
  gpu_processes,
  gpu_memory_errors,
  gpu_clocks,
  gpu_clocks_counted,
  gpu_clocks_set_aside,
  slow_samples,
  slow_rounds,
  cpu_clock_range,
  cores_moved,
  unoptimised_build,
  library_variables,
  withheld_variables,
  gpu_in_use,
  gpu_exclusive,
  clock_step,
  clock_jumps,
  threads_not_held,
  slow_rank,
  ranks_on_other_cpus,
  several_algorithms,
  partly_verified,
  measured_alone,
  busy_threads,
  other_commit,
  other_host_name,
  backend_gone,
  ended_early,
  target_missed,
  amount_left_out,
  aggregates_alone,
  pairs_again,
  slow_pairs_counted,
  slow_pairs_left_out,
  slow_launches,
  slow_until_the_end,
  incomplete_side,
  renamed_host,
  renamed_backend,
  unsupported_in_base,
  same_samples,
  few_launches,
  other_algorithm,
  not_compared,
  without_time,
  measured_on_one,
  untimed,
  same_file,
  // How two results differ.
  changed,
  instruction_sets,
  cores_clocked,
  cores_clocked_alike,
  cores_elsewhere,
  ranks_elsewhere,
  places_of_shards,
  incomplete_shard,
  // Why a case was not compared.
  no_backend,
  backend_unavailable,
  no_operation,
  not_measured_in_head,
  other_problem,
  no_time_on_a_side,
  other_fit,
  launches_unknown,
  // Why a verdict is not clear.
  few_launches_of_case,
  launches_of_two_kinds,
  not_significant,
  change_not_confirmed,
  perhaps_below_threshold,
  launches_beyond_threshold,
  perhaps_faster,
  probably,
  suspected,
  not_slower,
  never_measured,
  interrupted,
  time_ran_out,
  launches_differ,
  launches_of_side_differ,
  slow_machine,
  threads_spin,
  // How verdicts were reached.
  method_of_gate,
  method_of_comparison,
  // Why a node of a fleet is slower, or was not compared.
  slow_node,
  slow_part,
  gpu_link_lanes,
  gpu_link_generation,
  gpu_errors_of_node,
  gpu_clocks_of_node,
  nothing_differs,
  cases_without_time,
  cases_missing,
  run_interrupted,
  runs_of_nodes,
  few_of_kind,
  no_common_case,
  // Of selftests, break-even points from results, and histories.
  selftest_of_other_host,
  selftest_of_other_processor,
  selftest_finds_less,
  selftest_failed,
  results_apart,
  no_intervals,
  few_launches_of_results,
  inputs_on_gpu,
  one_commit,
  now_different,
  machine_changed,
  machine_recovered,
  slow_run,
  injected_work,
  fewer_threads,
  // The choice of a library's kernels.
  kernels_replaced,
  kernels_not_started,
  kernel_choices_damaged,
  kernel_choices_not_kept,
};
/// The names of a kind and its figures in files. Shares and changes are of 1, times in seconds.
struct NoteForm {
  std::string_view name;
  std::array<const char*, 4> figures = {};
};
/// In the order of the kinds.
inline constexpr std::array<NoteForm, 122> note_forms{{
    {"quoted"},
    {"few_samples", {"samples", "seconds"}},
    {"time_limit", {"seconds", "reached", "requested"}},
    {"drift", {"change"}},
    {"other_processes", {"share"}},
    {"hypervisor", {"share"}},
    {"cpu_quota", {"seconds"}},
    {"cpu_heat"},
    {"gpu_processes", {"processes"}},
    {"gpu_memory_errors", {"errors"}},
    {"gpu_clocks", {"samples", "of"}},
    {"gpu_clocks_counted", {"samples", "of"}},
    {"gpu_clocks_set_aside", {"samples", "of", "factor"}},
    {"slow_samples", {"own_speed", "samples", "of"}},
    {"slow_rounds", {"own_speed", "rounds", "of", "lowest"}},
    {"cpu_clock_range", {"factor"}},
    {"cores_moved", {"factor"}},
    {"unoptimised_build"},
    {"library_variables"},
    {"withheld_variables"},
    {"gpu_in_use", {"bytes", "of"}},
    {"gpu_exclusive", {"programs", "rank_counts"}},
    {"clock_step", {"seconds"}},
    {"clock_jumps", {"samples"}},
    {"threads_not_held"},
    {"slow_rank", {"factor"}},
    {"ranks_on_other_cpus"},
    {"several_algorithms"},
    {"partly_verified", {"elements"}},
    {"measured_alone"},
    {"busy_threads", {"seconds"}},
    {"other_commit"},
    {"other_host_name"},
    {"backend_gone"},
    {"ended_early"},
    {"target_missed", {"accuracy"}},
    {"amount_left_out", {"amount", "seconds"}},
    {"aggregates_alone"},
    {"pairs_again", {"pairs"}},
    {"slow_pairs_counted", {"own_speed", "pairs", "of"}},
    {"slow_pairs_left_out", {"own_speed", "pairs", "of"}},
    {"slow_launches", {"own_speed", "launches", "of", "while_waiting"}},
    {"slow_until_the_end", {"own_speed"}},
    {"incomplete_side"},
    {"renamed_host"},
    {"renamed_backend"},
    {"unsupported_in_base"},
    {"same_samples", {"cases"}},
    {"few_launches", {"cases", "least", "enough"}},
    {"other_algorithm", {"cases"}},
    {"not_compared", {"cases"}},
    {"without_time", {"results"}},
    {"measured_on_one"},
    {"untimed"},
    {"same_file"},
    {"changed"},
    {"instruction_sets"},
    {"cores_clocked", {"factor"}},
    {"cores_clocked_alike", {"factor"}},
    {"cores_elsewhere", {"was", "is"}},
    {"ranks_elsewhere"},
    {"places_of_shards"},
    {"incomplete_shard", {"missing", "of"}},
    {"no_backend"},
    {"backend_unavailable"},
    {"no_operation"},
    {"not_measured_in_head"},
    {"other_problem"},
    {"no_time_on_a_side"},
    {"other_fit", {"was", "is"}},
    {"launches_unknown"},
    {"few_launches_of_case", {"counted_of_base", "of_base", "counted_of_head", "of_head"}},
    {"launches_of_two_kinds", {"cases", "launches"}},
    {"not_significant"},
    {"change_not_confirmed"},
    {"perhaps_below_threshold"},
    {"launches_beyond_threshold"},
    {"perhaps_faster"},
    {"probably", {"ratio", "low", "high"}},
    {"suspected", {"ratio", "low", "high"}},
    {"not_slower", {"ratio", "low", "high"}},
    {"never_measured"},
    {"interrupted", {"launches"}},
    {"time_ran_out", {"launches", "minutes"}},
    {"launches_differ", {"launches"}},
    {"launches_of_side_differ", {"launches", "deviation", "other_deviation"}},
    {"slow_machine", {"launches", "own_speed"}},
    {"threads_spin", {"launches"}},
    {"method_of_gate", {"cases", "error"}},
    {"method_of_comparison", {"cases", "error"}},
    {"slow_node", {"own_speed"}},
    {"slow_part", {"factor"}},
    {"gpu_link_lanes", {"is", "was"}},
    {"gpu_link_generation", {"is", "was"}},
    {"gpu_errors_of_node", {"errors"}},
    {"gpu_clocks_of_node"},
    {"nothing_differs"},
    {"cases_without_time", {"cases"}},
    {"cases_missing", {"cases"}},
    {"run_interrupted"},
    {"runs_of_nodes"},
    {"few_of_kind", {"nodes", "needed"}},
    {"no_common_case"},
    {"selftest_of_other_host"},
    {"selftest_of_other_processor"},
    {"selftest_finds_less", {"threshold", "cases", "of"}},
    {"selftest_failed", {"gates", "of"}},
    {"results_apart", {"machines", "deviation"}},
    {"no_intervals", {"times", "of"}},
    {"few_launches_of_results"},
    {"inputs_on_gpu"},
    {"one_commit"},
    {"now_different"},
    {"machine_changed", {"factor"}},
    {"machine_recovered", {"factor", "run"}},
    {"slow_run", {"run", "own_speed"}},
    {"injected_work", {"share"}},
    {"fewer_threads", {"speedup", "threads", "of"}},
    {"kernels_replaced"},
    {"kernels_not_started"},
    {"kernel_choices_damaged"},
    {"kernel_choices_not_kept"},
}};
static_assert(note_forms.size() == static_cast<std::size_t>(NoteKind::kernel_choices_not_kept) + 1);
constexpr auto names_of(NoteKind) {
  std::array<std::string_view, note_forms.size()> names;
  std::ranges::transform(note_forms, names.begin(), &NoteForm::name);
  return names;
}

struct Note {
  std::string source = {};  // the backend, side or shard that it is of; may be empty
  NoteKind kind = NoteKind::quoted;
  std::vector<double> figures = {};     // see figure_names()
  std::vector<std::string> about = {};  // names and texts; of `quoted` the text

  bool operator==(const Note&) const = default;
  bool operator<(const Note& other) const {
    return std::tie(source, kind, figures, about) <
           std::tie(other.source, other.kind, other.figures, other.about);
  }
};

std::span<const char* const> figure_names(NoteKind kind);

/// A note in a program's own words.
Note quoted_note(std::string text);
std::vector<Note> quoted_notes(const std::vector<std::string>& texts);
/// The same note, of `source`, within which its own source is: "openblas: head: ...".
Note with_source(std::string_view source, Note note);

/// A figure to three significant digits, as words have it: equal words are then equal notes.
double rounded(double figure);
/// A share of 1 in whole per cent.
double rounded_share(double share);

/// Adds a value unless it is there already.
template <typename T>
void add_once(std::vector<T>& all, T value) {
  if (std::ranges::find(all, value) == all.end()) all.push_back(std::move(value));
}

/// Writes or reads notes: "warnings" with the text of each, and "notes" with the facts, if any has more than
/// its text. Files of earlier versions have texts alone.
void note_fields(Fields& f, std::vector<Note>& notes);
/// The texts alone; not written if there are none and `if_set`.
void note_text_fields(Fields& f, const char* key, std::vector<Note>& notes, bool if_set = false);
/// The texts as one, as of a reason; not written if `notes` are empty and `if_set`.
void joined_note_field(Fields& f, const char* key, std::vector<Note>& notes, bool if_set = false);

}  // namespace breakeven
