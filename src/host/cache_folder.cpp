#include "host/cache_folder.h"

#include <cstdlib>

namespace breakeven {

std::filesystem::path user_cache_folder() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    const std::filesystem::path path(value != nullptr ? value : "");
    return path.is_absolute() ? path : std::filesystem::path();  // required by the XDG specification
  };
  std::filesystem::path cache = folder("XDG_CACHE_HOME");
  if (cache.empty() && !folder("HOME").empty()) cache = folder("HOME") / ".cache";
  return cache.empty() ? cache : cache / "breakeven";
}

}  // namespace breakeven
