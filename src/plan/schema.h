// The JSON Schema of configs, made from what the workloads say of themselves, so that it cannot drift.
#pragma once

#include <string>

namespace breakeven {

/// Draft 2020-12, indented, with a newline at its end: the text of configs/breakeven.schema.json.
std::string config_schema();

}  // namespace breakeven
