// Makes a short, familiar name of a processor for tables and sentences.
#pragma once

#include <string>
#include <string_view>

#include "results/result.h"

namespace breakeven {

/// The generation: "Zen 4", "Sapphire Rapids", "Neoverse V2". Determined from the numbers in cpu_identity()
/// (host/cpu.h); empty if this program does not know them.
std::string processor_generation(std::string_view identity);

/// The processor's name: "EPYC 9654", "Xeon Platinum 8480+". If the kernel's name has no model number, as in
/// virtual machines, with the generation: "EPYC Zen 4". If that is unknown too, the kernel's name without
/// trademark signs.
std::string processor_name(const Host& host);

}  // namespace breakeven
