// A job of several ranks: all run the same program, and carry out each request together.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "protocol/messages.h"
#include "worker/rank_answers.h"
#include "worker/rank_channel.h"

namespace breakeven {

/// The number of ranks that the arguments ask for, `--ranks N`; 1 without.
int requested_ranks(int argc, const char* const* argv);

/// This program's part of a job of several ranks.
class RankJob {
 public:
  /// Connects all ranks of communicator(). Throws std::runtime_error if some rank runs another build of this
  /// program, or does not connect.
  RankJob();

  bool leads() const { return leading_ != nullptr; }
  /// Reads the next request: rank 0 from `in`, and hands it on; the others from rank 0. Returns false if
  /// there is none.
  bool next(std::istream& in, std::string& request);
  /// Answers the request: rank 0 with the combined answers of all ranks to `send`, the others to rank 0.
  /// Returns what `send` returned.
  bool answer(const Answer& own, const std::function<bool(const std::string&)>& send);

  const std::string& host() const { return hosts_[static_cast<std::size_t>(rank_)]; }

 private:
  int rank_ = 0;
  std::vector<std::string> hosts_;  // by rank
  std::string cpu_warning_;
  Stragglers stragglers_;  // of the prepared case
  std::unique_ptr<LeadingChannel> leading_;
  std::unique_ptr<FollowingChannel> following_;
};

}  // namespace breakeven
