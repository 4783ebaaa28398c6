// Everything that a user brings to be reported: result files, and what `threshold`, `gate` and `compare`
// found.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <vector>

#include "results/file_kind.h"
#include "results/result.h"
#include "verdicts/machines.h"
#include "verdicts/threshold.h"
#include "verdicts/verdict.h"

namespace breakeven {

struct Measured {
  std::vector<Result> results = {};
  std::vector<Threshold> thresholds = {};
  std::vector<Verdicts> verdicts = {};
  std::vector<SkippedFile> skipped = {};  // of another kind
};

inline constexpr std::array what_reports_show{FileKind::result, FileKind::threshold, FileKind::verdict};
inline constexpr std::array results_alone{FileKind::result};

/// The files of these kinds, each kind in the order of the files; "-" is standard input. Machines have their
/// labels and can be told apart by their names. Throws ResultError, also where no file is of these kinds,
/// and LabelError.
Measured read_measured(std::span<const std::filesystem::path> files,
                       std::span<const FileKind> kinds = what_reports_show,
                       std::span<const MachineLabel> labels = {});

}  // namespace breakeven
