// Compiles loops over arrays for several generations of CPUs. The matching version is selected when the
// program starts.
#pragma once

// The targets are levels of the instruction set, because names of processors, such as arch=haswell, match
// only that vendor's. Sanitizers' run-time libraries are not ready when the version is selected, and Clang
// selects in another way.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__SANITIZE_ADDRESS__)
#define BREAKEVEN_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BREAKEVEN_VECTORISED
#endif
