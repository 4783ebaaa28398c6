// A machine in simulated time with scripted backend programs, for tests of what a session does.
#pragma once

#include <algorithm>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "plan/config.h"
#include "session/engine.h"
#include "session/worker_process.h"
#include "workloads/workload.h"

namespace breakeven::simulated {

class SimulatedTime : public TimeSource {
 public:
  double now() const override { return now_; }
  /// Some time passes in any sleep, however short.
  void sleep(double seconds) override { now_ += std::max(seconds, 1e-9); }

 private:
  double now_ = 1000;
};

/// The effect of a disturbance on programs at a moment: the machine's fraction of its own speed, as the probe
/// sees it, and the factor by which each program is slower.
struct Disturbance {
  double own_speed = 1;
  double clock = 1;                            // relative to its usual clock
  double distance = 1;                         // of its cores, relative to the usual
  std::map<std::string, double> slowed = {};   // by program
  std::vector<std::string> throttled_by = {};  // what holds the GPU's clocks down; empty: nothing
};

/// An answer of a scripted program that is not that of a correct one; empty: a correct one.
using WrongAnswer = std::optional<std::variant<std::string, WorkerLost>>;
using Fault = std::function<WrongAnswer(const Request& request)>;

struct Program {
  double seconds = 1e-3;                                 // of an iteration
  std::function<double(const Case& problem)> cost = {};  // likewise, in place of `seconds`
  double setup = 0;                                      // seconds of preparing
  double memory = 0;                                     // that a case takes while it is prepared
  double noise = 0.005;  // standard deviation of a sample, and of a launch, as a part of the seconds
  double claims = 1;     // times the seconds that pass
  int honest = 0;        // samples of each process before it claims them
  bool sleeps = true;    // between samples
  std::map<int, double> by_threads =
      {};  // factors on the seconds, 9 of others; empty: it takes none with a case
  std::function<double(double since_start)> drift = {};  // a factor, by seconds since it was started
  Fault fault = {};
  std::function<std::optional<double>(double seconds)> joules = {};  // of a sample's iteration, if it tells
  std::function<answer::Epoch(int epoch)> epoch = {};  // epochs are counted from 0 from each preparation on
};

class SimulatedMachine {
 public:
  explicit SimulatedMachine(std::uint64_t seed = 1) : generator_(seed) {}

  /// The programs by path.
  std::map<std::string, Program> programs;
  std::function<Disturbance(double now)> disturbance = [](double) { return Disturbance{}; };
  bool has_probe = true;
  double throttled_seconds = 0;   // for which quotas have stopped it
  bool probe_is_absolute = true;  // otherwise it knows the machine's own speed from what it has seen
  std::vector<double> probe_seconds = {350e-6};  // of one probe after the other, again and again
  std::optional<SpeedCounters> counters = {};    // that a probe reads
  /// The counters of the kernel. By default, nobody but the programs uses the CPUs.
  std::function<HostCounters(double now)> host_counters = [](double now) {
    return HostCounters{.busy_seconds = 0, .steal_seconds = 0, .total_seconds = 2 * now};
  };
  int started = 0;              // processes, in all
  double memory = 1, held = 0;  // that programs can take in all, and that they hold

  SimulatedTime time;
  std::mt19937_64& generator() { return generator_; }
  Disturbance now() const { return disturbance(time.now()); }

  Instruments instruments();

 private:
  std::mt19937_64 generator_;
};

/// Answers as a good program does, unless its fault says otherwise. Its results are all ones, as those of
/// the reference are.
class ScriptedWorker : public Worker {
 public:
  ScriptedWorker(SimulatedMachine& machine, std::string path)
      : machine_(machine),
        path_(std::move(path)),
        program_(machine.programs.at(path_)),
        started_(machine.time.now()) {
    ++machine_.started;
    std::normal_distribution<double> luck(1, program_.noise);
    launch_factor_ = luck(machine_.generator());
  }
  ~ScriptedWorker() override { give_back(); }
  ScriptedWorker(const ScriptedWorker&) = delete;
  ScriptedWorker& operator=(const ScriptedWorker&) = delete;
  ScriptedWorker(ScriptedWorker&&) = delete;
  ScriptedWorker& operator=(ScriptedWorker&&) = delete;

  std::variant<std::string, WorkerLost> exchange(const std::string& line,
                                                 std::chrono::duration<double> timeout,
                                                 const std::function<void()>& meanwhile) override {
    if (lost_) return *lost_;
    const Request request = parse_request(line);
    machine_.time.sleep(20e-6);
    if (meanwhile) meanwhile();
    if (program_.fault) {
      if (auto answer = program_.fault(request)) {
        if (const auto* gone = std::get_if<WorkerLost>(&*answer)) {
          if (gone->status == Status::timed_out) machine_.time.sleep(timeout.count());
          lost_ = *gone;
        }
        return *answer;
      }
    }
    return to_line(std::visit([this](const auto& r) { return this->answer(r); }, request));
  }

  WorkerLost lose(Status status, const std::string& reason) override {
    lost_ = WorkerLost{.status = status, .reason = reason};
    return *lost_;
  }
  bool wait_until_quiet() const override { return program_.sleeps; }
  std::optional<double> cpu_seconds() const override { return 0; }
  int pid() const override { return -1; }

 private:
  Answer answer(const request::Hello& r) {
    answer::Hello hello;
    hello.name = "scripted";
    hello.version = "1";
    hello.supports = {{"matmul", {"f32"}}};
    hello.takes_threads = !program_.by_threads.empty();
    threads_ = r.threads;
    return hello;
  }
  Answer answer(const request::Prepare& r) {
    give_back();
    if (program_.memory > machine_.memory - machine_.held)
      return answer::Refusal{.status = "out_of_memory", .reason = "needs more than is available"};
    machine_.held += held_ = program_.memory;
    seconds_ = program_.cost ? program_.cost(r.problem) : program_.seconds;
    if (!program_.by_threads.empty()) {
      const auto known = program_.by_threads.find(r.threads == 0 ? threads_ : r.threads);
      seconds_ *= known == program_.by_threads.end() ? 9 : known->second;
    }
    if (program_.setup > 0) machine_.time.sleep(program_.setup);
    epochs_ = 0;
    return answer::Ready{.algorithm = "scripted"};
  }
  static Answer ones(std::size_t count) {
    return Evidence{.elements = std::vector<double>(count, 1), .projections = {}, .losses = {}};
  }
  static Answer answer(const request::Expect& r) { return ones(r.elements.size()); }
  static Answer answer(const request::Verify& r) { return ones(r.elements.size()); }
  Answer answer(const request::Sample& r) {
    std::normal_distribution<double> luck(1, program_.noise);
    const Disturbance disturbance = machine_.now();
    const auto slowed = disturbance.slowed.find(path_);
    double seconds = seconds_ * launch_factor_ * luck(machine_.generator());
    if (slowed != disturbance.slowed.end()) seconds *= slowed->second;
    if (program_.drift) seconds *= program_.drift(machine_.time.now() - started_);
    machine_.time.sleep(seconds * static_cast<double>(r.iterations));
    answer::Sample sample;
    sample.iterations = r.iterations;
    sample.seconds = samples_++ < program_.honest ? seconds : seconds * program_.claims;
    if (program_.joules) sample.joules = program_.joules(seconds);
    return sample;
  }
  Answer answer(const request::Epoch& /*unused*/) {
    if (!program_.epoch) return answer::Refusal{.reason = "no training"};
    const answer::Epoch trained = program_.epoch(epochs_++);
    machine_.time.sleep(trained.seconds);
    return trained;
  }
  static Answer answer(const request::Fit& /*unused*/) { return answer::Refusal{.reason = "no fits"}; }
  Answer answer(const request::Release& /*unused*/) {
    give_back();
    return answer::Done{};
  }
  void give_back() { machine_.held -= std::exchange(held_, 0); }
  static Answer answer(const request::Quit& /*unused*/) { return answer::Done{}; }

  SimulatedMachine& machine_;
  std::string path_;
  const Program& program_;
  double seconds_ = program_.seconds;  // of an iteration of what is prepared
  double started_;
  double launch_factor_ = 1;
  int epochs_ = 0, samples_ = 0, threads_ = 1;
  double held_ = 0;  // of the machine's memory
  std::optional<WorkerLost> lost_;
};

/// Sees what the script says, as it is at the moment.
class ScriptedProbe : public SpeedProbe {
 public:
  explicit ScriptedProbe(SimulatedMachine& machine) : machine_(machine) {}
  void calibrate() override {}
  SpeedReading measure() override {
    machine_.time.sleep(machine_.probe_seconds[probes_++ % machine_.probe_seconds.size()]);
    SpeedReading reading;
    const double own_speed = machine_.now().own_speed;
    CpuSpeedTimes cpu;
    cpu.clock_seconds = 1 / machine_.now().clock;
    reading.times.core_to_core_seconds = 25e-9 * machine_.now().distance;
    cpu.throughput_seconds = cpu.clock_seconds / own_speed;
    cpu.counters = machine_.counters;
    reading.times.cpus = {cpu};
    reading.throttled_seconds = machine_.throttled_seconds;
    fastest_ = std::max(fastest_, own_speed);
    reading.speed.share = machine_.probe_is_absolute ? own_speed : own_speed / fastest_;
    return reading;
  }
  double share_again(const std::vector<CpuSpeedRatios>& ratios) const override {
    const double own_speed = 1 / static_cast<double>(ratios.front().throughput);
    return machine_.probe_is_absolute ? own_speed : own_speed / fastest_;
  }
  SpeedReference reference() const override { return {}; }

 private:
  SimulatedMachine& machine_;
  std::size_t probes_ = 0;
  double fastest_ = 0;
};

/// Sees what held the GPU's clocks down when it looked.
class ScriptedGpuWatch : public GpuWatch {
 public:
  explicit ScriptedGpuWatch(const SimulatedMachine& machine) : machine_(machine) {}
  void begin() override { seen_.clear(); }
  void look() override { seen_ = machine_.now().throttled_by; }
  std::vector<std::string> end() override { return seen_; }
  Reading<EnergyReading> settled_energy() const override { return {{}, "no counter"}; }
  DeviceConditions conditions() const override { return {}; }

 private:
  const SimulatedMachine& machine_;
  std::vector<std::string> seen_;
};

inline Instruments SimulatedMachine::instruments() {
  Instruments made{
      .start_worker = [this](const std::filesystem::path& path, const WorkerOptions&)
          -> std::unique_ptr<Worker> { return std::make_unique<ScriptedWorker>(*this, path.string()); },
      .time = &time,
      .read_counters = [this] { return host_counters(time.now()); },
      .watch_gpu = [this](const std::string&) { return std::make_unique<ScriptedGpuWatch>(*this); }};
  if (has_probe)
    made.make_speed_probe = [this](const std::vector<int>&) {
      return std::make_unique<ScriptedProbe>(*this);
    };
  return made;
}

/// Interrupts a session at request `step`, counted over all programs. Later requests find it interrupted.
class InterruptionAt {
 public:
  InterruptionAt(SimulatedMachine& machine, int step) : step_(step) {
    for (auto& [path, program] : machine.programs) {
      program.fault = [this](const Request&) -> WrongAnswer {
        if (++requests_ < step_) return std::nullopt;
        if (requests_ == step_) std::raise(SIGINT);
        return WorkerLost{.status = Status::interrupted, .reason = "interrupted"};
      };
    }
  }
  InterruptionAt(const InterruptionAt&) = delete;
  InterruptionAt& operator=(const InterruptionAt&) = delete;
  InterruptionAt(InterruptionAt&&) = delete;
  InterruptionAt& operator=(InterruptionAt&&) = delete;

  /// False for a session that ended before.
  bool came() const { return requests_ >= step_; }

 private:
  const Interruption interruption_;
  const int step_;
  int requests_ = 0;
};

// ---- requests to sessions

inline PlannedCase product(std::int64_t size) {
  const Workload& workload = *find_workload("matmul");
  Parameters parameters;
  for (const char* name : {"m", "n", "k"}) parameters.set(name, size);
  return {.problem = make_case(workload, parameters), .label = ""};
}

inline Config config_of(std::vector<std::int64_t> sizes) {
  Config config;
  config.title = "simulated";
  config.measure.placed = false;
  config.json = "{}";
  for (const std::int64_t size : sizes) config.cases.push_back(product(size));
  return config;
}

inline BackendRecord backend(const std::string& name, const std::string& path) {
  BackendRecord record;
  record.name = name;
  record.device = "cpu";
  record.supports = {{"matmul", {"f32"}}};
  record.program = path;
  record.available = true;
  return record;
}

}  // namespace breakeven::simulated
