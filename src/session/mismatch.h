// Checks whether a program prepared the case that was requested.
#pragma once

#include <fmt/format.h>

#include <string>

#include "protocol/messages.h"
#include "workloads/rotation.h"
#include "workloads/transfer.h"

namespace breakeven {

/// Returns the reason why the prepared case is not the requested one; empty if it is. A program may ignore a
/// parameter that it does not know.
inline std::string mismatch_of(const Case& asked, const answer::Ready& ready) {
  if (const std::string policy = transfer_policy(asked.parameters); policy != ready.transfer)
    return fmt::format("transfer is {} and this program answers for {}", policy, ready.transfer);
  if (rotates(asked.parameters) && ready.operand_sets < 2)
    return "operands are rotating and this program reuses them";
  return "";
}

/// Describes how a case is computed: the algorithm, and how many sets of operands are used in turn.
inline std::string algorithm_text(const answer::Ready& ready) {
  if (ready.operand_sets == 1) return ready.algorithm;
  return fmt::format("{}{}{} sets of operands in turn", ready.algorithm, ready.algorithm.empty() ? "" : ", ",
                     ready.operand_sets);
}

}  // namespace breakeven
