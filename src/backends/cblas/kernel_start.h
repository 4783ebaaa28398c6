// Has the library take its fastest kernels for this processor.
#pragma once

#include <string>
#include <vector>

namespace breakeven::cblas {

/// The outcome of choosing kernels in this process.
struct KernelStart {
  bool library_defaults = false;  // the library was to be left alone
  std::string own;                // the kernels of its own choice; empty: they are those that it takes
  std::string problem;            // of keeping the choice; empty: none
};

/// The outcome, after choose_kernels().
const KernelStart& kernel_start();

/// To be called before anything is read or computed. Finds out which of the library's kernels are the fastest
/// here, by the cache file or else by a race, and starts this program again with the library's variable set
/// if they are not its own choice. Does nothing if the user has set that variable or wants the library's
/// defaults, or if another library computes.
void choose_kernels();

/// Notes for the results: "its kernels for Prescott were replaced by those for SkylakeX, which are faster
/// here".
std::vector<std::string> kernel_notes(const KernelStart& start, const std::string& taken);

}  // namespace breakeven::cblas
