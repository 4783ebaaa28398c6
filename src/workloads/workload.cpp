#include "workloads/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "workloads/transfer.h"

namespace breakeven {
namespace {

std::vector<std::unique_ptr<Workload>>& registry() {
  static std::vector<std::unique_ptr<Workload>> all;
  return all;
}

}  // namespace

const std::vector<std::unique_ptr<Workload>>& workloads() {
  return registry();
}

const Workload* find_workload(std::string_view op) {
  for (const auto& workload : registry()) {
    if (workload->op() == op) return workload.get();
  }
  return nullptr;
}

void register_workload(std::unique_ptr<Workload> workload) {
  auto& all = registry();
  const auto behind = std::upper_bound(all.begin(), all.end(), workload,
                                       [](const auto& a, const auto& b) { return a->op() < b->op(); });
  all.insert(behind, std::move(workload));
}

std::string Workload::activity(const Parameters&) const {
  std::string text(plural());
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string Workload::title(const Parameters& given) const {
  std::string title;
  for (const auto& [name, value] : not_at_default(parameters(), given)) {
    title += fmt::format("{}={} ", name, to_string(*value));
  }
  return title + given.text("dtype");
}

double Case::flop() const {
  return static_cast<double>(Transfer::of(parameters).repetitions) * workload->flop(parameters);
}
double Case::bytes() const {
  return static_cast<double>(Transfer::of(parameters).repetitions) * workload->bytes(parameters);
}
std::int64_t Case::samples() const {
  return Transfer::of(parameters).repetitions * workload->samples(parameters);
}

std::string Case::id() const {
  std::string id(workload->op());
  for (const auto& [name, value] : not_at_default(workload->parameters(), parameters)) {
    if (const auto* flag = std::get_if<bool>(value); flag != nullptr && *flag) {
      id += fmt::format("/{}", name);
    } else {
      id += fmt::format("/{}={}", name, to_string(*value));
    }
  }
  return fmt::format("{}/{}", id, parameters.text("dtype"));
}

Evidence Workload::expect(const Parameters& /*parameters*/, std::uint64_t /*seed*/,
                          const std::vector<std::int64_t>& /*elements*/) const {
  throw std::logic_error(fmt::format("only the reference backend can compute the result of {}", op()));
}

Case make_case(const Workload& workload, const Parameters& given) {
  const auto& known = workload.parameters();
  for (const auto& entry : given.entries()) {
    const std::string& given_name = entry.first;
    if (std::none_of(known.begin(), known.end(), [&](const Parameter& p) { return p.name == given_name; })) {
      throw InvalidCase(given_name, fmt::format("{} has no parameter '{}'", workload.op(), given_name));
    }
  }
  Case made{.workload = &workload, .parameters = {}};
  for (const Parameter& parameter : workload.parameters()) {
    const Value* value = given.find(parameter.name);
    if (value == nullptr) {
      if (!parameter.default_value) {
        throw InvalidCase(parameter.name, fmt::format("{} needs '{}' ({})", workload.op(), parameter.name,
                                                      parameter.meaning));
      }
      value = &*parameter.default_value;
    }
    if (const auto wanted = parameter.rejects(*value)) {
      throw InvalidCase(parameter.name,
                        fmt::format("{} is {} and must be {}", parameter.name, to_string(*value), *wanted));
    }
    made.parameters.set(parameter.name, *value);
  }
  normalise_transfer(made.parameters);
  workload.normalise(made.parameters);
  workload.check(made.parameters);
  return made;
}

}  // namespace breakeven
