// Finds the backends on this machine.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/result.h"
#include "session/worker_process.h"

namespace breakeven {

/// The start of the file name of every backend program.
inline constexpr std::string_view backend_file_start = "breakeven-backend-";
/// The NAME in the file name breakeven-backend-NAME; empty if the file is not named so.
std::string backend_name_of(const std::filesystem::path& program);

struct BackendProgram {
  std::string name;  // of the file, without `breakeven-backend-`
  std::filesystem::path path;
};

/// The folders that are searched for backend programs: those in BREAKEVEN_BACKENDS (separated by colons), the
/// driver's own, and ../libexec/breakeven relative to it.
std::vector<std::filesystem::path> backend_folders();

/// The backend programs in `folders`, sorted by name. If two have the same name, the one in the earlier
/// folder counts.
std::vector<BackendProgram> find_backends(const std::vector<std::filesystem::path>& folders);

/// The options with which every worker is started. Threads that wait for work stop spinning within a fraction
/// of a millisecond, unless the user's environment sets something else, and libraries start with `threads`.
WorkerOptions worker_options(int threads);

/// Makes workers started from now on run their libraries as any caller gets them (host/library_variables.h).
/// Must be called before this process has a second thread.
void start_with_library_defaults();

/// Programs that have answered hello and wait for the next request, so that a session need not start them
/// again: frameworks take seconds to be imported, and GPUs to be initialised.
class StartedPrograms {
 public:
  void keep(const std::filesystem::path& program,
            std::vector<std::pair<std::string, std::string>> environment,
            std::unique_ptr<WorkerProcess> worker, std::string hello);
  /// Ends the others.
  void keep_only(const std::function<bool(const std::filesystem::path& program)>& is_needed);
  /// Starts programs with `start`, except that the first start of a program that is kept, alone and in the
  /// same environment, is that one's. It must not outlive this object.
  StartWorker handing_over(StartWorker start);

 private:
  struct Started {
    std::vector<std::pair<std::string, std::string>> environment;  // WorkerOptions::environment
    std::unique_ptr<WorkerProcess> worker;
    std::string hello;  // the line of its answer
  };
  std::map<std::filesystem::path, Started> started_;
};

/// True for a program that an interpreter runs, such as Python.
bool is_script(const std::filesystem::path& program);

/// The records of several programs, in their order and with their files' names. A program that cannot run
/// here is not available, with its own or its loader's message. Those that can be started in several variants
/// are started in the fastest (variants.h). Scripts are asked in parallel, because each imports a framework
/// for seconds; other programs before them and one after another, because variants are raced on an idle
/// machine. Available ones, except the reference, go on in `started`, if given, and end otherwise.
std::vector<BackendRecord> probe_all(const std::vector<BackendProgram>& programs, int threads,
                                     const std::optional<WorkerOptions>& options = {},
                                     StartedPrograms* started = nullptr);

}  // namespace breakeven
