// A backend for tests: its times come from a known function, its results are right, and it has faults on
// demand. It computes nothing. It is named after its file, so that links to it are different backends.
//
// BREAKEVEN_SIMULATED contains its settings (settings.h, fault.h, cost.h). It also has these:
//   cost=FILE      settings by backend name, as JSON
//   log=FILE       where each process adds a line for every request: NAME PID REQUEST CASE
//   spin=1         really spends the reported time, instead of answering at once
//   device=gpu     its device; version=V: the version of its library; device_id=ID: the id of its GPU
//   library_file=F the file that it reports as its library
//   warning=TEXT   its reported reason for being slow
//   obeys=0        computes device_seconds by further runs even if requested not to
//   supports=OP    supports this operation alone, instead of all
//   steps=N        training steps in an epoch
//   room=N         the largest size that fits, for `fits`; no larger batch or product can be prepared
//   busy=N         N threads that compute without end, whatever is asked for
//   daemon=1       starts a process that never ends, in a session of its own, logged as `daemon`
// It has its own implementation of the protocol, so that it can violate it; only the messages are shared.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "backends/reference/expected_networks.h"
#include "protocol/messages.h"
#include "simulated/cost.h"
#include "simulated/fault.h"
#include "simulated/settings.h"
#include "workloads/transfer.h"

namespace breakeven::simulated {
namespace {

/// The part of its file's name after `breakeven-backend-`.
std::string name_from(const std::filesystem::path& program) {
  constexpr std::string_view prefix = "breakeven-backend-";
  const auto file = program.filename().string();
  return file.starts_with(prefix) ? file.substr(prefix.size()) : file;
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0) _exit(1);  // the reader has ended
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void spend(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// A file with one line for every request, of all processes together.
class Log {
 public:
  Log(std::string path, std::string name) : path_(std::move(path)), name_(std::move(name)) {
    add("start", "");
  }
  void add(const std::string& request, const std::string& case_id, pid_t process = getpid()) const {
    if (path_.empty()) return;
    const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    write_all(file, fmt::format("{} {} {} {}\n", name_, process, request, case_id));
    close(file);
  }
  /// The number of processes of this name that have started, including this one; 1 without a log.
  int process() const {
    if (path_.empty()) return 1;
    std::ifstream in(path_);
    int count = 0;
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::string name, pid, request;
      words >> name >> pid >> request;
      if (name == name_ && request == "start") ++count;
    }
    return count;
  }

 private:
  std::string path_, name_;
};

/// Starts a daemon in the usual way: its parent ends at once.
void start_daemon(const Log& log) {
  const pid_t parent = fork();
  if (parent != 0) {
    waitpid(parent, nullptr, 0);
    return;
  }
  setsid();
  const pid_t daemon = fork();
  if (daemon == 0) {
    for (;;) pause();
  }
  log.add("daemon", "", daemon);
  _exit(0);
}

std::vector<std::string> dtypes_of(const Workload& workload) {
  for (const Parameter& parameter : workload.parameters()) {
    if (parameter.name == "dtype") return parameter.choices;
  }
  return {};
}

constexpr const char* no_more_room = "no more room is simulated";

class Simulation {
 public:
  Simulation(std::string name, Settings& settings)
      : name_(std::move(name)),
        device_(settings.take_text("device", "cpu")),
        device_id_(settings.take_text("device_id", "")),
        warning_(settings.take_text("warning", "")),
        obeys_(settings.take_integer("obeys", 1) != 0),
        version_(settings.take_text("version", "1.0")),
        library_file_(settings.take_text("library_file", "")),
        supports_(settings.take_text("supports", "")),
        spin_(settings.take_integer("spin", 0) != 0),
        steps_(settings.take_integer("steps", 10)),
        room_(settings.take_integer("room", 0)),
        cost_(Cost::taken_from(settings)),
        log_(settings.take_text("log", ""), name_),
        process_(log_.process()),
        noise_(Noise::taken_from(settings), name_, process_),
        fault_(Fault::taken_from(settings)),
        libraries_({{"simulated", version_}, {simulated_clock_library, "no time passes"}}) {
    if (settings.take_integer("daemon", 0) != 0) start_daemon(log_);
    for (std::int64_t threads = settings.take_integer("busy", 0); threads > 0; --threads)
      std::thread(spend, 1e9).detach();
    settings.expect_nothing_left();
  }

  void serve() {
    bool quit = false;
    for (std::string line; !quit && std::getline(std::cin, line);) {
      const std::string kind = kind_of(line);
      const std::string answer = to_line(respond(line));
      const std::string id = case_ ? case_->id() : "";
      log_.add(kind, id);
      write_all(STDOUT_FILENO,
                fault_.strikes(kind, id, name_, process_) ? fault_.perform(answer) : answer + "\n");
      if (kind == "release") case_.reset();
      quit = kind == "quit";
    }
  }

  Answer operator()(const request::Hello&) const {
    answer::Hello hello{.protocol = protocol_version,
                        .name = name_,
                        .version = version_,
                        .role = "contender",
                        .device = device_,
                        .device_name = "simulated",
                        .device_id = device_id_,
                        .libraries = libraries_,
                        .supports = {},
                        .unreadable = {},
                        .warnings = {}};
    for (const auto& workload : workloads()) {
      if (!supports_.empty() && workload->op() != supports_) continue;
      hello.supports.emplace_back(workload->op(), dtypes_of(*workload));
    }
    if (!warning_.empty()) hello.warnings = {warning_};
    if (!library_file_.empty()) hello.library_files = {{"simulated", library_file_}};
    return hello;
  }

  Answer operator()(const request::Prepare& request) {
    const std::string op(request.problem.workload->op());
    if (!supports_.empty() && op != supports_)
      return answer::Refusal{.status = "unsupported", .reason = fmt::format("{} has no {}", name_, op)};
    for (const char* size : {"m", "batch"}) {
      const Parameters& p = request.problem.parameters;
      if (room_ > 0 && p.find(size) != nullptr && p.integer(size) > room_)
        return answer::Refusal{.status = "out_of_memory", .reason = no_more_room};
    }
    case_ = request.problem;
    seed_ = request.seed;
    steps_done_ = 0;
    return answer::Ready{.algorithm = "none: times are made up",
                         .transfer = transfer_policy(case_->parameters)};
  }

  /// It is not a reference backend.
  Answer operator()(const request::Expect&) const {
    return answer::Refusal{.status = "unsupported",
                           .reason = "only the reference backend knows the right result"};
  }

  Answer operator()(const request::Verify& request) const {
    const Case& c = prepared();
    return reference_result(c, seed_, request.elements);
  }

  Answer operator()(const request::Sample& request) {
    const Case& c = prepared();
    const double seconds = cost_.seconds(c) * noise_.next();
    if (spin_) spend(seconds * static_cast<double>(request.iterations));
    answer::Sample sample{.iterations = request.iterations,
                          .seconds = seconds,
                          .cpu_seconds = seconds,
                          .device_seconds = {},
                          .joules = {},
                          .latencies = {},
                          .losses = {}};
    if (device_ == "gpu" && (request.device_seconds || !obeys_)) {
      sample.device_seconds = std::max(seconds - cost_.fixed, 0.0);
      if (spin_) spend(*sample.device_seconds * static_cast<double>(request.iterations));  // more runs
    }
    if (cost_.watts > 0) sample.joules = seconds * cost_.watts;
    if (c.workload->measures_latency())
      sample.latencies.assign(static_cast<std::size_t>(request.iterations), seconds);
    if (c.parameters.find("optimizer") != nullptr) sample.losses = train(request.iterations);
    return sample;
  }

  Answer operator()(const request::Epoch&) {
    const double seconds = cost_.seconds(prepared()) * noise_.next() * static_cast<double>(steps_);
    if (spin_) spend(seconds);
    const auto losses = train(steps_);
    return answer::Epoch{.seconds = seconds,
                         .evaluation_seconds = seconds / 10,
                         .accuracy = 1 - losses.back() / 3,
                         .losses = losses};
  }

  Answer operator()(const request::Fit&) const {
    return Fit{.largest = room_, .refused = room_ + 1, .limit = no_more_room};
  }

  Answer operator()(const request::Release&) const { return answer::Done{}; }
  Answer operator()(const request::Quit&) const { return answer::Done{}; }

 private:
  static std::string kind_of(const std::string& line) {
    const auto request = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!request.is_object() || !request.contains("request") || !request["request"].is_string()) return "";
    return request["request"].get<std::string>();
  }

  Answer respond(const std::string& line) {
    try {
      return std::visit(*this, parse_request(line));
    } catch (const std::exception& e) {
      return answer::Refusal{.status = "failed", .reason = e.what()};
    }
  }

  const Case& prepared() const {
    if (!case_) throw ProtocolError("nothing is prepared");
    return *case_;
  }

  /// A falling loss curve: ln 10 at first, like a guess among ten classes.
  std::vector<double> train(std::int64_t steps) {
    std::vector<double> losses;
    for (std::int64_t i = 0; i < steps; ++i)
      losses.push_back(2.302585 * std::exp(-0.02 * static_cast<double>(steps_done_++)));
    return losses;
  }

  std::string name_, device_, device_id_, warning_;
  bool obeys_ = true;
  std::string version_, library_file_, supports_;
  bool spin_ = false;
  std::int64_t steps_ = 0;
  std::int64_t room_ = 0;  // the largest size that fits
  Cost cost_;
  Log log_;
  int process_ = 1;
  NoiseSource noise_;
  Fault fault_;
  std::vector<std::pair<std::string, std::string>> libraries_;
  std::optional<Case> case_;
  std::uint64_t seed_ = 0;
  std::int64_t steps_done_ = 0;
};

int run(const std::filesystem::path& program) {
  const std::string name = name_from(program);
  const char* text = std::getenv("BREAKEVEN_SIMULATED");
  try {
    Settings settings(text != nullptr ? text : "");
    add_cost_file(settings, name);
    Simulation(name, settings).serve();
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}

}  // namespace
}  // namespace breakeven::simulated

int main(int, char** argv) {
  return breakeven::simulated::run(argv[0]);
}
