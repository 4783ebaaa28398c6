// Identifies the machine that a file was measured on, names its processor, and gives machines that share a
// name different names.
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "results/result.h"

namespace breakeven {

/// A key that is equal for files of one machine. The name is not enough: virtual machines often share a name,
/// and processors of several generations share a model name ("AMD EPYC"). So the key includes the processors'
/// own numbers and instruction sets.
std::string machine_key(const Host& host);

/// The processors' own numbers, or the statement that they are not known.
std::string identity_text(const Host& host);

/// Sets the processors' own numbers for files of versions that did not record them: those of the only other
/// machine that agrees with everything such a file records. If there is none, or there are several, they stay
/// unknown.
void complete_identities(std::span<Host* const> hosts);

/// A user's name for the machine of a file. It is used wherever the machine is mentioned.
struct MachineLabel {
  std::filesystem::path file;
  std::string name;
};

/// Thrown for a label that is not possible. The message names the file, the name and the remedy.
class LabelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Applies the labels to the machines of the labelled files, and so to all files of those machines. `files`
/// are the files of `hosts`. Throws LabelError for a file that is not among them, an empty name, two names
/// for one machine, or one name for two machines. Call it before tell_machines_apart().
void apply_labels(std::span<Host* const> hosts, std::span<const std::filesystem::path> files,
                  std::span<const MachineLabel> labels);

/// Gives each machine a unique name. Where several share one, adds their processors, the number of CPUs, or
/// whatever else distinguishes them.
void tell_machines_apart(std::span<Host* const> hosts);

// ---- processors

/// The generation: "Zen 4", "Sapphire Rapids", "Neoverse V2". Determined from the numbers in cpu_identity()
/// (host/cpu.h); empty if this program does not know them.
std::string processor_generation(std::string_view identity);

/// The processor's name: "EPYC 9654", "Xeon Platinum 8480+". If the kernel's name has no model number, as in
/// virtual machines, with the generation: "EPYC Zen 4". If that is unknown too, the kernel's name without
/// trademark signs.
std::string processor_name(const Host& host);

}  // namespace breakeven
