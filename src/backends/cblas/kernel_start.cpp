#include "backends/cblas/kernel_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "backends/cblas/kernel_cache.h"
#include "backends/cblas/kernel_choice.h"
#include "backends/cblas/kernel_race.h"
#include "backends/cblas/library.h"
#include "host/cpu.h"
#include "host/library_variables.h"
#include "worker/backend.h"
#include "worker/loaded_library.h"

namespace breakeven::cblas {
namespace {

// Variables with which the program passes values to itself when it restarts.
constexpr const char* own_variable = "BREAKEVEN_KERNELS_OF_LIBRARY";
constexpr const char* problem_variable = "BREAKEVEN_KERNELS_PROBLEM";

KernelStart& state() {
  static KernelStart start;
  return start;
}

/// Returns and unsets a variable, so that programs started by this one do not inherit it.
std::optional<std::string> take_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  std::string taken(value);
  unsetenv(name);
  return taken;
}

/// Races the library's own choice against others. Returns the name of the kernels to use.
std::string raced_kernels(const std::string& own, const std::vector<Kernels>& others) {
  std::vector<Kernels> contenders{{.name = own, .value = ""}};
  contenders.insert(contenders.end(), others.begin(), others.end());
  return contenders[fastest_kernels(race_kernels(contenders))].name;
}

/// Lets one process of this user race at a time: ranks of a host start together, and races that run side by
/// side disturb each other. After 20 s, or without a folder for temporary files, it does not wait.
class RaceTurn {
 public:
  RaceTurn() {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    if (error) return;
    const auto path = folder / fmt::format("breakeven-race-{}.lock", geteuid());
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    constexpr int attempts = 400;
    for (int i = 0; file_ >= 0 && i < attempts && flock(file_, LOCK_EX | LOCK_NB) != 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ~RaceTurn() {
    if (file_ >= 0) close(file_);
  }
  RaceTurn(const RaceTurn&) = delete;
  RaceTurn& operator=(const RaceTurn&) = delete;
  RaceTurn(RaceTurn&&) = delete;
  RaceTurn& operator=(RaceTurn&&) = delete;

 private:
  int file_ = -1;
};

/// Finds the choice in the cache file, or else by a race, whose result it stores in the file.
class KernelChooser {
 public:
  KernelChooser() { key_.features = fmt::format("{}", fmt::join(features_, " ")); }

  /// The value for the library's variable; empty: the library's own choice is used.
  std::string choose() {
    if (others_.empty()) return "";
    std::string chosen = kept_choice();
    if (!is_possible(chosen)) chosen = choose_in_turn();
    const Kernels* other = find_kernels(others_, chosen);
    return other == nullptr ? "" : other->value;
  }

  const std::string& own() const { return own_; }
  const std::string& problem() const { return problem_; }

 private:
  std::string choose_in_turn() {
    const RaceTurn turn;
    std::string chosen = kept_choice();  // another process may have raced meanwhile
    if (is_possible(chosen)) {
      problem_.clear();
      return chosen;
    }
    chosen = raced_kernels(own_, others_);
    keep(chosen);
    return chosen;
  }

  bool is_possible(const std::string& name) const {
    return name == own_ || find_kernels(others_, name) != nullptr;
  }

  /// The choice in the cache file; empty if there is none.
  std::string kept_choice() {
    if (file_.empty()) return "";
    try {
      text_ = read_cache(file_);
      return cached_choice(text_, key_).value_or("");
    } catch (const DamagedCache& e) {
      problem_ = fmt::format("{} was not a file of choices of kernels: {}; they were raced again",
                             file_.string(), e.what());
    } catch (const std::system_error&) {  // writing it fails, too, and reports why
    }
    return "";
  }

  void keep(const std::string& chosen) {
    std::string why = "neither XDG_CACHE_HOME nor HOME names a folder";
    try {
      if (!file_.empty()) {
        write_cache(file_, with_choice(text_, key_, chosen));
        return;
      }
    } catch (const std::system_error& e) {
      why = fmt::format("{} cannot be written: {}", file_.string(), e.code().message());
    }
    problem_ = fmt::format(
        "its kernels are raced at every start, which takes two seconds, because {}; set XDG_CACHE_HOME to a "
        "folder that can be written",
        why);
  }

  std::string own_ = library_kernels();
  std::vector<std::string> features_ = cpu_features();
  std::vector<Kernels> others_ = candidates(known_kernels(), own_, features_);
  std::filesystem::path file_ = kernel_cache_file();
  ChoiceKey key_{.processor = cpu_identity(),
                 .features = {},
                 .library = library_name(),
                 .version = library_version(),
                 .file = file_of_symbol(own_symbol())};
  std::string text_, problem_;
};

/// Restarts the program with the same arguments. Returns only on failure.
void start_again() {
  std::ifstream own("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> given;
  for (std::string argument; std::getline(own, argument, '\0');) given.push_back(argument);
  std::vector<char*> arguments;
  arguments.reserve(given.size() + 1);
  for (std::string& argument : given) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  std::error_code error;
  // Under its own path, so that process lists show its name.
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) execve(program.c_str(), arguments.data(), environ);
  execve("/proc/self/exe", arguments.data(), environ);
}

/// Finds out which of the library's kernels are the fastest here, by the cache file or else by a race, and
/// restarts this program with the library's variable set if they are not its own choice. Does nothing if the
/// user has set that variable or wants the library's defaults, or if another library computes. Called before
/// anything is read or computed.
void choose_kernels() {
  join_race();
  const auto own = take_variable(own_variable);
  state() = {.library_defaults = std::getenv(library_defaults_variable) != nullptr,
             .own = own.value_or(""),
             .problem = take_variable(problem_variable).value_or("")};
  const std::string variable(kernels_variable(library_name()));
  const bool is_own_library = file_of_symbol(sgemm_symbol()) == file_of_symbol(own_symbol());
  if (own || state().library_defaults || variable.empty() || std::getenv(variable.c_str()) != nullptr ||
      !is_own_library)
    return;
  KernelChooser chooser;
  const std::string value = chooser.choose();
  state().problem = chooser.problem();
  if (value.empty()) return;
  setenv(variable.c_str(), value.c_str(), 1);
  setenv(own_variable, chooser.own().c_str(), 1);
  setenv(problem_variable, chooser.problem().c_str(), 1);
  start_again();
  for (const char* name : {variable.c_str(), own_variable, problem_variable}) unsetenv(name);
}

const StartRegistration kernel_start_registered(choose_kernels);

}  // namespace

const KernelStart& kernel_start() {
  return state();
}

std::vector<std::string> kernel_notes(const KernelStart& start, const std::string& taken) {
  std::vector<std::string> notes;
  if (!start.own.empty() && start.own != taken)
    notes.push_back(fmt::format("its kernels for {} were replaced by those for {}, which are faster here",
                                start.own, taken));
  if (!start.problem.empty()) notes.push_back(start.problem);
  return notes;
}

}  // namespace breakeven::cblas
