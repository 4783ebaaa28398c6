#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <unordered_map>

#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/text.h"
#include "reports/words/notes.h"
#include "verdicts/overview.h"

namespace breakeven {
namespace {

/// Replaces numbers, so that "element 3 is 0.1" and "element 7 is 0.5" are one text. Digits after a letter
/// are part of a name: f16 is not f32.
std::string without_numbers(std::string_view text) {
  const auto is_digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string key;
  for (std::size_t i = 0; i < text.size();) {
    const bool in_name = i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0;
    if (!is_digit(i) || in_name) {
      key += text[i++];
      continue;
    }
    while (is_digit(i) || (i < text.size() && text[i] == '.' && is_digit(i + 1))) ++i;
    key += '0';
  }
  return key;
}

/// Equal for notes of one kind about the same. Those that are about a case's own algorithms, ranks or memory
/// are alike. Texts of other programs, and of older versions, may contain figures.
std::string key_of(const Note& note, bool is_of_case) {
  std::string key = fmt::format("{}\n{}", name(note.kind), note.source);
  const auto about_one_case = {NoteKind::several_algorithms, NoteKind::measured_alone, NoteKind::slow_rank,
                               NoteKind::ranks_on_other_cpus};
  if (is_of_case && std::ranges::find(about_one_case, note.kind) != about_one_case.end()) return key;
  const std::string about = printable(fmt::format("{}", fmt::join(note.about, "\n")));
  return key + '\n' + (is_of_case && note.kind == NoteKind::quoted ? without_numbers(about) : about);
}

/// A remark on one or many results. Notes of one kind are one remark.
struct Remark {
  Note note;  // the worst, or the first in other programs' words
  bool varies = false;
  std::size_t count = 0;                   // number of results; 0 if it is about a whole run
  std::vector<std::string> backends = {};  // in order of appearance
  std::vector<std::string> machines = {};  // likewise
  std::string first = {};                  // operation and title of the first result
};

/// Gathers remarks in order of appearance.
class Remarks {
 public:
  /// With several machines, each remark says which it is about.
  explicit Remarks(std::size_t machines) : machines_(machines) {}

  void add(const Note& note, const std::string& machine, const CaseResult* result) {
    std::string key = key_of(note, result != nullptr);
    // The figures of a run are those of its machine.
    if (result == nullptr) key += "\n" + machine;
    const auto [known, fresh] = index_.try_emplace(std::move(key), all_.size());
    if (fresh) all_.push_back({.note = note});
    Remark& remark = all_[known->second];
    if (remark.note != note) {
      remark.varies = remark.varies || note_text(remark.note) != note_text(note);
      if (is_worse(note, remark.note)) remark.note = note;
    }
    add_once(remark.machines, machine);
    if (result == nullptr) return;
    if (++remark.count == 1)
      remark.first = fmt::format("{} {}", printable(result->op), problem_title(*result));
    add_once(remark.backends, printable(result->backend));
  }

  /// Counts a result of a machine that was slowed, whose remark says how many there are.
  void count_slowed(const std::string& machine) { ++slowed_[machine]; }

  /// Adds the remarks on whole runs first, then the others by falling frequency.
  void add_to(std::vector<Sentence>& said, Tone tone) const {
    std::vector<Remark> ordered = all_;
    std::ranges::stable_sort(ordered, [](const Remark& a, const Remark& b) {
      return a.count == 0 || b.count == 0 ? a.count < b.count : a.count > b.count;
    });
    for (const Remark& remark : ordered) said.push_back({.text = text_of(remark), .tone = tone});
  }

 private:
  std::string text_of(const Remark& remark) const {
    const std::string backends = fmt::format("{}", fmt::join(remark.backends, ", "));
    const std::string machines = machines_ < 2 ? "" : joined_text(remark.machines);
    const std::string on = machines.empty() ? ""
                           : remark.machines.size() == machines_
                               ? fmt::format("; on {} machines", every_text(machines_))
                               : "; on " + machines;
    const std::string text = printable(note_text(remark.note));
    if (remark.count == 0)
      return (machines.empty() ? text : fmt::format("{}: {}", machines, text)) + slowed_text(remark);
    if (remark.count == 1) return fmt::format("{} ({}, {}{})", text, backends, remark.first, on);
    if (!remark.varies) return fmt::format("{} ({} cases: {}{})", text, remark.count, backends, on);
    return fmt::format("{} (and {} like it: {}{})", text,
                       counted_text(remark.count - 1, "more case", "more cases"), backends, on);
  }

  std::string slowed_text(const Remark& remark) const {
    const auto slowed = slowed_.find(remark.machines.front());
    if (remark.note.kind != NoteKind::slow_rounds || slowed == slowed_.end()) return "";
    return fmt::format(", and {} times from then: measure again when it is quieter",
                       counted_text(slowed->second, "result has", "results have"));
  }

  std::size_t machines_;
  std::map<std::string, std::size_t> slowed_;  // by machine
  std::vector<Remark> all_;
  std::unordered_map<std::string, std::size_t> index_;
};

/// True for notes on a case that repeat what slow_rounds says of the whole run.
bool is_of_slow_machine(const Note& note) {
  return note.kind == NoteKind::slow_samples || note.kind == NoteKind::other_processes ||
         note.kind == NoteKind::hypervisor;
}

/// Says which shards of a run are here, if others are missing; empty if all are here.
std::string missing_shards_text(const std::set<Shard>& here) {
  if (here.size() == here.begin()->count) return "";
  std::vector<std::string> names;
  names.reserve(here.size());
  for (const Shard& shard : here) names.push_back(shard.text());
  return fmt::format("{} {}: other cases of the run are missing. Join all its shards with breakeven merge.",
                     names.size() == 1 ? "This is shard" : "These are shards", joined_text(names));
}

/// The same for each run that was divided, told apart by its cases and their number of parts.
std::vector<std::string> shards_texts(const Runs& runs) {
  std::map<std::pair<std::string, std::size_t>, std::set<Shard>> by_run;
  for (const Result* run : runs) {
    if (run->shard) by_run[{run->shard->fingerprint, run->shard->shard.count}].insert(run->shard->shard);
  }
  std::vector<std::string> texts;
  for (const auto& [run, here] : by_run) {
    if (std::string text = missing_shards_text(here); !text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

std::vector<Sentence> remarks_on(const Runs& runs) {
  const std::vector<MachineRuns> machines = machines_of(runs);
  Remarks failures(machines.size());
  Remarks warnings(machines.size());
  Remarks unsupported(machines.size());
  std::vector<std::string> incomplete;  // names of machines
  for (const MachineRuns& machine : machines) {
    for (const Result* run : machine.runs) {
      if (!run->complete) add_once(incomplete, machine.name);
      for (const Note& warning : run->warnings) warnings.add(warning, machine.name, nullptr);
      const bool was_slow = std::ranges::count(run->warnings, NoteKind::slow_rounds, &Note::kind) > 0;
      for (const CaseResult& result : run->cases) {
        if (result.status != Status::ok)
          (result.status == Status::unsupported ? unsupported : failures)
              .add(quoted_note(status_text(result.status, explain(result))), machine.name, &result);
        if (was_slow && std::ranges::any_of(result.warnings, is_of_slow_machine))
          warnings.count_slowed(machine.name);
        for (const Note& warning : result.warnings) {
          if (!was_slow || !is_of_slow_machine(warning)) warnings.add(warning, machine.name, &result);
        }
      }
    }
  }
  std::vector<Sentence> sentences;
  failures.add_to(sentences, Tone::bad);
  if (!incomplete.empty())
    sentences.push_back(
        {.text = fmt::format("The run{} ended before everything was measured: continue it with "
                             "--resume.",
                             machines.size() < 2 ? "" : " on " + joined_text(incomplete)),
         .tone = Tone::warning});
  for (const std::string& text : shards_texts(runs)) add_sentence(sentences, text, Tone::warning);
  warnings.add_to(sentences, Tone::warning);
  unsupported.add_to(sentences, Tone::quiet);
  return sentences;
}

}  // namespace breakeven
