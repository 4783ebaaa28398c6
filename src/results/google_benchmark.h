// Reads results of programs that use Google Benchmark: its JSON (--benchmark_format=json,
// --benchmark_out=FILE), from the first version that named its runs to version 1.9.
#pragma once

#include <filesystem>
#include <string>

#include "results/result.h"

namespace breakeven {

/// The operation of all cases of such a file.
inline constexpr const char* google_benchmark_op = "benchmark";

/// True if the text is from Google Benchmark. Reads it only up to the first top-level key that shows this.
bool is_google_benchmark(const std::string& text);

/// Converts Google Benchmark's JSON. A benchmark becomes a case of operation "benchmark": its id is the run's
/// name, its backend the name of the executable without folders.
/// - Each repetition is a sample: `real_time` becomes `seconds`, the median of `cpu_time` becomes
///   `cpu_seconds`. All of them are one launch. If the file has only aggregates, their median (or else their
///   mean) replaces the samples, and a warning says so.
/// - An error in any repetition makes the case `failed`, a skip `unsupported`. A time of 0, such as a manual
///   time that was never set, makes it `failed`, too.
/// - Complexity fits and user counters are left out: FLOPs and bytes are unknown (NaN).
/// - The machine is the host's name and its number of CPUs; caches and added context are `settings`.
/// Throws ResultError, which names `file`, the place and the remedy.
Result google_benchmark_from_text(const std::string& text, const std::string& file);

/// The text of a file that may be Google Benchmark's.
struct AnyText {
  bool is_google_benchmark = false;
  std::string start = {};  // all of Google Benchmark's text
  TextParts rest = {};
  /// All of the text. The object must outlive the parts.
  TextParts parts();
};
/// Reads as much of a file as shows whether it is Google Benchmark's. Throws ResultError.
AnyText read_any_text(const std::filesystem::path& path);

/// Reads a result file of either kind. "-" is standard input. Throws ResultError.
Result read_any_result(const std::filesystem::path& path, Detail detail = Detail::everything);
/// The same for text that was read from `file`, which errors name.
Result any_result_from_text(const std::string& text, const std::string& file);

}  // namespace breakeven
