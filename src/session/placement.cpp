#include "session/placement.h"

#include <algorithm>

#include "host/threads.h"

namespace breakeven {

std::vector<PlacedThread> place_threads(const ThreadUse& use, const std::vector<int>& cpus) {
  constexpr double busy = 0.1;    // of the busiest thread's time; threads below it do not compute
  constexpr double all_of = 0.9;  // readings may miss a tick
  double busiest = 0, living = 0;
  for (const auto& [thread, seconds] : use.cpu_seconds) {
    busiest = std::max(busiest, seconds);
    living += seconds;
  }
  if (cpus.size() < 2 || busiest <= 0 || living < all_of * use.process_seconds) return {};
  std::vector<PlacedThread> placed;
  const std::size_t others = cpus.size() - 1;
  for (const auto& [thread, seconds] : use.cpu_seconds) {
    if (seconds < busy * busiest) continue;
    const std::size_t before = placed.size();
    placed.push_back({.thread = thread, .cpu = before == 0 ? cpus[0] : cpus[1 + (before - 1) % others]});
  }
  if (placed.size() <= cpus.size()) return placed;
  const bool in_turn = use.cpu_seconds.at(placed.front().thread) >= all_of * use.wall_seconds;
  return in_turn && (placed.size() - 1) % others == 0 ? placed : std::vector<PlacedThread>{};
}

void Placement::watch(double process_seconds) {
  before_ = thread_times(pid_);
  process_before_ = process_seconds;
}

void Placement::place(double wall_seconds, double process_seconds) {
  undo();
  ThreadUse use{
      .cpu_seconds = {}, .process_seconds = process_seconds - process_before_, .wall_seconds = wall_seconds};
  for (const auto& [thread, seconds] : thread_times(pid_)) {
    const auto found = before_.find(thread);
    use.cpu_seconds[thread] = seconds - (found == before_.end() ? 0 : found->second);
  }
  // Includes threads that were idle in this sample: a program that places one of its threads does so on
  // purpose.
  const bool free = std::ranges::all_of(
      use.cpu_seconds, [&](const auto& one) { return cpus_of_thread(one.first) == allowed_; });
  if (!free || refused_) return;
  placed_ = place_threads(use, cpus_);
  for (const auto& [thread, cpu] : placed_) refused_ |= !set_cpus_of_thread(thread, {cpu});
  if (refused_) undo();
}

void Placement::undo() {
  if (placed_.empty()) return;
  const auto is_a_place = [&](const std::vector<int>& cpus) {
    return cpus.size() == 1 && std::ranges::find(cpus_, cpus.front()) != cpus_.end();
  };
  // Includes threads that were started since and inherited a CPU.
  for (const auto& [thread, seconds] : thread_times(pid_)) {
    if (is_a_place(cpus_of_thread(thread))) set_cpus_of_thread(thread, allowed_);
  }
  placed_.clear();
}

}  // namespace breakeven
