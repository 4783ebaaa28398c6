#include "verdicts/verdict.h"

#include <algorithm>
#include <array>

namespace breakeven {
namespace {

bool failed(Status status) {
  return status == Status::failed || status == Status::timed_out || status == Status::out_of_memory ||
         status == Status::interrupted;
}

int exit_status(const CaseVerdict& c) {
  const bool in_head = c.presence != Presence::only_base;
  if (in_head && (c.head_status == Status::wrong || c.head_status == Status::implausible)) return 1;
  if (c.presence == Presence::only_head) return failed(c.head_status) ? 4 : 0;
  if (c.presence == Presence::only_base) return 4;
  switch (c.verdict) {
    case Verdict::slower:
      return 1;
    case Verdict::incomparable:
      return c.base_status == Status::unsupported && c.head_status == Status::unsupported ? 0 : 4;
    case Verdict::inconclusive:
      return c.not_slower ? 0 : 3;
    default:
      return 0;
  }
}

}  // namespace

CaseVerdict undecided(const CaseResult& c) {
  CaseVerdict made;
  made.id = c.id;
  made.label = c.label;
  made.op = c.op;
  made.parameters = c.parameters;
  made.dtype = c.dtype;
  made.backend = c.backend;
  made.device = c.device;
  return made;
}

const BackendRecord* find_backend(std::span<const BackendRecord> backends, std::string_view name) {
  const auto found = std::ranges::find(backends, name, &BackendRecord::name);
  return found == backends.end() ? nullptr : &*found;
}

int exit_status(const Verdicts& verdicts) {
  // The most urgent status first.
  constexpr std::array order{1, 4, 3, 0};
  std::size_t first = order.size() - 1;
  for (const CaseVerdict& c : verdicts.cases) {
    const auto place = std::ranges::find(order, exit_status(c)) - order.begin();
    first = std::min(first, static_cast<std::size_t>(place));
  }
  return order.at(first);
}

}  // namespace breakeven
