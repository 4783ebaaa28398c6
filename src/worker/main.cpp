// The main program of C++ backends. Standard input and output are reserved for the protocol.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "worker/communicator.h"
#include "worker/rank_job.h"
#include "worker/serve.h"

namespace breakeven {
namespace {

/// The job, if the driver has started this program as one of several ranks. `fault` receives why it cannot
/// work.
std::unique_ptr<RankJob> join_job(int wanted, std::string& fault) {
  if (wanted < 2) return nullptr;
  fault = join_ranks(wanted);
  if (!fault.empty()) return nullptr;
  try {
    return std::make_unique<RankJob>();
  } catch (const std::exception& e) {
    fault = e.what();
    return nullptr;
  }
}

}  // namespace
}  // namespace breakeven

int main(int argc, char** argv) {
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
  std::string fault;
  auto job = breakeven::join_job(breakeven::requested_ranks(argc, argv), fault);
  const bool answered = breakeven::serve(std::cin, send, job.get(), fault);
  // Rank 0 ends the connections before it waits for the others, and they after it: an end before that is a
  // fault.
  if (job && job->leads()) job.reset();
  breakeven::leave_ranks();
  return answered ? 0 : 1;
}
