// Functions that the device calls, and the tests on a machine without one.
#pragma once

#ifdef __CUDACC__
#define BREAKEVEN_HOST_DEVICE __host__ __device__
/// Of the loop behind it `times` turns are one, so that arrays can be registers.
#define BREAKEVEN_UNROLL(times) _Pragma(BREAKEVEN_TEXT(unroll times))
#define BREAKEVEN_TEXT(text) #text
#else
#define BREAKEVEN_HOST_DEVICE
#define BREAKEVEN_UNROLL(times)
#endif

namespace breakeven::cuda {

/// How an element type is read and written; all arithmetic is in f32. numbers.cuh has the narrow types.
template <typename T>
struct Number;

template <>
struct Number<float> {
  BREAKEVEN_HOST_DEVICE static float load(float x) { return x; }
  BREAKEVEN_HOST_DEVICE static float store(float x) { return x; }
};

/// Threads that share a piece of work number themselves from 0 and meet at sync(). This is the one that works
/// alone, on the host; numbers.cuh has the device's.
struct Alone {
  static int rank() { return 0; }
  static int size() { return 1; }
  static void sync() {}
  static float sum(float x) { return x; }  // of all threads' x, known to each of them
};

}  // namespace breakeven::cuda
