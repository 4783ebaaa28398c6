// A rank's connection to the driver, which asks each rank as it asks a program that is alone.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace breakeven {

/// The arguments with which a launcher starts each rank: `--ranks N --driver PORT:TOKEN:ADDRESS,ADDRESS`. The
/// driver has several addresses, to be tried in this order, and accepts nothing without the token.
struct RankArguments {
  int ranks = 1;  // 1 if the program is alone
  std::string driver = {};
};
RankArguments rank_arguments(int argc, const char* const* argv);

/// Shows the driver a sign of life once a second, an empty line. If the driver has ended, so does this
/// process ten seconds later, whatever it does: ranks may wait for each other in a kernel of a GPU, for ever.
class RankConnection {
 public:
  /// Connects to the driver, and tells it who communicator() says that this rank is, or, if it cannot be one,
  /// why. Throws std::runtime_error if the driver cannot be reached.
  RankConnection(const std::string& driver, const std::string& fault);
  ~RankConnection();
  RankConnection(const RankConnection&) = delete;
  RankConnection& operator=(const RankConnection&) = delete;
  RankConnection(RankConnection&&) = delete;
  RankConnection& operator=(RankConnection&&) = delete;

  /// The socket, from which requests are read.
  int descriptor() const { return socket_; }
  /// Returns false if the driver has ended.
  bool send(const std::string& line);

 private:
  void show_signs_of_life();

  int socket_ = -1;
  std::mutex writing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread beating_;
};

}  // namespace breakeven
