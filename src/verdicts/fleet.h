// Finds the nodes of a fleet that are slower than the others of their kind. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/result.h"
#include "statistics/summary.h"

namespace breakeven {

/// The fewest nodes of a kind among which a slow one can be found: of two, either may be the slow one.
inline constexpr std::size_t fewest_alike = 3;

struct FleetOptions {
  double threshold = 0.03;           // the smallest difference that matters: 0.03 is 3 %
  double error_rate = 0.02;          // probability that a fleet whose nodes do not differ has a slow one
  double probable_error_rate = 0.1;  // the same for a node that is probably slower
};

/// The time of one operation on one backend of a node, divided by the time on the other nodes of its kind.
struct NodeStanding {
  std::size_t node = 0;  // index into Fleet::nodes
  std::string backend, op;
  std::size_t cases = 0;  // that all nodes of the kind have; the time is the geometric mean of their medians
  std::size_t runs = 1;   // of this node
  double ratio = 1;
  Interval interval;   // 95 %
  double p_value = 1;  // over all tests of the fleet
  bool is_slower = false;
  /// Too large a difference to be ignored, and too few nodes or runs to be sure of it.
  bool is_probably_slower = false;
  bool has_one_launch = false;  // so that a slow run cannot be excluded
  /// The ratio from which on the node would be slower: how much the others differ decides. Absent for one
  /// that is. May be infinite.
  std::optional<double> slower_from = {};
  std::vector<Note> cause = {};  // of a slower one: what was recorded differently there
};

struct NodeKind {
  std::string name;                // "Xeon Emerald Rapids, 16 cores, NVIDIA H100"
  std::vector<std::size_t> nodes;  // indices into Fleet::nodes
  std::vector<Note> why_not = {};  // why no slow node can be found among them; empty if it can
};

struct Fleet {
  double threshold = FleetOptions{}.threshold;
  std::vector<std::string> nodes = {};  // names: the hosts', or the files' where machines share one
  std::vector<NodeKind> kinds = {};
  std::vector<NodeStanding> standings =
      {};  // slower ones first, then probable ones; each time the slowest first
  std::vector<std::size_t> not_compared = {};
  bool has_wrong = false;        // a node has a wrong result, or an impossibly fast one
  bool is_partial = false;       // a node lacks a valid time of a case, or a backend of others of its kind
  std::vector<Note> notes = {};  // on nodes with cases that have no time, and with several runs
};

/// Judges the results of the nodes; `files` names their files. Results of one machine by its name, processors
/// and GPUs are runs of one node, unless two of them were measured at the same time. Nodes are alike if they
/// have the same processor, cores and GPUs, and were measured with equally many threads and the same state of
/// the caches. Each operation on each backend is a test whether the slowest node fits the others (highest.h):
/// in all of its runs, because any single one may be slow by chance. It tries every number of slow nodes
/// below half, so that they do not hide each other. A node that is slower no longer counts as one of the
/// others, and the rest is tested again. The tests share the error rate (Bonferroni). Where none is slower
/// any more, Benjamini and Hochberg's procedure finds those that probably are.
Fleet judge_fleet(std::span<const Result> results, std::span<const std::string> files,
                  const FleetOptions& options);

/// The exit status: 1 if a node is slower or has a wrong result; else 4 if a node, or a case of a node, could
/// not be compared; else 3 if a node is probably slower; else 0.
int exit_status(const Fleet& fleet);

/// Writes JSON, schema breakeven.fleet/1, described in docs/result-file.md.
std::string to_json_text(Fleet fleet, const Words& words);

}  // namespace breakeven
