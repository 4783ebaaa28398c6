// Gathers the notes on verdicts, so that each appears only once. Pure functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "verdicts/verdict.h"

namespace breakeven {

/// Merges the notes of a case's two sides: from "base" and from "head", or from neither if both sides have
/// the note.
std::vector<Note> notes_of_sides(const std::set<Note>& base, const std::set<Note>& head);

/// The two sides' warnings that a backend may be slower than it could be, as "openblas: head: ...". Null
/// stands for a side without the backend.
std::vector<Note> backend_warnings(const std::string& name, const BackendRecord* base,
                                   const BackendRecord* head);

/// Warns if both sides loaded the same library file although LD_LIBRARY_PATH or LD_PRELOAD differs. The
/// loader does not report a missing folder.
std::vector<Note> same_file_warnings(const Side& base, const Side& head);

/// Replaces notes that several cases of a backend share by one warning with the number of cases.
void gather_common_notes(Verdicts& verdicts);

}  // namespace breakeven
