#include "results/note.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "results/words.h"

namespace breakeven {
namespace {

/// A note of a file.
struct FiledNote {
  Note note;
  std::string kind = {};  // its name, which a later version may have added

  bool is_known() const {
    return note.kind == NoteKind::quoted ? !note.about.empty() : parse_name<NoteKind>(kind).has_value();
  }
};

void fields(Fields& f, FiledNote& filed) {
  Note& note = filed.note;
  if (f.writes()) filed.kind = name(note.kind);
  f.required("kind", filed.kind);
  if (f.reads()) {
    const auto kind = parse_name<NoteKind>(filed.kind);
    if (!kind) return;
    note.kind = *kind;
    note.figures.resize(figure_names(*kind).size());
  }
  for (std::size_t i = 0; i < note.figures.size(); ++i) f.number(figure_names(note.kind)[i], note.figures[i]);
  f.if_set("about", note.about);
  f.if_set("source", note.source);
}

/// Without words, a note is the name of its kind, or the text that it quotes.
std::string text_of_note(const Note& note, const Words* words) {
  if (words != nullptr) return words->of_note(note);
  return note.kind == NoteKind::quoted && !note.about.empty() ? note.about[0] : std::string(name(note.kind));
}

std::vector<std::string> texts_of(const Fields& f, const std::vector<Note>& notes) {
  std::vector<std::string> texts;
  texts.reserve(notes.size());
  for (const Note& note : notes) texts.push_back(text_of_note(note, f.words()));
  return texts;
}

bool is_more_than_text(const Note& note) {
  return note.kind != NoteKind::quoted || !note.source.empty();
}

}  // namespace

std::span<const char* const> figure_names(NoteKind kind) {
  const auto& names = note_forms.at(static_cast<std::size_t>(kind)).figures;
  return {names.begin(), std::ranges::find(names, nullptr)};
}

Note quoted_note(std::string text) {
  return {.about = {std::move(text)}};
}

std::vector<Note> quoted_notes(const std::vector<std::string>& texts) {
  std::vector<Note> notes;
  notes.reserve(texts.size());
  for (const std::string& text : texts) notes.push_back(quoted_note(text));
  return notes;
}

Note with_source(std::string_view source, Note note) {
  note.source = note.source.empty() ? std::string(source) : fmt::format("{}: {}", source, note.source);
  return note;
}

double rounded(double figure) {
  return std::stod(fmt::format("{:.2e}", figure));
}

double rounded_share(double share) {
  return std::round(share * 100) / 100;
}

void note_fields(Fields& f, std::vector<Note>& notes) {
  std::vector<FiledNote> filed;
  if (f.writes() && std::ranges::any_of(notes, is_more_than_text)) {
    for (const Note& note : notes) filed.push_back({.note = note});
  }
  std::vector<std::string> texts = texts_of(f, notes);
  f.optional("warnings", texts);
  f.if_set("notes", filed);
  if (f.writes()) return;
  f.expect(filed.empty() || filed.size() == texts.size(), "has {} notes and {} warnings, their texts",
           filed.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool is_known = !filed.empty() && filed[i].is_known();
    notes.push_back(is_known ? std::move(filed[i].note) : quoted_note(std::move(texts[i])));
  }
}

void joined_note_field(Fields& f, const char* key, std::vector<Note>& notes, bool if_set) {
  std::string text = f.words() != nullptr ? f.words()->of_notes(notes)
                                          : fmt::format("{}", fmt::join(texts_of(f, notes), "; "));
  if_set ? f.if_set(key, text) : f.optional(key, text);
  if (f.reads() && !text.empty()) notes = {quoted_note(std::move(text))};
}

void note_text_fields(Fields& f, const char* key, std::vector<Note>& notes, bool if_set) {
  std::vector<std::string> texts = texts_of(f, notes);
  if_set ? f.if_set(key, texts) : f.optional(key, texts);
  if (f.reads()) notes = quoted_notes(texts);
}

}  // namespace breakeven
