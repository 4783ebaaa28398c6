// A hash of text that is the same on every machine.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace breakeven {

/// FNV-1a, 64 bits (Fowler, Noll, Vo and Eastlake, RFC 9923).
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) state_ = (state_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  }
  /// 16 hexadecimal digits.
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace breakeven
