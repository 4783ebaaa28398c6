// What other files than results have in common with them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/json_reader.h"
#include "results/result.h"

namespace breakeven {

/// JSON has no NaN or infinity, and 0 must not stand for unknown: null does.
nlohmann::ordered_json number_or_null(double value);
nlohmann::ordered_json number_or_null(const std::optional<double>& value);
nlohmann::ordered_json numbers_or_nulls(const std::vector<double>& values);

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// A config's text as JSON; null where it is none.
nlohmann::ordered_json config_json(const std::string& text);

nlohmann::ordered_json to_json(const BackendRecord& backend);
nlohmann::ordered_json to_json(const Host& host);
BackendRecord read_backend(const JsonReader& in);
Host read_host(const JsonReader& in);
nlohmann::ordered_json to_json(const MachineSpeed& speed);
/// Says what of it cannot be; empty for what can.
std::string fault_of(const MachineSpeed& speed);
/// `machine_speed` of a document; empty if it has none.
std::optional<MachineSpeed> read_machine_speed(const JsonReader& in);

/// Of JSON of a result file. Throws ResultError, which names the place but not the file.
Result result_from(const nlohmann::ordered_json& json);

/// `params` of a case.
Parameters read_parameters(const JsonReader& in);
/// `key` names a status.
Status read_status(const JsonReader& in, const char* key);

/// Text that is always valid: a library's message may hold bytes that are not UTF-8.
std::string text_of(const nlohmann::ordered_json& json);

}  // namespace breakeven
