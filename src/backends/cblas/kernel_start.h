// Makes the library use its fastest kernels for this processor.
#pragma once

#include <string>
#include <vector>

namespace breakeven::cblas {

/// The outcome of choosing kernels in this process.
struct KernelStart {
  bool library_defaults = false;  // the user requested the library's own choice
  std::string own;                // kernels of the library's own choice; empty: they are in use
  std::string problem;            // why the choice could not be stored; empty: none
};

/// The outcome, after choose_kernels().
const KernelStart& kernel_start();

/// Finds out which of the library's kernels are the fastest here, by the cache file or else by a race, and
/// restarts this program with the library's variable set if they are not its own choice. Does nothing if the
/// user has set that variable or wants the library's defaults, or if another library computes. Call it before
/// anything is read or computed.
void choose_kernels();

/// Notes for the results, such as "its kernels for Prescott were replaced by those for SkylakeX, which are
/// faster here".
std::vector<std::string> kernel_notes(const KernelStart& start, const std::string& taken);

}  // namespace breakeven::cblas
