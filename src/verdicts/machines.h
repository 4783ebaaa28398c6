// Identifies the machine that a file was measured on, and gives it a name where several share one.
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>

#include "results/result.h"

namespace breakeven {

/// A key that is equal for files of one machine. The name alone is not enough: virtual machines often share a
/// name, and so do processors of several generations ("AMD EPYC"). So the processors' own numbers and
/// instruction sets count.
std::string machine_key(const Host& host);

/// The processors' own numbers, or the statement that they are not known.
std::string identity_text(const Host& host);

/// Completes files from before processors' own numbers were recorded: they get the numbers of the only
/// machine among the others that agrees with everything they record. If there is none, or there are several,
/// their numbers stay unknown.
void complete_identities(std::span<Host* const> hosts);

/// The user's name for the machine of a file, used wherever the machine is mentioned.
struct MachineLabel {
  std::filesystem::path file;
  std::string name;
};

/// A label that cannot be given; the message names the file, the name and the remedy.
class LabelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Applies the labels to the machines of the labelled files, and so to all files of those machines. `files`
/// are those that the hosts come from. Throws LabelError for a file that is not among them, an empty name,
/// two names of one machine, and one name of two machines. Call it before tell_machines_apart().
void apply_labels(std::span<Host* const> hosts, std::span<const std::filesystem::path> files,
                  std::span<const MachineLabel> labels);

/// Gives each machine a unique name: where several share one, adds which processors they have, or how many.
void tell_machines_apart(std::span<Host* const> hosts);

}  // namespace breakeven
