#include "session/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <sstream>
#include <utility>
#include <variant>

#include "host/library_variables.h"
#include "install_paths.h"
#include "session/identity.h"
#include "session/variants.h"

namespace breakeven {

std::vector<std::filesystem::path> backend_folders() {
  std::vector<std::filesystem::path> folders;
  if (const char* given = std::getenv("BREAKEVEN_BACKENDS")) {
    std::istringstream in(given);
    for (std::string folder; std::getline(in, folder, ':');) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  folders.push_back(own);
  folders.push_back((own / libexec_from_program).lexically_normal());
  return folders;
}

std::string backend_name_of(const std::filesystem::path& program) {
  const std::string file = program.filename();
  return file.starts_with(backend_file_start) ? file.substr(backend_file_start.size()) : "";
}

std::vector<BackendProgram> find_backends(const std::vector<std::filesystem::path>& folders) {
  std::vector<BackendProgram> found;
  for (const auto& folder : folders) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const std::string name = backend_name_of(entry.path());
      if (name.empty() || entry.is_directory(error)) continue;
      if (std::ranges::find(found, name, &BackendProgram::name) == found.end())
        found.push_back({.name = name, .path = entry.path()});
    }
  }
  std::ranges::sort(found, {}, &BackendProgram::name);
  return found;
}

WorkerOptions worker_options(int threads) {
  WorkerOptions options;
  options.environment = missing_spin_settings();
  constexpr const char* threads_variable = "OMP_NUM_THREADS";
  if (std::getenv(threads_variable) == nullptr)
    options.environment.emplace_back(threads_variable, fmt::format("{}", threads));
  return options;
}

void start_with_library_defaults() {
  setenv(library_defaults_variable, "1", 1);
}

namespace {

WorkerOptions options_to_probe(int threads, const std::optional<WorkerOptions>& options) {
  WorkerOptions of_probe = options ? *options : worker_options(threads);
  of_probe.time_limit = "a fixed limit for the first hello, whatever measure.timeout_seconds is";
  return of_probe;
}

/// A program that was asked hello.
struct Greeted {
  BackendRecord record;
  std::string line;     // of its answer; empty if it is not available
  answer::Hello hello;  // the answer
};

Greeted ask_hello(const BackendProgram& program, WorkerProcess& worker, int threads) {
  // Python takes seconds to import PyTorch from a cold disk.
  constexpr std::chrono::seconds greeting_timeout{120};
  auto line = worker.exchange(
      to_line(Request{request::Hello{.protocol = protocol_version, .threads = threads}}), greeting_timeout);
  const auto* answered = std::get_if<std::string>(&line);
  std::string line_of_hello = answered != nullptr ? *answered : "";
  auto asked = worker.understand<answer::Hello>(std::move(line));
  if (!std::holds_alternative<answer::Hello>(asked) && Interruption::requested()) throw Interrupted();
  BackendRecord record;
  record.name = program.name;
  record.role = "contender";
  record.program = program.path.string();
  if (const auto* said = std::get_if<answer::Hello>(&asked)) {
    const std::string fault = hello_fault(*said, program.path);
    if (fault.empty()) return {to_record(program.path, *said), std::move(line_of_hello), *said};
    record.reason = broken_hello(fault);
  } else {
    const auto* refusal = std::get_if<answer::Refusal>(&asked);
    record.reason = refusal != nullptr ? refusal->reason : std::get<WorkerLost>(asked).reason;
  }
  return {std::move(record), "", {}};
}

/// Starts the program in the variant that is the fastest here, if that is another than its own, and asks it
/// again.
void start_fastest_variant(const BackendProgram& program, const WorkerOptions& options, int threads,
                           std::unique_ptr<WorkerProcess>& worker, Greeted& greeted) {
  if (!greeted.record.available || greeted.hello.variants.empty()) return;
  ChosenVariant chosen = choose_variant(program.path, greeted.hello, options, threads);
  if (!chosen.environment.empty()) {
    auto another = std::make_unique<WorkerProcess>(program.path, with_variables(options, chosen.environment));
    Greeted asked = ask_hello(program, *another, threads);
    if (asked.record.available) {
      worker = std::move(another);
      greeted = std::move(asked);
      greeted.record.environment = std::move(chosen.environment);
    } else {
      chosen.notes = {{.kind = NoteKind::kernels_not_started, .about = {asked.record.reason}}};
    }
  }
  for (Note& note : chosen.notes) greeted.record.notes.push_back(std::move(note));
}

}  // namespace

bool is_script(const std::filesystem::path& program) {
  std::array<char, 2> beginning{};
  std::ifstream(program, std::ios::binary).read(beginning.data(), beginning.size());
  return beginning == std::array{'#', '!'};
}

std::vector<BackendRecord> probe_all(const std::vector<BackendProgram>& programs, int threads,
                                     const std::optional<WorkerOptions>& options, StartedPrograms* started) {
  const WorkerOptions of_probe = options_to_probe(threads, options);
  const auto go_on = [&](const BackendProgram& program, std::unique_ptr<WorkerProcess> worker,
                         Greeted greeted) {
    start_fastest_variant(program, of_probe, threads, worker, greeted);
    // The reference is started with an environment of its own.
    if (started != nullptr && greeted.record.available && !greeted.record.is_reference())
      started->keep(program.path, with_variables(of_probe, greeted.record.environment).environment,
                    std::move(worker), std::move(greeted.line));
    return std::move(greeted.record);
  };
  std::vector<BackendRecord> records(programs.size());
  std::vector<std::size_t> scripts;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (is_script(programs[i].path)) {
      scripts.push_back(i);
      continue;
    }
    auto worker = std::make_unique<WorkerProcess>(programs[i].path, of_probe);
    Greeted greeted = ask_hello(programs[i], *worker, threads);
    records[i] = go_on(programs[i], std::move(worker), std::move(greeted));
  }
  // A program ends with the thread that started it, so that this one starts them all.
  std::vector<std::unique_ptr<WorkerProcess>> workers;
  workers.reserve(scripts.size());
  for (const std::size_t i : scripts)
    workers.push_back(std::make_unique<WorkerProcess>(programs[i].path, of_probe));
  std::vector<std::future<Greeted>> asked;
  asked.reserve(scripts.size());
  for (std::size_t s = 0; s < scripts.size(); ++s) {
    asked.push_back(std::async([&, s] { return ask_hello(programs[scripts[s]], *workers[s], threads); }));
  }
  std::vector<Greeted> greeted;
  greeted.reserve(scripts.size());
  for (auto& one : asked) greeted.push_back(one.get());
  for (std::size_t s = 0; s < scripts.size(); ++s)
    records[scripts[s]] = go_on(programs[scripts[s]], std::move(workers[s]), std::move(greeted[s]));
  return records;
}

namespace {

/// A program that has answered hello already, and gives that answer to the first request, which is hello
/// again.
class GreetedWorker final : public Worker {
 public:
  GreetedWorker(std::unique_ptr<WorkerProcess> worker, std::string hello)
      : worker_(std::move(worker)), hello_(std::move(hello)) {}

  std::variant<std::string, WorkerLost> exchange(const std::string& line,
                                                 std::chrono::duration<double> timeout,
                                                 const std::function<void()>& meanwhile) override {
    if (!hello_.empty()) return std::exchange(hello_, "");
    return worker_->exchange(line, timeout, meanwhile);
  }
  WorkerLost lose(Status status, const std::string& reason) override { return worker_->lose(status, reason); }
  bool wait_until_quiet() const override { return worker_->wait_until_quiet(); }
  std::optional<double> cpu_seconds() const override { return worker_->cpu_seconds(); }
  int pid() const override { return worker_->pid(); }
  void count_processes(const std::vector<int>& pids) override { worker_->count_processes(pids); }

 private:
  std::unique_ptr<WorkerProcess> worker_;
  std::string hello_;
};

}  // namespace

void StartedPrograms::keep(const std::filesystem::path& program,
                           std::vector<std::pair<std::string, std::string>> environment,
                           std::unique_ptr<WorkerProcess> worker, std::string hello) {
  started_[program] = {
      .environment = std::move(environment), .worker = std::move(worker), .hello = std::move(hello)};
}

void StartedPrograms::keep_only(const std::function<bool(const std::filesystem::path& program)>& is_needed) {
  std::erase_if(started_, [&](const auto& one) { return !is_needed(one.first); });
}

StartWorker StartedPrograms::handing_over(StartWorker start) {
  return [this, start = std::move(start)](const std::filesystem::path& program,
                                          const WorkerOptions& options) -> std::unique_ptr<Worker> {
    auto kept = started_.extract(program);
    if (kept.empty() || !options.launcher.empty() || kept.mapped().environment != options.environment ||
        kept.mapped().worker->has_ended())
      return start(program, options);
    kept.mapped().worker->set_time_limits(options);
    return std::make_unique<GreetedWorker>(std::move(kept.mapped().worker), std::move(kept.mapped().hello));
  };
}

}  // namespace breakeven
