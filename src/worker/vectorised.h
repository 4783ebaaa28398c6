// Loops over arrays are compiled for several generations of CPUs, and the one at hand is chosen when the
// program starts.
#pragma once

// By level of the instruction set: names of processors, such as arch=haswell, match that maker's alone.
// Sanitizers' run-time libraries are not ready when the choice is made, and Clang chooses in another way.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#define BREAKEVEN_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BREAKEVEN_VECTORISED
#endif
