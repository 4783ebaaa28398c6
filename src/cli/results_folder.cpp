#include "cli/results_folder.h"

#include "results/rescue.h"
#include "session/environment.h"

namespace breakeven {

std::filesystem::path results_folder() {
  return results_folder_of(describe_host(1).name);
}

}  // namespace breakeven
