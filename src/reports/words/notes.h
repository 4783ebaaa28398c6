// The words of notes.
#pragma once

#include <string>
#include <vector>

#include "results/note.h"

namespace breakeven {

/// "openblas: drifted by +3.1 % from the first samples to the last".
std::string note_text(const Note& note);
std::vector<std::string> note_texts(const std::vector<Note>& notes);

/// Reasons as one text: "probably slower (+5 %, ...), not confirmed: time ran out after 6 launches; ...".
std::string reasons_text(const std::vector<Note>& reasons);

/// True if `note` tells of something worse than `other`, of the same kind.
bool is_worse(const Note& note, const Note& other);

/// A share of a machine's own speed: "ran at 60 % of its own speed".
std::string ran_at(double share);
/// The same for a range of shares: "ran at 16 to 58 % of its own speed".
std::string ran_at(double least, double most);

}  // namespace breakeven
