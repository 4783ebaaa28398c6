// What a processor is called in tables and sentences: short, and known to people.
#pragma once

#include <string>
#include <string_view>

#include "results/result.h"

namespace breakeven {

/// "Zen 4", "Sapphire Rapids", "Neoverse V2": by the numbers of host/cpu.h's cpu_identity(). Empty where the
/// numbers are none that this program knows.
std::string processor_generation(std::string_view identity);

/// "EPYC 9654", "Xeon Platinum 8480+"; where the kernel's name says no model, as in virtual machines, with
/// the generation: "EPYC Zen 4"; and where that is not known either, the kernel's name without its marks.
std::string processor_name(const Host& host);

}  // namespace breakeven
