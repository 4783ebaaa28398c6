// Collects the reasons why a library's candidates were left out of a race.
#pragma once

#include <string>

namespace breakeven::cuda {

class Refusals {
 public:
  /// Records that a candidate failed with this message. Exits if the device's context is lost, because every
  /// later candidate would fail, too.
  void add(const std::string& words);
  /// Records that a candidate needs more memory than is available.
  void add_out_of_memory(const std::string& words);
  /// Reports that no candidate is left. Throws OutOfMemory if one failed for lack of memory, otherwise
  /// Unsupported.
  [[noreturn]] void none_left(const std::string& what) const;

 private:
  bool out_of_memory_ = false;
  std::string words_ = "the library names none";  // of the last candidate
};

}  // namespace breakeven::cuda
