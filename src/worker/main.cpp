// The main program of C++ backends. Standard input and output are reserved for the protocol.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "worker/communicator.h"
#include "worker/rank_connection.h"
#include "worker/serve.h"

namespace breakeven {
namespace {

/// Answers the driver as one of several ranks, which a launcher has started.
int serve_as_rank(const RankArguments& arguments) {
  const std::string fault = join_ranks(arguments.ranks);
  try {
    RankConnection driver(arguments.driver, fault);
    if (!fault.empty())
      return 0;  // it has been told: with another status, a launcher would say something, too
    dup2(driver.descriptor(), STDIN_FILENO);
    const bool answered = serve(std::cin, [&](const std::string& line) { return driver.send(line); });
    leave_ranks();  // ends a connection only after that: others may not be done yet
    return answered ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "breakeven: " << e.what() << std::endl;
    std::_Exit(1);  // at once: leaving the ranks would wait for the others
  }
}

}  // namespace
}  // namespace breakeven

int main(int argc, char** argv) {
  const auto arguments = breakeven::rank_arguments(argc, argv);
  if (arguments.ranks > 1) return breakeven::serve_as_rank(arguments);
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
