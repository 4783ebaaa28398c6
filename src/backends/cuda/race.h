// Which of a library's candidates is fastest here, and what that gained over the one it named first.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>

namespace breakeven::cuda {

/// For Prepared::algorithm, where there was no race because the case asks for none.
inline constexpr const char* not_tuned = "the first named, not tuned";

/// Of candidates that were timed one after the other, in the library's order of preference.
template <typename Candidate>
class Race {
 public:
  void add(const Candidate& candidate, double seconds) {
    if (tried_++ == 0) first_seconds_ = seconds;
    if (seconds < least_) {
      least_ = seconds;
      fastest_ = candidate;
    }
  }
  int tried() const { return tried_; }
  const Candidate& fastest() const { return fastest_; }
  /// For Prepared::algorithm.
  std::string text() const {
    return fmt::format("tuned: best of {}, the first took {:.2f}x", tried_, first_seconds_ / least_);
  }

 private:
  int tried_ = 0;
  double first_seconds_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  Candidate fastest_{};
};

}  // namespace breakeven::cuda
