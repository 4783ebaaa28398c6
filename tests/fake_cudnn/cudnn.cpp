// A library that says it is cuDNN of some version, and can do nothing.
#include <cstddef>

extern "C" std::size_t cudnnGetVersion() {
  return FAKE_CUDNN_VERSION;
}
