// The messages between the driver and a backend program: one JSON object a line, each way.
// docs/worker-protocol.md is the description for people; this is the one place that reads and writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "workloads/evidence.h"
#include "workloads/fit.h"
#include "workloads/workload.h"

namespace breakeven {

inline constexpr int protocol_version = 1;

/// A line that is not the message that was due: says what is wrong with it.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace request {

struct Hello {
  int protocol = protocol_version;
  int threads = 1;
};
/// Everything that says what to compute; `cold` flushes the caches before every iteration.
struct Prepare {
  Case problem;
  std::uint64_t seed = 1;
  bool cold = false;
};
/// Of the arbiter only: the truth of a case, computed in float64, at these flat indices of its result.
struct Expect {
  Case problem;
  std::uint64_t seed = 1;
  std::vector<std::int64_t> elements;
};
struct Verify {
  std::vector<std::int64_t> elements;
};
/// `device_seconds` false: no runs beside those asked for, as energy is read around them.
struct Sample {
  std::int64_t iterations = 1;
  bool device_seconds = true;
};
struct Epoch {};
/// Of a workload that is not timed.
struct Fit {};
struct Release {};
struct Quit {};

}  // namespace request

using Request = std::variant<request::Hello, request::Prepare, request::Expect, request::Verify,
                             request::Sample, request::Epoch, request::Fit, request::Release, request::Quit>;

std::string to_line(const Request& request);
/// Throws ProtocolError; InvalidCase where a case is not possible.
Request parse_request(const std::string& line);

/// The longest line, in bytes, that can be the answer to this line: a MiB of text, and 32 bytes for each
/// number that it asks for.
std::size_t longest_answer(const std::string& request);

namespace answer {

struct Hello {
  int protocol = protocol_version;
  std::string name, version;
  std::string role = "contender";  // or "arbiter": knows the truth and is not measured unless named
  std::string device = "cpu";      // or "gpu"
  std::string device_name;
  std::string device_id = {};  // which GPU: its UUID, as the driver's tools show it; empty: not said
  std::vector<std::pair<std::string, std::string>> libraries;              // name, version
  std::vector<std::pair<std::string, std::string>> library_files = {};     // name, the file that was loaded
  std::vector<std::pair<std::string, std::vector<std::string>>> supports;  // op, dtypes
  std::map<std::string, std::string>
      unreadable;                          // quantity ("joules", "device_seconds"), why it is unknown here
  std::vector<std::string> warnings = {};  // what makes it slower here than it could be, with the remedy
  std::vector<std::string> notes = {};     // what else a reader of its results should know
};
struct Ready {
  std::string algorithm;
  /// As the parameter `transfer` was heeded. A program that knows nothing of it leaves it out.
  std::string transfer = "resident";
  /// How many sets of operands the runs take in turn; more than one where `operands` is `rotating`.
  std::int64_t operand_sets = 1;
};
/// One sample. All figures are per iteration.
struct Sample {
  std::int64_t iterations = 0;
  double seconds = 0;
  std::optional<double> cpu_seconds, device_seconds, joules;
  std::vector<double> latencies;           // of every iteration, where the workload asks for them
  std::vector<double> losses;              // of every step, where the workload trains
  std::vector<std::string> warnings = {};  // about how it was measured, with the remedy
};
struct Epoch {
  double seconds = 0;
  double evaluation_seconds = 0;
  double accuracy = 0;
  std::vector<double> losses;
};
struct Done {};
/// The request could not be met. The program goes on.
struct Refusal {
  std::string status = "failed";  // or "unsupported", "out_of_memory"
  std::string reason;
};

}  // namespace answer

using Answer = std::variant<answer::Hello, answer::Ready, Evidence, answer::Sample, answer::Epoch, Fit,
                            answer::Done, answer::Refusal>;

std::string to_line(const Answer& answer);

/// Reads the answer to one kind of request: either it or a refusal. Throws ProtocolError, quoting the line.
/// Takes time in proportion to the line's length.
template <typename T>
std::variant<T, answer::Refusal> parse_answer(const std::string& line);

/// Parameters as a JSON object, and back; used in messages and in result files alike.
nlohmann::ordered_json to_json(const Parameters& parameters);
Parameters parameters_from_json(const nlohmann::ordered_json& object);
/// Nothing for what no parameter can be: null, a list, an object.
std::optional<Value> value_from_json(const nlohmann::ordered_json& json);

}  // namespace breakeven
