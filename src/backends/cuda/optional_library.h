// Libraries that only some builds use, and that a machine may lack. Each registers itself where it is opened.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace breakeven::cuda {

struct OptionalLibrary {
  std::string name;
  std::string symbol;                    // one of its functions, by which its file is found
  std::function<std::string()> version;  // opens it; empty where it cannot be used
};

/// `const OptionalLibraryRegistration registered({...});` beside what opens it.
struct OptionalLibraryRegistration {
  explicit OptionalLibraryRegistration(OptionalLibrary library);
};
const std::vector<OptionalLibrary>& optional_libraries();

}  // namespace breakeven::cuda
