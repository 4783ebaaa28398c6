// Starts several ranks of one program: `mpirun -np 2 ... PROGRAM`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace breakeven {

/// The words of `launcher`, as a shell splits them, with {ranks} replaced. Throws std::runtime_error if there
/// are none, or {ranks} is not among them.
std::vector<std::string> launch_words(const std::string& launcher, int ranks);

/// The launcher for an mpirun whose `--version` prints this: Open MPI's or MPICH's. Throws std::runtime_error
/// for another.
std::string launcher_for(const std::string& version_text);

/// The words that start `ranks` ranks: those of `launcher`, or, if it is empty, of the mpirun in PATH. Throws
/// std::runtime_error if there is none.
std::vector<std::string> launch_command(const std::string& launcher, int ranks);

/// The arguments of each rank: how many there are, and a port that is free here, for programs that need one.
std::vector<std::string> rank_arguments(int ranks);

/// The line with which a rank says on standard error why it has ended its job; empty if there is none.
std::optional<std::string> rank_that_ended_its_job(const std::string& error_output);

/// True if the ranks of every case would end for this reason, and only after a while: NCCL does not connect
/// them here (backends/cuda/device_ranks.cpp).
bool is_of_every_case(const std::string& reason);

/// The reason in the end of a launched program's standard error; empty if none of it is known: the line of a
/// rank that ended its job, or the beginning of mpirun's message that names a rank, or of its first one.
std::string reason_of_ranks(const std::string& error_output);

}  // namespace breakeven
