// Which backends there are on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/result.h"
#include "session/worker_process.h"

namespace breakeven {

struct BackendProgram {
  std::string name;  // of the file, behind `breakeven-backend-`
  std::filesystem::path path;
};

/// The folders in which backend programs are looked for: those of BREAKEVEN_BACKENDS (separated by colons),
/// the driver's own, and ../libexec/breakeven from there.
std::vector<std::filesystem::path> backend_folders();

/// The backend programs in `folders`, by name; of two of one name, the one in the folder named first.
std::vector<BackendProgram> find_backends(const std::vector<std::filesystem::path>& folders);

/// How every worker is started: threads that wait for work stop spinning within a fraction of a millisecond,
/// unless the user has said otherwise in the environment, and libraries start with `threads`.
WorkerOptions worker_options(int threads);

/// Workers started from now on run their libraries as any caller gets them (host/library_variables.h). Before
/// this process has a second thread.
void start_with_library_defaults();

/// Starts the program and asks who it is. One that cannot run here is not available, in its own or its
/// loader's words.
BackendRecord probe(const BackendProgram& program, int threads, const WorkerOptions& options);
BackendRecord probe(const BackendProgram& program, int threads);  // with worker_options(threads)

/// What a hello says, as a record.
BackendRecord to_record(const BackendProgram& program, const answer::Hello& hello);

}  // namespace breakeven
