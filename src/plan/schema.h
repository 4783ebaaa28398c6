// Generates the JSON Schema of configs from the descriptions of the workloads, so that it always matches
// them.
#pragma once

#include <string>

namespace breakeven {

/// Returns the schema, JSON Schema draft 2020-12, indented and ending with a newline: the text of
/// configs/breakeven.schema.json.
std::string config_schema();

}  // namespace breakeven
