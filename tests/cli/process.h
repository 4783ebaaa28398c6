// A program started from a test, and what came of it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace breakeven::cli_tests {

struct Launch {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to the test's own
  std::filesystem::path folder;                                  // to run in; empty: the test's own
  std::string output_file;  // where standard output goes instead of into Outcome::out
  bool terminal = false;    // standard error is a terminal; both streams are, where all_terminal
  bool all_terminal = false;
};

struct Outcome {
  int status = -1;  // 128 + N where signal N killed it, as shells say
  bool by_signal = false;
  bool in_time = false;  // otherwise it was killed by the test
  std::string out, err;
};

/// Runs in a process group of its own, which is killed at the end of this object's life.
class Process {
 public:
  explicit Process(const Launch& launch);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  Process(Process&&) = delete;
  Process& operator=(Process&&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const;
  /// Collects its output until it ends, at most for `timeout`.
  Outcome wait(std::chrono::duration<double> timeout = std::chrono::seconds(120));

 private:
  bool read_some();  // false once both streams are at their end

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
  Outcome outcome_;
};

Outcome run(const Launch& launch);

/// Whether `condition` becomes true within `timeout`.
bool eventually(const std::function<bool()>& condition,
                std::chrono::duration<double> timeout = std::chrono::seconds(60));

}  // namespace breakeven::cli_tests
