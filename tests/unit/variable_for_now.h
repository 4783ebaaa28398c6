// Changes an environment variable for the duration of a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace breakeven {

/// Sets a variable of this process, or removes it if `value` is null, and restores it at the end.
class VariableForNow {
 public:
  VariableForNow(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    put(value);
  }
  ~VariableForNow() { put(before_ ? before_->c_str() : nullptr); }
  VariableForNow(const VariableForNow&) = delete;
  VariableForNow& operator=(const VariableForNow&) = delete;
  VariableForNow(VariableForNow&&) = delete;
  VariableForNow& operator=(VariableForNow&&) = delete;

 private:
  void put(const char* value) const {
    if (value != nullptr) {
      setenv(name_.c_str(), value, 1);
    } else {
      unsetenv(name_.c_str());
    }
  }

  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace breakeven
