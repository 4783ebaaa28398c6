// The answer of a job to a request, from the answers of its ranks.
#pragma once

#include <string>
#include <vector>

#include "protocol/messages.h"

namespace breakeven {

/// The reason of a rank that refuses a case only because another one does.
inline constexpr const char* refused_by_another_rank = "another rank refuses it";

/// Combines the answers of all ranks, in their order, to one request. A refusal by one of them is the refusal
/// of all, and names it unless they all say the same. A sample lasts as long as the longest, and its CPU time
/// is that of all; energy counts once for each host. Evidence that differs between ranks, libraries that
/// differ, GPUs of different models, and two ranks on one GPU are refused.
Answer combine(const std::vector<Answer>& answers, const std::vector<std::string>& hosts);

/// Warns of ranks that compute on CPUs of another model than rank 0, from the answers to `hello`; empty if
/// all are alike.
std::string cpu_warning(const std::vector<Answer>& hellos, const std::vector<std::string>& hosts);

/// Finds a rank for which the others wait, from the samples of a case.
class Stragglers {
 public:
  /// Adds a sample: the seconds of each rank, and those that it spent in communication.
  void note(const std::vector<Answer>& samples);
  /// Names the rank that computes for much longer than the median rank in most samples; empty if there is
  /// none, or there are too few samples to tell.
  std::string warning(const std::vector<std::string>& hosts) const;

 private:
  int samples_ = 0;
  std::vector<int> slow_;  // samples in which a rank was much slower, by rank
};

}  // namespace breakeven
