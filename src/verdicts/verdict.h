// The result of comparing two sides, case by case: the verdicts of `gate` and `compare`, which reports show.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/result.h"

namespace breakeven {

enum class Verdict {
  same,          // any change is smaller than the smallest that matters
  slower,        // the head takes longer by at least the smallest change that matters
  faster,        // the head takes less time by at least the smallest change that matters
  inconclusive,  // the samples do not show which
  incomparable,  // there are no two comparable times; the reason says why
};
/// The names in the verdict file.
constexpr std::array<std::string_view, 5> names_of(Verdict) {
  return {"same", "slower", "faster", "inconclusive", "incomparable"};
}

/// The sides that have a case.
enum class Presence { both, only_base, only_head };
constexpr std::array<std::string_view, 3> names_of(Presence) {
  return {"both", "only_base", "only_head"};
}

/// Head's seconds over base's, with its 95 % interval: above 1 is slower.
struct Ratio {
  double value = 1;
  double low = 1, high = 1;
  bool operator==(const Ratio&) const = default;
};

/// The samples of one launch (fresh processes of both sides), in wall seconds per iteration. If the two sides
/// were sampled in turn, samples with the same index are a pair.
struct LaunchSamples {
  std::vector<double> base, head;
  std::vector<double> own_speed = {};  // the machine's speed during each pair, 0 to 1; empty: not known
  bool operator==(const LaunchSamples&) const = default;
};

/// The verdict on one case on one backend.
struct CaseVerdict : CaseOnBackend {
  Presence presence = Presence::both;
  Status base_status = Status::ok, head_status = Status::ok;  // meaningful for a side that has the case
  Verdict verdict = Verdict::inconclusive;
  /// An inconclusive case that is certainly not slower by the threshold and may be faster. It passes.
  bool not_slower = false;
  std::vector<std::string> differences = {};  // reasons why it is not compared: "machine", "library", ...
  std::vector<Note> reasons = {};             // why the verdict is not clear; empty if it is
  std::optional<Ratio> ratio;                 // absent without two times, or with too few launches
  std::optional<double> base_seconds, head_seconds;  // medians
  std::string base_algorithm, head_algorithm;        // that the library chose
  std::vector<LaunchSamples> launches;               // all launches; empty for `compare`
  std::vector<Note> notes;                           // for the reader, such as a changed algorithm
};

/// Makes a case without a verdict.
CaseVerdict undecided(const CaseResult& c);

/// The base or the head.
struct Side {
  std::string source = {};   // result file or folder of programs
  std::string backend = {};  // the only backend that is compared, if `gate` was given its name
  std::vector<std::pair<std::string, std::string>> environment = {};  // variables set for this side alone
  int threads = 0;                           // CPU threads of this side; 0: not known
  std::vector<BackendRecord> backends = {};  // available or not
  std::string name = {};                     // the user's name for the side

  /// The name in reports.
  const std::string& shown_name() const { return name.empty() ? source : name; }
};

struct Verdicts {
  std::string kind;     // "gate" or "compare"
  std::string created;  // UTC, ISO 8601
  bool complete = true;
  std::string tool_version;
  Host host;  // of the head
  std::optional<MachineSpeed> machine_speed = {};
  Side base, head;
  double threshold = 0.03;        // the smallest change that matters: 0.03 is 3 %
  std::vector<Note> method = {};  // how intervals are computed and errors controlled
  double wall_seconds = 0;        // the time of the measurement
  std::vector<Note> warnings;
  std::vector<std::string> notes = {};  // such as what else could be measured
  /// The mean change over all cases, from `compare`. A gate's follows from its launches: overall_change().
  std::optional<Ratio> mean_change = {};
  std::vector<CaseVerdict> cases;
};

/// The kinds of findings on a case, the worst first.
enum class FindingKind {
  wrong,
  incomparable,
  missing,
  slower,
  inconclusive,
  not_slower,
  faster,
  added,
  same,
  unsupported
};
/// The names in reports.
constexpr std::array<std::string_view, 10> names_of(FindingKind) {
  return {"wrong",      "incomparable", "missing", "slower",   "inconclusive",
          "not slower", "faster",       "new",     "the same", "unsupported"};
}
FindingKind finding_kind(const CaseVerdict& c);

/// True if at least one case has a verdict. A case that is new or not supported has none.
bool compares_any(const Verdicts& verdicts);

/// The inconclusive cases that fail a check.
enum class FailOn {
  inconclusive,  // all that may be slower
  probable,      // those that are probably slower
  slower,        // none
};
constexpr std::array<std::string_view, 3> names_of(FailOn) {
  return {"inconclusive", "probable", "slower"};
}

/// True for an inconclusive case whose interval has no ratio up to 1 in it, and whose estimate reaches the
/// threshold.
bool is_probably_slower(const CaseVerdict& c, double threshold);

/// The exit status: 1 if a case is slower, or wrong in the head; else 4 if a case is incomparable, missing in
/// the head or failed there, or if none was compared; else 3 if a case is inconclusive and fails the check;
/// else 0. A case that is new in the head counts only if its status does; a case that no side supports does
/// not count.
int exit_status(const Verdicts& verdicts, FailOn fail_on = FailOn::inconclusive);

/// The record of the backend with this name; null if there is none.
const BackendRecord* find_backend(std::span<const BackendRecord> backends, std::string_view name);

/// Writes JSON, schema breakeven.verdict/1, described in docs/result-file.md. Strict: no NaN, no Infinity.
std::string to_json_text(const Verdicts& verdicts, const Words& words);
/// Reads a verdict file's document. Throws JsonError, which names the place but not the file.
Verdicts verdicts_from(const nlohmann::ordered_json& document);

}  // namespace breakeven
