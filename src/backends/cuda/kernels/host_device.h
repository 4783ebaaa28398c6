// Functions for the device, which tests also run on a machine without one.
#pragma once

#ifdef __CUDACC__
#define BREAKEVEN_HOST_DEVICE __host__ __device__
/// Unrolls the next loop `times` times, so that arrays can be registers.
#define BREAKEVEN_UNROLL(times) _Pragma(BREAKEVEN_TEXT(unroll times))
#define BREAKEVEN_TEXT(text) #text
#else
#define BREAKEVEN_HOST_DEVICE
#define BREAKEVEN_UNROLL(times)
#endif

namespace breakeven::cuda {

/// Conversion of an element type from and to f32, in which all arithmetic is done. numbers.cuh has the 16-bit
/// types.
template <typename T>
struct Number;

template <>
struct Number<float> {
  BREAKEVEN_HOST_DEVICE static float load(float x) { return x; }
  BREAKEVEN_HOST_DEVICE static float store(float x) { return x; }
};

/// A team of threads that share work: they are numbered from 0, and sync() is their barrier. This team is a
/// single thread on the host; numbers.cuh has the device's teams.
struct Alone {
  static int rank() { return 0; }
  static int size() { return 1; }
  static void sync() {}
  static float sum(float x) { return x; }  // the sum over all threads, returned to each
};

}  // namespace breakeven::cuda
