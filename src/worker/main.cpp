// The program around a C++ backend: standard input and output are the protocol's alone.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "worker/serve.h"

int main() {
  breakeven::start_up();
  // Libraries print to standard output when they feel like it: theirs becomes standard error, the protocol's
  // stays.
  std::FILE* out = fdopen(dup(STDOUT_FILENO), "w");
  if (out == nullptr) return 1;
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const auto send = [out](const std::string& line) {
    std::fputs((line + "\n").c_str(), out);
    return std::fflush(out) == 0;
  };
  return breakeven::serve(std::cin, send) ? 0 : 1;
}
