#include "verdicts/verdict.h"

#include <algorithm>
#include <array>

namespace breakeven {
namespace {

constexpr std::array<std::string_view, 5> verdict_names{"same", "slower", "faster", "inconclusive",
                                                        "incomparable"};
constexpr std::array<std::string_view, 3> presence_names{"both", "only_base", "only_head"};

template <typename T, std::size_t count>
std::optional<T> parse(const std::array<std::string_view, count>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<T>(found - names.begin());
}

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

std::string_view name(Verdict verdict) {
  return verdict_names[static_cast<std::size_t>(verdict)];
}
std::optional<Verdict> parse_verdict(std::string_view name) {
  return parse<Verdict>(verdict_names, name);
}
std::string_view name(Presence presence) {
  return presence_names[static_cast<std::size_t>(presence)];
}
std::optional<Presence> parse_presence(std::string_view name) {
  return parse<Presence>(presence_names, name);
}

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

int exit_status(const Verdicts& verdicts) {
  // What must be acted on first.
  constexpr std::array order{1, 4, 3, 0};
  std::size_t first = order.size() - 1;
  for (const CaseVerdict& c : verdicts.cases) {
    const auto place = std::find(order.begin(), order.end(), exit_status(c)) - order.begin();
    first = std::min(first, static_cast<std::size_t>(place));
  }
  return order.at(first);
}

}  // namespace breakeven
