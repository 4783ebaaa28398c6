// The words of notes.
#pragma once

#include <string>
#include <vector>

#include "results/note.h"

namespace breakeven {

/// "openblas: drifted by +3.1 % from the first samples to the last".
std::string note_text(const Note& note);
std::vector<std::string> note_texts(const std::vector<Note>& notes);

/// True if `note` tells of something worse than `other`, of the same kind.
bool is_worse(const Note& note, const Note& other);

}  // namespace breakeven
