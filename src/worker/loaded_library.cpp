#include "worker/loaded_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace breakeven {

std::string file_of_symbol(const char* symbol) {
  const void* address = dlsym(RTLD_DEFAULT, symbol);
  Dl_info found{};
  if (address == nullptr || dladdr(address, &found) == 0 || found.dli_fname == nullptr) return "";
  std::error_code error;
  const auto file = std::filesystem::canonical(found.dli_fname, error);
  return error ? found.dli_fname : file.string();
}

LoadedLibrary loaded_library(const std::string& name, const char* symbol, const char* own_symbol) {
  LoadedLibrary loaded{.file = file_of_symbol(symbol), .warning = ""};
  const std::string own = file_of_symbol(own_symbol);
  const bool others = !loaded.file.empty() && !own.empty() && loaded.file != own &&
                      std::filesystem::path(loaded.file).filename().string().find(name) == std::string::npos;
  if (others) {
    loaded.warning = fmt::format(
        "{} comes from {}, not from {} ({}): another library is measured; unset LD_PRELOAD, or use "
        "that library's own backend",
        symbol, loaded.file, name, own);
  }
  return loaded;
}

}  // namespace breakeven
