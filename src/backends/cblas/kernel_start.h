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

/// The outcome of this program's start.
const KernelStart& kernel_start();

/// Notes for the results, such as "its kernels for Prescott were replaced by those for SkylakeX, which are
/// faster here".
std::vector<std::string> kernel_notes(const KernelStart& start, const std::string& taken);

}  // namespace breakeven::cblas
