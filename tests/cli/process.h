// Starts a program from a test, and returns its outcome.
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
  std::vector<std::pair<std::string, std::string>> environment;  // added to the test's own environment
  std::filesystem::path folder;                                  // to run in; empty: the test's own
  std::string output_file;  // file for standard output, instead of Outcome::out
  bool terminal = false;    // standard error is a terminal; if all_terminal, both streams are
  bool all_terminal = false;
};

struct Outcome {
  int status = -1;  // 128 + N if killed by signal N, as in shells
  bool by_signal = false;
  bool in_time = false;  // false: it was killed by the test
  std::string out, err;
};

/// A process in its own process group, which the destructor kills.
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
  /// Collects the output until the process ends or `timeout` has passed.
  Outcome wait(std::chrono::duration<double> timeout = std::chrono::seconds(120));

 private:
  bool read_some();  // false after the end of both streams

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
  Outcome outcome_;
};

Outcome run(const Launch& launch);

/// Expects that a program ended with this status, and returns its outcome. A failure names the line of the
/// caller and shows the output.
Outcome with_status(int status, Outcome outcome, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE());

/// Waits until `condition` is true. Returns false after `timeout`.
bool eventually(const std::function<bool()>& condition,
                std::chrono::duration<double> timeout = std::chrono::seconds(60));

}  // namespace breakeven::cli_tests
