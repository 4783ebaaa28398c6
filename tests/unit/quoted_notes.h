// Notes in a program's own words.
#pragma once

#include <string>
#include <vector>

#include "results/note.h"

namespace breakeven {

inline std::vector<Note> quoted_notes(const std::vector<std::string>& texts) {
  std::vector<Note> notes;
  notes.reserve(texts.size());
  for (const std::string& text : texts) notes.push_back(quoted_note(text));
  return notes;
}

}  // namespace breakeven
