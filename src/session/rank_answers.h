// The answer of a job to a request, from the answers of its ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages.h"
#include "results/note.h"

namespace breakeven {

/// A rank for readers: "rank 1 on node7".
std::string rank_text(std::size_t rank, const std::string& host);

/// Combines the answers of all ranks, in their order, to one request. A refusal by one of them is the refusal
/// of all, and names it unless they all say the same. A sample lasts as long as the longest, and its CPU time
/// is that of all; energy counts once for each host. Evidence that differs between ranks, libraries that
/// differ, GPUs of different models, and two ranks on one GPU are refused.
Answer combine(const std::vector<Answer>& answers, const std::vector<std::string>& hosts);

/// A rank that computes on a CPU of another model than rank 0, from the answers to `hello`; empty if all are
/// alike.
std::optional<Note> note_of_cpus(const std::vector<Answer>& hellos, const std::vector<std::string>& hosts);

/// Finds a rank for which the others wait, from the samples of a case.
class Stragglers {
 public:
  /// Adds a sample: the seconds of each rank, and those that it spent in communication.
  void note(const std::vector<Answer>& samples);
  /// The rank that computes for much longer than the median rank in most samples; empty if there is none, or
  /// there are too few samples.
  std::optional<Note> found(const std::vector<std::string>& hosts) const;

 private:
  int samples_ = 0;
  std::vector<int> slow_;  // samples in which a rank was much slower, by rank
};

}  // namespace breakeven
