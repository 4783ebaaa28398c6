// The base of classes that others derive from.
#pragma once

namespace breakeven {

/// Neither copied nor moved, and deleted by whoever knows nothing but this.
class Interface {
 public:
  virtual ~Interface() = default;
  Interface() = default;
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  Interface(Interface&&) = delete;
  Interface& operator=(Interface&&) = delete;
};

}  // namespace breakeven
