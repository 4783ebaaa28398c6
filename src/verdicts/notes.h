// Notes beside verdicts, each said once instead of again and again. Pure functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "verdicts/verdict.h"

namespace breakeven {

/// The notes of a case from those of its sides: "base: ..." and "head: ...", without a prefix if both sides
/// say the same.
std::vector<std::string> notes_of_sides(const std::set<std::string>& base, const std::set<std::string>& head);

/// The two sides' warnings about what makes a backend slower, as "openblas: head: ..."; null stands for a
/// side without the backend.
std::vector<std::string> backend_warnings(const std::string& name, const BackendRecord* base,
                                          const BackendRecord* head);

/// Warns where both sides loaded the same library file although LD_LIBRARY_PATH or LD_PRELOAD differs. The
/// loader does not report a missing folder.
std::vector<std::string> same_file_warnings(const Side& base, const Side& head);

/// A note that several cases of a backend share becomes a warning about all of them, which counts the cases.
void gather_common_notes(Verdicts& verdicts);

}  // namespace breakeven
