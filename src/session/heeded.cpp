#include "session/heeded.h"

#include <fmt/format.h>

#include "workloads/rotation.h"
#include "workloads/transfer.h"

namespace breakeven {

std::string not_heeded(const Case& asked, const answer::Ready& ready) {
  if (const std::string policy = transfer_policy(asked.parameters); policy != ready.transfer)
    return fmt::format("transfer is {} and this program answers for {}", policy, ready.transfer);
  if (rotates(asked.parameters) && ready.operand_sets < 2)
    return "operands are rotating and this program reuses them";
  return "";
}

std::string algorithm_text(const answer::Ready& ready) {
  if (ready.operand_sets == 1) return ready.algorithm;
  return fmt::format("{}{}{} sets of operands in turn", ready.algorithm, ready.algorithm.empty() ? "" : ", ",
                     ready.operand_sets);
}

}  // namespace breakeven
