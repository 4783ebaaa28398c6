// Starts several ranks of one program: `mpirun -np 2 ... PROGRAM`.
#pragma once

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

/// The reason in the end of what a launcher has written; empty if none of it is known: the line of a rank
/// that could not reach the driver, the beginning of mpirun's message that names a rank, or of its first one.
std::string reason_of_ranks(const std::string& output);

}  // namespace breakeven
