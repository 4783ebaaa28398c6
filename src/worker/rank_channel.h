// The connections over which rank 0 hands each request to the other ranks, and they answer. All of them wait
// in the kernel, because a rank that polls between requests would slow every other program that is measured.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>  // before Asio in the implementation: Boost 1.74's does not include it
#include <vector>

#include "workloads/interface.h"

namespace breakeven {

/// How rank 0 is reached. All ranks know it from their first communication.
struct RankAddress {
  std::uint16_t port = 0;
  std::uint64_t token = 0;             // without which nobody is let in
  std::vector<std::string> addresses;  // of rank 0's host, to be tried in this order
  std::string host = {};               // its name, for messages
};

/// The first message of a rank to rank 0.
struct RankIntroduction {
  int rank = 0;
  std::string host;
  int pid = 0;
  std::uint32_t program = 0;  // a checksum of the program's file
};

/// Rank 0's side. While it waits for answers, a rank whose connection ends, or that shows no sign of life for
/// ten seconds, ends the job (end_all_ranks()). So does the end of the driver, if the request is not answered
/// ten seconds later: ranks may wait for each other in a kernel of a GPU, for ever.
class LeadingChannel : public Interface {
 public:
  virtual RankAddress address() const = 0;
  /// Waits for all other ranks. Returns what they told, in the order of ranks from 1. Throws
  /// std::runtime_error after `seconds`.
  virtual std::vector<RankIntroduction> accept(int others, double seconds) = 0;
  virtual void hand_on(const std::string& request) = 0;
  /// Waits for the answers of all other ranks, in the order of ranks from 1.
  virtual std::vector<std::string> answers() = 0;
};
/// The driver's end shows on `input`, a file descriptor; -1 if there is none.
std::unique_ptr<LeadingChannel> lead_ranks(int input);

/// The side of another rank. Between a request and its answer it shows a sign of life once a second.
class FollowingChannel : public Interface {
 public:
  /// Waits for a request. If rank 0 ends without `quit`, this rank does, too (end_all_ranks()).
  virtual void next(std::string& request) = 0;
  virtual void answer(const std::string& line) = 0;
};
/// Connects to rank 0. Throws std::runtime_error if it cannot be reached.
std::unique_ptr<FollowingChannel> follow_rank(const RankAddress& leader, const RankIntroduction& self);

}  // namespace breakeven
