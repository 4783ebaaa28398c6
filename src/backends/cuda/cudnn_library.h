// Opens cuDNN when it is first needed. Without it, this program starts, and everything but convolutions runs.
#pragma once

#include <cstddef>
#include <string>

namespace breakeven::cuda {

/// The version as text: 90400 is 9.4.0, and 8907 is 8.9.7, because cuDNN's numbers have another form since
/// version 9.
std::string cudnn_version_text(std::size_t number);

/// Opens cuDNN's library `file` so that its functions are found by dlsym(RTLD_DEFAULT, ...), as if it were
/// linked. Returns an empty string, or the reason why it cannot be used: the loader's message, or that its
/// version is not `major`.
std::string open_cudnn(const std::string& file, std::size_t major);

/// Opens cuDNN and returns its version; empty if it cannot be used, or if this program was built without it.
std::string usable_cudnn_version();

}  // namespace breakeven::cuda
