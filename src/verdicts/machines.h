// Which machine a file was measured on, and what to call it where several have one name.
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>

#include "results/result.h"

namespace breakeven {

/// Equal for files of one machine. Its name alone does not do: virtual machines are often all called the
/// same, and processors of several generations, too ("AMD EPYC"), so that their own numbers and instruction
/// sets count.
std::string machine_key(const Host& host);

/// The processors' own numbers, or that they are not known.
std::string identity_text(const Host& host);

/// Files from before processors' own numbers were recorded get those of the one machine among the others
/// that agrees with all they do say; where there is none, or there are several, theirs stay unknown.
void complete_identities(std::span<Host* const> hosts);

/// What the machine of a file is to be called in everything that is said of it.
struct MachineLabel {
  std::filesystem::path file;
  std::string name;
};

/// A label that cannot be given; the message names the file, the name and the remedy.
class LabelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Names the machines of these files, and their other files too. `files` are those that the hosts come from.
/// Throws LabelError for a file that is not among them, an empty name, two names of one machine, and one name
/// of two machines. Goes before tell_machines_apart().
void apply_labels(std::span<Host* const> hosts, std::span<const std::filesystem::path> files,
                  std::span<const MachineLabel> labels);

/// Names each machine so that no other has its name: of those that share one it says which processors they
/// have, or how many.
void tell_machines_apart(std::span<Host* const> hosts);

}  // namespace breakeven
