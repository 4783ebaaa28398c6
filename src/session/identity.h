// Who answered: whether a hello is what the protocol says, and whether a later one is of the same program.
#pragma once

#include <filesystem>
#include <string>

#include "protocol/messages.h"
#include "results/result.h"

namespace breakeven {

/// Why a hello of this program breaks docs/worker-protocol.md; empty if it does not. The name is compared
/// with the file's if that is one that the driver finds, breakeven-backend-NAME.
std::string hello_fault(const answer::Hello& hello, const std::filesystem::path& program);

/// A fault of a hello as the reason why its program cannot be used.
inline std::string broken_hello(const std::string& fault) {
  return "broke the protocol: " + fault;
}

/// Converts a hello into a record, with the size and time of each file behind it.
BackendRecord to_record(const std::filesystem::path& program, const answer::Hello& hello);

/// What makes a program that answered now another than the known one: "openblas 0.3.21 -> 0.3.5". Empty if
/// it is the same. Warnings and notes may differ.
std::string difference_of_programs(const BackendRecord& known, const BackendRecord& now);

}  // namespace breakeven
