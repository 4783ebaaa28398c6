// A library that reports a version of cuDNN, and has no other function.
#include <cstddef>

extern "C" std::size_t cudnnGetVersion() {
  return FAKE_CUDNN_VERSION;
}
