#include "session/worker_pool.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/ip/host_name.hpp>
#include <future>
#include <set>

#include "host/cpu.h"
#include "host/library_variables.h"
#include "host/threads.h"
#include "session/discovery.h"
#include "session/identity.h"
#include "session/launcher.h"

namespace breakeven {
namespace {

double cpu_seconds_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

}  // namespace

double extra_work_of(const WorkerOptions& options) {
  const auto set = std::ranges::find(options.environment, extra_work_variable,
                                     [](const auto& variable) { return variable.first; });
  const char* text =
      set != options.environment.end() ? set->second.c_str() : std::getenv(extra_work_variable);
  if (text == nullptr || *text == '\0') return 0;
  char* end = nullptr;
  const double share = std::strtod(text, &end);
  constexpr double least = 0.001, most = 10;
  if (*end != '\0' || !(share >= least && share <= most))
    throw std::runtime_error(fmt::format("{}={}: must be a number from {} to {}, as in 0.05 for 5 %",
                                         extra_work_variable, text, least, most));
  return share;
}

std::optional<NoAnswer> WorkerPool::start(const Participant& participant,
                                          const std::function<std::vector<int>()>& near_cpus) {
  if (const auto why = hopeless_.find(participant.key); why != hopeless_.end())
    return NoAnswer{.status = Status::failed, .reason = "as an earlier case: " + why->second};
  Running& running = running_[participant.key];
  if (running.is_started) return std::nullopt;
  if (!running.worker) {
    try {
      launch(participant, running);
    } catch (const std::exception& e) {
      running_.erase(participant.key);
      return NoAnswer{.status = Status::failed, .reason = e.what()};
    }
    running.hello = ask_hello(participant, running);
  }
  const auto hello = to_answer(participant, *std::exchange(running.hello, {}));
  if (const auto* none = std::get_if<NoAnswer>(&hello)) {
    running_.erase(participant.key);  // a program that has not said hello gets no further requests
    return *none;
  }
  const auto& said = std::get<answer::Hello>(hello);
  auto wrong = check_identity(participant, said);
  if (wrong) {
    running_.erase(participant.key);
    return wrong;
  }
  running.is_started = true;
  running.takes_threads = said.takes_threads;
  if (participant.ranks > 1) {  // each has its own CPUs
    note_ranks(said, running);
    return std::nullopt;
  }
  // With cold caches, threads of the worker flush every CPU.
  if (measure_.placed && !measure_.cold_cache && participant.backend.device == "cpu")
    running.placement =
        std::make_unique<Placement>(running.worker->pid(), allowed_cpus(), cpus_for(participant.threads));
  // Must come before anything is prepared, because memory is allocated on the node of the CPU that touches it
  // first.
  if (measure_.placed && near_cpus) running.confined_to = near_cpus();
  if (!running.confined_to.empty() && !set_cpus_of_process(running.worker->pid(), running.confined_to)) {
    running.confined_to.clear();
    running.is_refused = true;
  }
  return std::nullopt;
}

void WorkerPool::start_scripts(const std::vector<const Participant*>& participants) {
  std::vector<std::pair<const Participant*, Running*>> scripts;
  // A program ends with the thread that started it, so that this one starts them all.
  for (const Participant* participant : participants) {
    if (find(*participant) != nullptr || participant->ranks > 1 || !is_script(participant->backend.program))
      continue;
    Running& running = running_[participant->key];
    launch(*participant, running);
    scripts.emplace_back(participant, &running);
  }
  std::vector<std::future<void>> asking;
  asking.reserve(scripts.size());
  for (const auto& script : scripts) {
    asking.push_back(
        std::async([this, script] { script.second->hello = ask_hello(*script.first, *script.second); }));
  }
  for (auto& one : asking) one.get();
}

void WorkerPool::launch(const Participant& participant, Running& running) {
  const auto& of_backend = participant.backend.environment;
  WorkerOptions options = with_variables(participant.options, of_backend);
  options.time_to_quit = time_to_quit(participant.backend.device);
  // Some requests may take a multiple of it.
  options.time_limit = fmt::format("measure.timeout_seconds is {:g}", measure_.timeout_seconds);
  if (participant.ranks > 1) {
    constexpr std::chrono::seconds to_end_all_ranks{10};
    options.time_to_quit = std::max(options.time_to_quit, to_end_all_ranks);
    options.launcher = launch_command(measure_.launcher, participant.ranks);
    options.ranks = participant.ranks;
    // A launcher may pass on no variables to other hosts.
    if (!of_backend.empty()) options.launcher.emplace_back("env");
    for (const auto& [name, value] : of_backend)
      options.launcher.push_back(fmt::format("{}={}", name, value));
  }
  running.worker = start_worker_(participant.backend.program, options);
  cpu_seconds_before_ += running.worker->cpu_seconds().value_or(0);
}

void WorkerPool::note_ranks(const answer::Hello& hello, Running& running) {
  const std::string here = boost::asio::ip::host_name();
  for (const answer::Rank& rank : hello.ranks) {
    running.ranks.push_back({.host = rank.host, .threads = rank.threads});
    if (rank.host != here) continue;
    running.ranks_here.push_back(rank.pid);
    running.confined_to.insert(running.confined_to.end(), rank.cpus.begin(), rank.cpus.end());
  }
  running.worker->count_processes(running.ranks_here);
}

std::optional<NoAnswer> WorkerPool::check_identity(const Participant& participant,
                                                   const answer::Hello& hello) {
  const bool is_again = !started_.insert(participant.key).second;
  std::string why = hello_fault(hello, participant.backend.program);
  if (!why.empty()) {
    why = broken_hello(why);
  } else {
    const BackendRecord now = to_record(participant.backend.program, hello);
    // Where it runs as several ranks, libraries may say other things than where it was asked alone.
    const bool was_asked_alike = participant.ranks == 1 && !participant.backend.file_stamps.empty();
    const BackendRecord& known =
        known_.try_emplace(participant.key, was_asked_alike ? participant.backend : now).first->second;
    if (const std::string difference = difference_of_programs(known, now); !difference.empty())
      why = fmt::format("answered as another program {} {}: {}",
                        is_again ? "when it was started again in launch" : "in launch", launch_, difference);
  }
  if (why.empty()) return std::nullopt;
  hopeless_.emplace(participant.key, why);  // what it computes next would be of a third program, perhaps
  return NoAnswer{.status = Status::failed, .reason = why};
}

Asked<answer::Hello> WorkerPool::ask_hello(const Participant& participant, Running& running) const {
  return running.worker->ask<answer::Hello>(
      request::Hello{.protocol = protocol_version, .threads = participant.threads},
      std::chrono::duration<double>(measure_.timeout_seconds));
}

bool WorkerPool::wait_until_idle(const Participant& participant) {
  const Running* running = find(participant);
  return running == nullptr || running->worker->wait_until_quiet();
}

void WorkerPool::release_threads(const Participant& participant) {
  if (Placement* placement = placement_of(participant)) placement->undo();
}

void WorkerPool::watch_threads(const Participant& participant) {
  if (Placement* placement = placement_of(participant))
    placement->watch(find(participant)->worker->cpu_seconds().value_or(0));
}

void WorkerPool::place_threads(const Participant& participant, double sample_seconds) {
  if (Placement* placement = placement_of(participant))
    placement->place(sample_seconds, find(participant)->worker->cpu_seconds().value_or(0));
}

std::vector<int> WorkerPool::cpus_held(const Participant& participant) const {
  std::set<int> cpus;
  if (const Running* running = find(participant))
    cpus.insert(running->confined_to.begin(), running->confined_to.end());
  if (const Placement* placement = placement_of(participant)) {
    for (const PlacedThread& one : placement->placed()) cpus.insert(one.cpu);
  }
  return {cpus.begin(), cpus.end()};
}

bool WorkerPool::is_placement_refused(const Participant& participant) const {
  const Running* running = find(participant);
  return running != nullptr &&
         (running->is_refused || (running->placement && running->placement->is_refused()));
}

std::vector<RankPlace> WorkerPool::ranks_of(const Participant& participant) const {
  const Running* running = find(participant);
  return running == nullptr ? std::vector<RankPlace>() : running->ranks;
}

double WorkerPool::cpu_seconds() const {
  double sum = cpu_seconds_of(RUSAGE_SELF) + cpu_seconds_of(RUSAGE_CHILDREN) - cpu_seconds_before_;
  for (const auto& [key, running] : running_) sum += running.worker->cpu_seconds().value_or(0);
  return sum;
}

bool WorkerPool::owns_process(std::int64_t pid) const {
  const pid_t group = getpgid(static_cast<pid_t>(pid));
  return group > 0 && std::ranges::any_of(running_, [&](const auto& one) {
           return one.second.worker->pid() == group ||
                  std::ranges::find(one.second.ranks_here, pid) != one.second.ranks_here.end();
         });
}

const WorkerPool::Running* WorkerPool::find(const Participant& participant) const {
  const auto found = running_.find(participant.key);
  return found == running_.end() ? nullptr : &found->second;
}

Placement* WorkerPool::placement_of(const Participant& participant) const {
  const Running* running = find(participant);
  return running == nullptr ? nullptr : running->placement.get();
}

}  // namespace breakeven
