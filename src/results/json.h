// The JSON of result files, and of what other files have in common with them.
#pragma once

#include <string>

#include "json/fields.h"
#include "results/result.h"

namespace breakeven {

void fields(Fields& f, BackendRecord& backend);
void fields(Fields& f, Host& host);
void fields(Fields& f, MachineSpeed& speed);
void fields(Fields& f, Parameters& parameters);

/// Says what of it cannot be; empty for what can.
std::string fault_of(const MachineSpeed& speed);

/// Of JSON of a result file. Throws JsonError, which names the place but not the file.
Result result_from(const Json& json);

}  // namespace breakeven
