// JSON of result files, and of the parts that other files share with them.
#pragma once

#include <string>

#include "json/fields.h"
#include "results/result.h"

namespace breakeven {

void fields(Fields& f, BackendRecord& backend);
void fields(Fields& f, Host& host);
void fields(Fields& f, MachineSpeed& speed);
void fields(Fields& f, Parameters& parameters);

/// Describes an impossible value; empty if there is none.
std::string fault_of(const MachineSpeed& speed);

/// Reads a result from a file's JSON. Throws JsonError, which names the place but not the file.
Result result_from(const Json& json);

}  // namespace breakeven
