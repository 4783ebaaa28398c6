// The parts of reports that have their own source file.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/document/document.h"
#include "reports/document/families.h"
#include "reports/document/runs.h"
#include "reports/document/standings.h"
#include "results/focus.h"
#include "verdicts/measured.h"

namespace breakeven {

struct Ranking;

// ---- where, when and with what the results were measured

/// "3 machines (2 cores each, no GPU measured) · 23 November 2026 · breakeven 0.1.0 · 208 results, all
/// verified".
std::string about_text(const Measured& measured);

/// The short answer of a question with several answers: "differs (3 answers)".
inline std::string differs_text(std::size_t answers) {
  return fmt::format("differs ({} answers)", answers);
}

/// "both" of two, "all 3" of more.
inline std::string every_text(std::size_t count) {
  return count == 2 ? "both" : fmt::format("all {}", count);
}

/// "23 November 2026" for "2026-11-23T10:00:00Z"; other texts are unchanged.
std::string date_text(const std::string& created);

/// "Not here: cuda (no NVIDIA driver); jax, tensorflow (not installed).", of the backends that a config
/// names.
std::string absent_backends_text(const Runs& runs);

/// Says that a library's convolutions are breakeven's own, made of its products; empty without any.
std::string own_convolutions_text(const Runs& runs);

/// The hardware and software of each machine.
std::vector<Fold> machine_folds(const Measured& measured);

/// The hardware and software of one machine, one line each.
std::vector<Sentence> machine_sentences(const Host& host, const std::vector<BackendRecord>& backends);

// ---- statements about the results of one machine, except which backend is the fastest

/// An answer as a sentence, and in a few words for a table of contents.
struct Statement {
  std::string text, in_short;
  std::vector<KeyFigure> figures = {};
};

/// "Training the MLP: 5,070 images/s at batch 1, 51,700 at batch 4,096 (10x)."
std::vector<Statement> batch_statements(const std::vector<Family>& families);

/// "Convolutions run 1.3x as fast in bf16 as in f32 (2 problems: 0.97x to 1.8x)."
std::vector<Statement> precision_statements(const std::vector<Timed>& all);

/// "988 TFLOP/s in bf16", "65.9 in f32", "1,980 TOP/s in s8": rates by dtype, in one scale. Products of
/// integers are operations, but not of floating point.
std::vector<std::string> peak_texts(const std::map<std::string, double>& gflops);

/// "At most 425 GFLOP/s in f32 and 5,790 in bf16. Memory moves up to 48.1 GB/s." and the time to launch work.
/// Arithmetic is that of the best sample, memory that of the best median.
std::vector<Statement> ceiling_statements(const Measurements& measured);

/// "Training the MLP: the GPU (CUDA) wins from batch 64 up, 12x at batch 4,096." The backend is not named if
/// it is another at some value. Empty unless both were measured.
std::vector<Statement> gpu_statements(const std::vector<Family>& families);

/// "Training the CNN, batch 128, with OpenBLAS: 2 ranks are 1.7x as fast as one, 84 % of ideal; 11 % of the
/// step is communication." The best backend of each network and batch counts.
std::vector<Statement> scaling_statements(const Runs& runs);

/// "all_reduce on 2 ranks (native): up to 4.78 GB/s of bus bandwidth, at 4 MiB; 1 KiB takes 1.39 µs."
std::vector<Statement> exchange_statements(const std::vector<Timed>& all);

/// "The largest MLP batch that fits: 65,536 images."
std::vector<Statement> fit_statements(const Runs& runs);

// ---- cards, and what is in them

struct Findings {
  Focus focus = Focus::libraries;
  LibrarySummary libraries = {};
  std::string in_short = {};
  std::vector<Sentence> troubles = {};        // wrong results and failures, to be shown before the answer
  std::vector<std::string> wrong = {};        // the titles of the backends with wrong results
  std::vector<std::string> implausible = {};  // likewise with impossibly short times
  std::vector<Sentence> answer = {};          // at least one
  std::vector<Sentence> more_answers = {};    // the same for other work
  std::vector<Sentence> rest = {};
  std::vector<KeyFigure> figures = {};
};

/// The findings from what was measured on one machine, for one question, the most important first. `groups`
/// may contain problems of other machines; `machine` is its number there. They begin with the topic that is
/// `asked`; without one, with that of most results.
Findings findings_of(std::size_t machine, const Measurements& measured,
                     const std::vector<ProblemGroup>& groups, std::optional<Focus> asked);

/// Warnings and failures of results, each once however often it occurs, the worst first: failed cases,
/// incomplete runs, warnings, unsupported cases. Within each kind, remarks on whole runs come first, then the
/// most frequent. Texts that differ only in their numbers are one remark, shown with the worst of them:
/// `... (and 5 more cases like it: blis, onednn)`. With several machines, each says which it is about.
std::vector<Sentence> remarks_on(const Runs& runs);

/// Tables of all results, one for each operation: one row per result, grouped by problem. With a single
/// machine there is no column for it.
std::vector<Table> result_tables(const std::vector<ProblemGroup>& groups, bool several_machines);

/// Compares machines: the one place where times of several machines are compared, by the fastest backend of
/// each machine in every problem that all of them have. Names no fastest machine over a handful of problems,
/// and where dtypes or operations disagree, one for each. Empty with fewer than two machines, or without a
/// common problem.
std::optional<Card> machines_card(const Runs& runs);

/// The largest batches within a limit of latency.
Card latency_card(const LatencyLimit& limit);

/// The machines in order, for the work of a ranking.
Card ranking_card(const Ranking& ranking, const std::string& of = "");

/// Adds a sentence for each machine with a place that ran below its own speed, and one on interrupted runs.
void add_rank_caveats(std::vector<Sentence>& said, std::span<const Ranking> rankings);

/// The time of a mix of work on machines.
struct MixOrder {
  Card card;
  bool compares = false;  // at least two machines, and all that were measured
};

/// The machines in order, for the mix of work that the results' config is. Empty if no machine has a time for
/// all of it.
std::optional<MixOrder> mix_order(const Runs& runs);

/// The value from which one side is faster: one card per question, with each machine's answers. The caller
/// sets the ids.
std::vector<Card> threshold_cards(std::span<const Threshold> thresholds);

/// Notes for the reader on the answers of `threshold`.
std::vector<Sentence> threshold_notes(const Threshold& threshold);

/// The same for thresholds that the report itself derived from results, each note once.
std::vector<Sentence> derived_notes(std::span<const Threshold> thresholds);

/// Every answer in one table, with the notes on them.
Fold break_even_fold(std::span<const Threshold> thresholds);

}  // namespace breakeven
