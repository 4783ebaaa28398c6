// The main program of C++ backends. Standard input and output are reserved for the protocol.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "worker/serve.h"

int main() {
  breakeven::start_up();
  // Libraries may print to standard output at any time: their standard output becomes standard error, and the
  // protocol keeps the original.
  std::FILE* out = fdopen(dup(STDOUT_FILENO), "w");
  if (out == nullptr) return 1;
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const auto send = [out](const std::string& line) {
    std::fputs((line + "\n").c_str(), out);
    return std::fflush(out) == 0;
  };
  return breakeven::serve(std::cin, send) ? 0 : 1;
}
