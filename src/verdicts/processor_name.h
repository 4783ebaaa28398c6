// The name of a processor in tables and sentences: short, and known to people.
#pragma once

#include <string>
#include <string_view>

#include "results/result.h"

namespace breakeven {

/// "Zen 4", "Sapphire Rapids", "Neoverse V2": from the numbers of cpu_identity() (host/cpu.h). Empty if this
/// program does not know the numbers.
std::string processor_generation(std::string_view identity);

/// "EPYC 9654", "Xeon Platinum 8480+". If the kernel's name has no model, as in virtual machines, with the
/// generation: "EPYC Zen 4". If that is unknown too, the kernel's name without its marks.
std::string processor_name(const Host& host);

}  // namespace breakeven
