// The base of abstract classes.
#pragma once

namespace breakeven {

/// A base class that is neither copied nor moved, with a virtual destructor.
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
