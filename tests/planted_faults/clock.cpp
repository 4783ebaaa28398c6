// A clock that is wrong on demand: with BREAKEVEN_CLOCK=step=N, CLOCK_MONOTONIC advances in steps of N
// microseconds, and with back=N every eighth reading is N microseconds too early.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr long long ns_of_second = 1'000'000'000, ns_of_us = 1'000;

/// The number of `name=N` in the variable, in nanoseconds; 0 if it is not there.
long long setting(const char* name) {
  const char* asked = std::getenv("BREAKEVEN_CLOCK");
  const std::size_t length = std::strlen(name);
  if (asked == nullptr || std::strncmp(asked, name, length) != 0) return 0;
  return std::strtoll(asked + length, nullptr, 10) * ns_of_us;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  using Function = int(clockid_t, timespec*);
  static auto* const real = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int status = real(clock, now);
  if (clock != CLOCK_MONOTONIC || status != 0) return status;
  static const long long step = setting("step="), back = setting("back=");
  static std::atomic<unsigned> readings{0};
  constexpr unsigned one_of = 8;
  long long ns = now->tv_sec * ns_of_second + now->tv_nsec;
  if (step > 0) ns -= ns % step;
  if (back > 0 && ++readings % one_of == 0) ns -= back;
  now->tv_sec = static_cast<time_t>(ns / ns_of_second);
  now->tv_nsec = static_cast<long>(ns % ns_of_second);
  return status;
}
