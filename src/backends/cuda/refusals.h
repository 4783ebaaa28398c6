// Why a library's candidates were passed over in a race.
#pragma once

#include <string>

namespace breakeven::cuda {

class Refusals {
 public:
  /// A candidate failed with these words. Ends the process where the device's context is lost: every later
  /// candidate would fail, too.
  void add(const std::string& words);
  /// A candidate needs more memory than there is.
  void add_out_of_memory(const std::string& words);
  /// No candidate is left. Throws OutOfMemory where one failed for want of memory, otherwise Unsupported.
  [[noreturn]] void none_left(const std::string& what) const;

 private:
  bool out_of_memory_ = false;
  std::string words_ = "the library names none";  // of the last one
};

}  // namespace breakeven::cuda
