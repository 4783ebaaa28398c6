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
  allowed_difference,
  unsupported_in_base,
  same_samples,
  few_launches,
  other_algorithm,
  not_compared,
  without_time,
  measured_on_one,
  untimed,
};
/// The names of a kind and its figures in files. Shares and changes are of 1, times in seconds.
struct NoteForm {
  std::string_view name;
  std::array<const char*, 4> figures = {};
};
/// In the order of the kinds.
inline constexpr std::array<NoteForm, 53> note_forms{{
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
    {"allowed_difference"},
    {"unsupported_in_base"},
    {"same_samples", {"cases"}},
    {"few_launches", {"cases", "least", "enough"}},
    {"other_algorithm", {"cases"}},
    {"not_compared", {"cases"}},
    {"without_time", {"results"}},
    {"measured_on_one"},
    {"untimed"},
}};
static_assert(note_forms.size() == static_cast<std::size_t>(NoteKind::untimed) + 1);
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
/// The texts alone.
void note_text_fields(Fields& f, const char* key, std::vector<Note>& notes);

}  // namespace breakeven
