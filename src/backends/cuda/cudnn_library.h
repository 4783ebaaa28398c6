// cuDNN is opened when it is first needed: without it this program starts, and everything but convolutions
// runs.
#pragma once

#include <cstddef>
#include <string>

namespace breakeven::cuda {

/// 90400 is 9.4.0, and 8907 is 8.9.7: cuDNN's own numbers changed their form with version 9.
std::string cudnn_version_text(std::size_t number);

/// Opens cuDNN's library `file` so that its functions are found by dlsym(RTLD_DEFAULT, ...), as if it were
/// linked. Empty, or why it cannot be used: the loader's words, or that its version is not `major`.
std::string open_cudnn(const std::string& file, std::size_t major);

/// Opens cuDNN and returns its version; empty where it cannot be used, or was not built with.
std::string usable_cudnn_version();

}  // namespace breakeven::cuda
