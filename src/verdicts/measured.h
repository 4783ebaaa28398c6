// Everything that a report is made from: result files, and the files of `threshold`, `gate` and `compare`.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "results/file_kind.h"
#include "results/focus.h"
#include "results/result.h"
#include "verdicts/machines.h"
#include "verdicts/threshold.h"
#include "verdicts/verdict.h"

namespace breakeven {

struct Measured {
  std::vector<Result> results = {};
  std::vector<Threshold> thresholds = {};
  std::vector<Verdicts> verdicts = {};
  std::vector<SkippedFile> skipped = {};  // files of other kinds
  std::optional<Focus> asks = {};         // the topic to begin with, instead of what the configs ask
  std::optional<double> p99 = {};         // seconds: also report the largest batches within this latency
};

inline constexpr std::array what_reports_show{FileKind::result, FileKind::threshold, FileKind::verdict};
inline constexpr std::array results_alone{FileKind::result};

/// Reads the files of the requested kinds, each kind in the order of the files; "-" is standard input.
/// Applies the labels and gives machines different names. Throws ResultError, also if no file is of these
/// kinds, and LabelError.
Measured read_measured(std::span<const std::filesystem::path> files,
                       std::span<const FileKind> kinds = what_reports_show,
                       std::span<const MachineLabel> labels = {});

}  // namespace breakeven
