#include "backends/cuda/optional_library.h"

#include <utility>

namespace breakeven::cuda {
namespace {

std::vector<OptionalLibrary>& registered() {
  static std::vector<OptionalLibrary> all;
  return all;
}

}  // namespace

OptionalLibraryRegistration::OptionalLibraryRegistration(OptionalLibrary library) {
  registered().push_back(std::move(library));
}

const std::vector<OptionalLibrary>& optional_libraries() {
  return registered();
}

}  // namespace breakeven::cuda
