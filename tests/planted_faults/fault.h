// The fault that a preloaded library causes, from the environment: BREAKEVEN_PLANTED=NAME.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace breakeven::planted {

/// The requested fault; empty: none. Aborts the process if it is not in `known`, so that a test that
/// misspells it fails.
template <typename Names>
std::string_view fault_of(const Names& known) {
  const char* named = std::getenv("BREAKEVEN_PLANTED");
  const std::string_view name = named == nullptr ? "" : named;
  if (!name.empty() && std::find(std::begin(known), std::end(known), name) == std::end(known)) {
    std::fprintf(stderr, "no planted fault '%s' here\n", named);
    std::abort();
  }
  return name;
}

/// The function that would have been called without this library. Aborts the process if there is none.
template <typename Function>
Function* real(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "no '%s' behind the planted one\n", name);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

}  // namespace breakeven::planted
