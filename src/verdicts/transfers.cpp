#include "verdicts/transfers.h"

#include <map>
#include <optional>
#include <utility>

#include "verdicts/machines.h"
#include "workloads/transfer.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

/// The same case on a processor with the other one of `resident` and `each`. Empty if there is none.
std::optional<CaseResult> turned(const CaseResult& result) {
  const Workload* workload = find_workload(result.op);
  const std::string policy = transfer_policy(result.parameters);
  if (result.device != "cpu" || !result.has_time() || workload == nullptr || policy == "once" ||
      result.parameters.find("transfer") == nullptr)
    return std::nullopt;
  CaseResult other = result;
  other.parameters.set("transfer", std::string(policy == "each" ? "resident" : "each"));
  other.id = Case{.workload = workload, .parameters = other.parameters}.id();
  return other;
}

}  // namespace

bool has_inputs_on_gpu(const CaseResult& result) {
  return result.op == "infer" && result.device != "cpu" && transfer_policy(result.parameters) == "resident";
}

std::set<std::string> ids_on_gpus(std::span<const Result> results) {
  std::set<std::string> ids;
  for (const Result& run : results) {
    for (const CaseResult& result : run.cases) {
      if (result.device != "cpu") ids.insert(result.id);
    }
  }
  return ids;
}

void add_cases_of_processors(std::vector<Result>& results, const std::set<std::string>& wanted) {
  // The id and backend of everything that each machine measured: no file's result is replaced.
  std::map<std::string, std::set<std::pair<std::string, std::string>>> measured;
  for (const Result& run : results) {
    auto& known = measured[machine_key(run.host)];
    for (const CaseResult& result : run.cases) known.emplace(result.id, result.backend);
  }
  for (Result& run : results) {
    const auto& known = measured.at(machine_key(run.host));
    std::vector<CaseResult> added;
    for (const CaseResult& result : run.cases) {
      std::optional<CaseResult> other = turned(result);
      if (other && wanted.contains(other->id) && !known.contains({other->id, other->backend}))
        added.push_back(std::move(*other));
    }
    run.cases.insert(run.cases.end(), std::make_move_iterator(added.begin()),
                     std::make_move_iterator(added.end()));
  }
}

}  // namespace breakeven
