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
/// own numbers and instruction sets, and the names of the GPUs. A user's name for a machine counts in place
/// of its GPUs.
std::string machine_key(const Host& host);

/// The names of the GPUs, each once; "CPU alone" if there is none.
std::string gpus_text(const Host& host);

/// The processors' own numbers, or the statement that they are not known.
std::string identity_text(const Host& host);

/// Names hosts as their files do (`run --machine`). Another name of the host alone does not make another
/// machine then.
void take_recorded_names(std::span<Host* const> hosts);

/// Sets the processors' own numbers for files of versions that did not record them: those of the only other
/// machine that agrees with everything such a file records. If there is none, or there are several, they stay
/// unknown.
void complete_identities(std::span<Host* const> hosts);

/// Gives all hosts of one machine the same list of GPUs, because a file lists only those that its backends
/// computed on. Lists are of one machine if everything else agrees and they have the same names or a GPU in
/// common. A host without GPUs is the only machine that agrees with it in everything else; if there are
/// several with different GPUs, it remains one of its own.
void complete_gpus(std::span<Host* const> hosts);

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

/// Gives files that record no name the name of the only other machine that agrees with them in everything,
/// and applies the labels to the machines of the labelled files, and so to all files of those machines. Two
/// names for files of one machine make them two machines, and one name makes files that differ in their GPUs
/// alone one machine. Unlike processors whose files record one name are no longer labelled. `files` has the
/// file of each host; a label names the first host of its file. Throws LabelError for a file that is not
/// among them, an empty name, two names for one file, one name for different processors, or a file without a
/// name whose machine has two. Call it after take_recorded_names() and complete_gpus(), and before
/// tell_machines_apart().
void apply_labels(std::span<Host* const> hosts, std::span<const std::filesystem::path> files,
                  std::span<const MachineLabel> labels);

/// Gives each machine a unique name. Where several share one, adds their short names, or whatever else
/// distinguishes them.
void tell_machines_apart(std::span<Host* const> hosts);

// ---- processors

/// The generation: "Zen 4", "Sapphire Rapids", "Neoverse V2". Determined from the numbers in cpu_identity()
/// (host/cpu.h); empty if this program does not know them.
std::string processor_generation(std::string_view identity);

/// The processor's name: "EPYC 9654", "Xeon Platinum 8480+". If the kernel's name has no model number, as in
/// virtual machines, the generation: "Zen 4". If that is unknown as well, the kernel's name without trademark
/// signs.
std::string processor_name(const Host& host);

/// A GPU's name without its maker and the size of its memory: "H100" for "NVIDIA H100 80GB HBM3".
std::string short_gpu_name(const std::string& name);

/// A machine's short name, which several may share: its GPUs, or its processor and cores: "H200", "2 x L4",
/// "Zen 5, 2 cores".
std::string short_name(const Host& host);

}  // namespace breakeven
