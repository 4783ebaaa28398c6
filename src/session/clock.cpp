#include "session/clock.h"

#include <fmt/chrono.h>

#include <ctime>

namespace breakeven {

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace breakeven
