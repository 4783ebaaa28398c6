#include "session/clock.h"

#include <fmt/chrono.h>

#include <ctime>
#include <thread>

namespace breakeven {

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

double SteadyTime::now() const {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

void SteadyTime::sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace breakeven
