// The options of `gate` and `compare` that say where verdicts go.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "verdicts/verdict.h"

namespace breakeven {

struct VerdictOutputs {
  std::string out, markdown, junit, annotations;  // files; - is standard output, empty is none
  bool quiet = false;                             // no report in the terminal
};

void add_verdict_outputs(CLI::App& command, VerdictOutputs& outputs);

/// Throws CommandError where two of them are one file, or one cannot be written: before anything is measured.
void check_verdict_outputs(const VerdictOutputs& outputs);

/// Writes every file that is asked for, and shows the verdicts on standard output, unless a file is written
/// there. Throws CommandError for a file that cannot be written.
void write_verdicts(const Verdicts& verdicts, const VerdictOutputs& outputs);

}  // namespace breakeven
