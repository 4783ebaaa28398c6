#include "cli/results_folder.h"

#include "session/environment.h"

namespace breakeven {

std::filesystem::path results_folder() {
  return std::filesystem::path("results") / describe_host(1).name;
}

}  // namespace breakeven
