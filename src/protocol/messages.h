// The messages between the driver and a backend program: one JSON object per line, in both directions.
// docs/worker-protocol.md describes them for authors of backends. Only this file reads and writes them.
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

/// A line that is not the expected message, with what is wrong with it.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace request {

struct Hello {
  int protocol = protocol_version;
  int threads = 1;
  /// For a program of several ranks: their hosts, in their order; an address of rank 0 that all of them
  /// reach; and a port that was free there when it connected, 0 if it told none.
  std::vector<std::string> hosts = {};
  std::string leader = {};
  int leader_port = 0;
};
/// Everything that defines what to compute. `cold` flushes the caches before every iteration.
struct Prepare {
  Case problem;
  std::uint64_t seed = 1;
  bool cold = false;
  int threads = 0;  // to compute it with; 0: those of hello. Only for a program that takes_threads
};
/// Requests the reference result of a case, computed in float64, at these flat indices. Only for the
/// reference backend.
struct Expect {
  Case problem;
  std::uint64_t seed = 1;
  std::vector<std::int64_t> elements;
};
struct Verify {
  std::vector<std::int64_t> elements;
};
/// Requests a sample. If `device_seconds` is false, there must be no other runs, because energy is read
/// around them.
struct Sample {
  std::int64_t iterations = 1;
  bool device_seconds = true;
};
struct Epoch {};
/// Requests the answer of a workload that is not timed.
struct Fit {};
struct Release {};
struct Quit {};

}  // namespace request

using Request = std::variant<request::Hello, request::Prepare, request::Expect, request::Verify,
                             request::Sample, request::Epoch, request::Fit, request::Release, request::Quit>;

std::string to_line(const Request& request);
/// Throws ProtocolError, or InvalidCase if a case is impossible.
Request parse_request(const std::string& line);

/// The largest possible length, in bytes, of the answer to this line: a MiB of text, and 32 bytes for each
/// requested number.
std::size_t longest_answer(const std::string& request);

namespace answer {

/// One of the processes that compute a case together.
struct Rank {
  std::string host;
  int pid = 0;
  int threads = 1;
  std::vector<int> cpus = {};  // to which its threads are pinned; empty if they are not
  std::string device_id = {};  // as Hello's
};

/// The environment in which a program may be faster.
struct Variant {
  std::string name;                                                   // of its library's kernels
  std::vector<std::pair<std::string, std::string>> environment = {};  // the variables that select it
};

struct Hello {
  int protocol = protocol_version;
  std::string name;
  std::string version = {};
  std::string role = "contender";  // or "arbiter": a reference backend, measured only if it is named
  std::string device = "cpu";      // or "gpu"
  std::string device_name;         // as the machine names it
  std::string device_id = {};  // the UUID of the GPU, as the driver's tools show it; empty if not reported
  std::vector<std::pair<std::string, std::string>> libraries;                   // name, version
  std::vector<std::pair<std::string, std::string>> library_files = {};          // name, loaded file
  std::vector<std::pair<std::string, std::vector<std::string>>> supports = {};  // op, dtypes
  /// Why a metric ("joules", "device_seconds") is unknown here.
  std::map<std::string, std::string> unreadable = {};
  std::vector<std::string> warnings = {};  // reasons why it is slower here than possible, with the remedy
  std::vector<std::string> notes = {};     // other remarks for readers of its results
  std::vector<Rank> ranks = {};            // in their order; empty if the program is alone
  std::string variant = {};                // in which it was started; empty: not told
  std::vector<Variant> variants = {};      // others that may be faster on this machine
  bool takes_threads = false;              // with every case, fewer than those of the request
};
struct Ready {
  std::string algorithm;
  /// The applied value of the parameter `transfer`. A program that does not know the parameter omits it.
  std::string transfer = "resident";
  /// The number of operand sets that the runs use in turn; more than one if `operands` is `rotating`.
  std::int64_t operand_sets = 1;
};
/// One sample. All values are per iteration.
struct Sample {
  std::int64_t iterations = 0;
  double seconds = 0;
  std::optional<double> cpu_seconds, device_seconds, joules;
  std::vector<double> latencies;           // of every iteration, if the workload asks for them
  std::vector<double> losses;              // of every step, if the workload trains
  std::vector<std::string> warnings = {};  // about the measurement, with the remedy
  /// With several ranks: the mean time of a rank in communication for which its computation waited.
  std::optional<double> communication_seconds = {};
};
/// One epoch of training, timed as a whole.
struct Epoch {
  double seconds = 0;  // of the training steps only
  double evaluation_seconds = 0;
  double accuracy = 0;         // on the test set, after the epoch
  std::vector<double> losses;  // of every step, before its update
};
struct Done {};
/// The program could not fulfil the request. It continues.
struct Refusal {
  std::string status = "failed";  // failed, unsupported or out_of_memory
  std::string reason;
  bool is_last = false;        // the program ends
  bool in_every_case = false;  // the program would end for this reason in every case
};

/// The reason of a rank that refuses a case only because another one does.
inline constexpr const char* refused_by_another_rank = "another rank refuses it";

}  // namespace answer

/// The entry among the libraries of a hello that marks simulated time. The reported seconds have not passed,
/// and are not checked against the driver's clock. Such a program is used only if the variable is set, which
/// tests do.
inline constexpr const char* simulated_clock_library = "simulated clock";
inline constexpr const char* simulated_clock_variable = "BREAKEVEN_SIMULATED_CLOCK";
/// True if the libraries of a hello, names and versions, have that entry.
bool has_simulated_clock(const std::vector<std::pair<std::string, std::string>>& libraries);

using Answer = std::variant<answer::Hello, answer::Ready, Evidence, answer::Sample, answer::Epoch, Fit,
                            answer::Done, answer::Refusal>;

std::string to_line(const Answer& answer);

/// Reads the answer to one kind of request: the answer or a refusal. Throws ProtocolError, which quotes the
/// line. Its time is proportional to the line's length.
template <typename T>
std::variant<T, answer::Refusal> parse_answer(const std::string& line);

/// The first line of a rank to the driver, over the connection that both then use.
struct Introduction {
  std::string token;          // of --driver
  std::string fault = {};     // why it cannot be a rank; empty if it is one
  int rank = 0;               // as its launcher says
  std::string host = {};      // the name of its host
  int pid = 0;                // of its process
  std::uint32_t program = 0;  // a checksum of its program's file; 0: not told
  int port = 0;               // a free one on its host, which rank 0 may be asked for; 0: not told
  bool beats = false;         // it shows a sign of life once a second: an empty line
};
std::string to_line(const Introduction& introduction);
/// Throws ProtocolError.
Introduction parse_introduction(const std::string& line);

/// Converts parameters to a JSON object and back, for messages and result files.
nlohmann::ordered_json to_json(const Parameters& parameters);
Parameters parameters_from_json(const nlohmann::ordered_json& object);
/// Converts a JSON value; empty if it cannot be a parameter: null, a list, an object.
std::optional<Value> value_from_json(const nlohmann::ordered_json& json);

}  // namespace breakeven
