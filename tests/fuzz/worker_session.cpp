// Fuzzes a program's side of a session: each line of a driver has one answer, which the driver's side can
// read, and nothing ends the program but `quit` and the end of its input. The program is the reference
// backend.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <variant>

#include "protocol/messages.h"
#include "worker/serve.h"

using namespace breakeven;

namespace {

/// Limits, because a fuzzer makes thousands of requests a second. Networks are excluded: they read files that
/// a request names.
constexpr double most_work = 1e5, most_memory = 1e6;
constexpr std::int64_t most_iterations = 20;

bool is_small(const Case& problem) {
  const auto op = problem.workload->op();
  return (op == "matmul" || op == "conv2d") && problem.flop() <= most_work &&
         problem.workload->memory(problem.parameters) <= most_memory;
}

/// Reads a request; nullopt for a line that is refused.
std::optional<Request> read_request(const std::string& line) {
  try {
    return parse_request(line);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// True if answering this request takes almost no time.
bool is_quick(const Request& request) {
  if (const auto* prepare = std::get_if<request::Prepare>(&request))
    return is_small(prepare->problem) && !prepare->cold;
  if (const auto* expect = std::get_if<request::Expect>(&request)) return is_small(expect->problem);
  if (const auto* sample = std::get_if<request::Sample>(&request))
    return sample->iterations <= most_iterations;
  return true;
}

/// Throws ProtocolError for a line that is neither an answer nor a refusal.
void read_answer(const std::string& line) {
  parse_answer<answer::Done>(line);
  if (line.size() > longest_answer("{}") || line.find('\n') != std::string::npos)
    throw std::logic_error("too long an answer, or more than one line");
}

}  // namespace

/// An exception that leaves this function is an error found.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  std::string quick;
  std::size_t requests = 0, answers = 0;
  bool quits = false;
  for (std::string line; std::getline(lines, line);) {
    const auto request = read_request(line);
    if (request && !is_quick(*request)) continue;
    quick += line + "\n";
    if (quits) continue;
    ++requests;
    quits = request && std::holds_alternative<request::Quit>(*request);
  }
  std::istringstream in(quick);
  serve(in, [&](const std::string& answer) {
    ++answers;
    read_answer(answer);
    return true;
  });
  if (answers != requests) throw std::logic_error("as many answers as requests are due");
  return 0;
}
