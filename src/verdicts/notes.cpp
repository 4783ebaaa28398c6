#include "verdicts/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace breakeven {

std::vector<Note> notes_of_sides(const std::set<Note>& base, const std::set<Note>& head) {
  std::vector<Note> notes;
  notes.reserve(base.size() + head.size());
  for (const Note& note : base) notes.push_back(head.contains(note) ? note : with_source("base", note));
  for (const Note& note : head) {
    if (!base.contains(note)) notes.push_back(with_source("head", note));
  }
  return notes;
}

std::vector<Note> backend_warnings(const std::string& name, const BackendRecord* base,
                                   const BackendRecord* head) {
  const auto warnings_of = [](const BackendRecord* backend) {
    std::set<Note> warnings;
    for (const std::string& text : backend == nullptr ? std::vector<std::string>{} : backend->warnings)
      warnings.insert(quoted_note(text));
    return warnings;
  };
  std::vector<Note> warnings = notes_of_sides(warnings_of(base), warnings_of(head));
  for (Note& warning : warnings) warning = with_source(name, std::move(warning));
  return warnings;
}

std::vector<Note> same_file_warnings(const Side& base, const Side& head) {
  const auto set_for = [](const Side& side, std::string_view variable) {
    const auto found =
        std::ranges::find_if(side.environment, [&](const auto& entry) { return entry.first == variable; });
    return found == side.environment.end() ? std::string() : found->second;
  };
  std::vector<Note> warnings;
  for (const std::string_view variable : {"LD_LIBRARY_PATH", "LD_PRELOAD"}) {
    if (set_for(base, variable) == set_for(head, variable)) continue;
    for (const BackendRecord& of_base : base.backends) {
      const BackendRecord* of_head = find_backend(head.backends, of_base.name);
      if (of_head == nullptr || of_base.library_files.empty() ||
          of_base.library_files != of_head->library_files)
        continue;
      warnings.push_back({.source = of_base.name,
                          .kind = NoteKind::same_file,
                          .about = {of_base.library_files.front().second, std::string(variable)}});
    }
  }
  return warnings;
}

void gather_common_notes(Verdicts& verdicts) {
  std::map<std::pair<std::string, Note>, std::size_t> counts;  // by backend and note
  for (const CaseVerdict& c : verdicts.cases) {
    for (const Note& note : std::set<Note>(c.notes.begin(), c.notes.end())) ++counts[{c.backend, note}];
  }
  std::erase_if(counts, [](const auto& entry) {
    constexpr std::size_t several = 3;  // a note that at least this many cases share becomes one warning
    return entry.second < several;
  });
  for (CaseVerdict& c : verdicts.cases)
    std::erase_if(c.notes, [&](const Note& note) { return counts.contains({c.backend, note}); });
  for (const auto& [what, count] : counts)
    verdicts.warnings.push_back(with_source(fmt::format("{} cases of {}", count, what.first), what.second));
}

}  // namespace breakeven
