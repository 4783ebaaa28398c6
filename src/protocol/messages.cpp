#include "protocol/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "json/value.h"
#include "protocol/foreign_text.h"

namespace breakeven {
namespace {

/// A field that is missing or wrong. Whoever knows the line adds it.
class FieldError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A message quotes this much of a name: another program may have made up one that is as long as a line.
constexpr std::size_t longest_name = 100;

/// What no message comes near. Without these limits a line of a few MiB takes gigabytes, or the stack, or
/// minutes: looking up a key takes as long as the object has keys.
constexpr std::size_t most_levels = 32, most_keys = 4096, most_values = std::size_t{8} << 20U;

/// Throws ProtocolError if the line is beyond a limit. Whether it is JSON is not looked at.
void check_size(std::string_view line) {
  std::size_t levels = 0, keys = 0, values = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
      continue;
    }
    in_text = c == '"';
    keys += c == ':' ? 1 : 0;
    values += c == ',' ? 1 : 0;
    if (c == '[' || c == '{') ++levels;
    if ((c == ']' || c == '}') && levels > 0) --levels;
    if (levels <= most_levels && keys <= most_keys && values <= most_values) continue;
    throw ProtocolError(fmt::format("more than {} in {}",
                                    levels > most_levels
                                        ? fmt::format("{} levels of lists and objects", most_levels)
                                    : keys > most_keys ? fmt::format("{} keys", most_keys)
                                                       : fmt::format("{} values", most_values),
                                    quote_line(line)));
  }
}

Json parse_object(const std::string& line) {
  check_size(line);
  // The parser takes a NUL for the end, whatever is behind it.
  const bool is_text = line.find('\0') == std::string::npos;
  Json object = is_text ? Json::parse(line, nullptr, /*allow_exceptions=*/false) : Json();
  if (!object.is_object()) throw ProtocolError(fmt::format("not a JSON object: {}", quote_line(line)));
  return object;
}

/// What `read` makes of the line's object. The ProtocolError for a field that is missing or wrong quotes the
/// line.
template <typename Read>
auto read_line(const std::string& line, const Read& read) {
  const Json object = parse_object(line);
  try {
    return read(object);
  } catch (const FieldError& e) {
    throw ProtocolError(fmt::format("{} in {}", e.what(), quote_line(line)));
  }
}

template <typename T>
T get(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw FieldError(fmt::format("'{}' is missing", key));
  if (auto value = exactly<T>(*found)) return *std::move(value);
  throw FieldError(fmt::format("'{}' is of the wrong type", key));
}

template <typename T>
T get_or(const Json& object, const char* key, T otherwise) {
  return object.contains(key) ? get<T>(object, key) : otherwise;
}

/// Null stands for unknown. No time and no energy is below 0.
std::optional<double> get_optional(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  const auto value = get<double>(object, key);
  if (!(value >= 0) || !std::isfinite(value))
    throw FieldError(fmt::format("'{}' is {} and must not be below 0", key, value));
  return value;
}

/// JSON has no NaN or infinity: null stands for them.
Json numbers(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
  return array;
}

std::vector<double> get_numbers(const Json& object, const char* key) {
  std::vector<double> values;
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return values;
  if (!found->is_array()) throw FieldError(fmt::format("'{}' is not a list", key));
  values.reserve(found->size());
  for (const auto& value : *found) {
    if (!value.is_number() && !value.is_null())
      throw FieldError(fmt::format("'{}' holds {}, which is no number", key, quote_line(value.dump())));
    values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  }
  return values;
}

/// Of every iteration, in seconds: there is none that is unknown.
std::vector<double> get_latencies(const Json& object) {
  auto latencies = get_numbers(object, "latencies");
  for (const double latency : latencies) {
    if (!(latency >= 0) || !std::isfinite(latency))
      throw FieldError(fmt::format("'latencies' holds {}, which is no time", latency));
  }
  return latencies;
}

Case get_case(const Json& object) {
  const auto op = get<std::string>(object, "op");
  const Workload* workload = find_workload(op);
  if (workload == nullptr)
    throw ProtocolError(fmt::format("unknown op '{}'", shorten_text(op, longest_name)));
  return make_case(*workload, parameters_from_json(get<Json>(object, "parameters")));
}

/// All parameters but those that older programs do not know and can do without.
Json parameters_to_tell(const Case& problem) {
  Json told = to_json(problem.parameters);
  const auto changed = not_at_fallback(problem.workload->parameters(), problem.parameters);
  for (const Parameter& parameter : problem.workload->parameters()) {
    const bool needed = std::any_of(changed.begin(), changed.end(),
                                    [&](const auto& c) { return c.first == parameter.added_with; });
    if (!parameter.added_with.empty() && !needed) told.erase(parameter.name);
  }
  return told;
}

void put_case(Json& object, const Case& problem, std::uint64_t seed) {
  object["op"] = problem.workload->op();
  object["parameters"] = parameters_to_tell(problem);
  object["seed"] = seed;
}

Json to_object(const request::Hello& r) {
  return {{"request", "hello"}, {"protocol", r.protocol}, {"threads", r.threads}};
}
Json to_object(const request::Prepare& r) {
  Json object{{"request", "prepare"}};
  put_case(object, r.problem, r.seed);
  object["cache"] = r.cold ? "cold" : "warm";
  return object;
}
Json to_object(const request::Expect& r) {
  Json object{{"request", "expect"}};
  put_case(object, r.problem, r.seed);
  object["elements"] = r.elements;
  return object;
}
Json to_object(const request::Verify& r) {
  return {{"request", "verify"}, {"elements", r.elements}};
}
Json to_object(const request::Sample& r) {
  Json object{{"request", "sample"}, {"iterations", r.iterations}};
  if (!r.device_seconds) object["device_seconds"] = false;
  return object;
}
Json to_object(const request::Epoch&) {
  return {{"request", "epoch"}};
}
Json to_object(const request::Fit&) {
  return {{"request", "fit"}};
}
Json to_object(const request::Release&) {
  return {{"request", "release"}};
}
Json to_object(const request::Quit&) {
  return {{"request", "quit"}};
}

Json optional_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json to_object(const answer::Hello& a) {
  Json object{{"ok", true},
              {"protocol", a.protocol},
              {"name", a.name},
              {"version", a.version},
              {"role", a.role},
              {"device", a.device},
              {"device_name", a.device_name}};
  if (!a.device_id.empty()) object["device_id"] = a.device_id;
  object["libraries"] = Json::object();
  for (const auto& [name, version] : a.libraries) object["libraries"][name] = version;
  for (const auto& [name, file] : a.library_files) object["library_files"][name] = file;
  object["supports"] = Json::object();
  for (const auto& [op, dtypes] : a.supports) object["supports"][op] = dtypes;
  object["unreadable"] = a.unreadable;
  if (!a.warnings.empty()) object["warnings"] = a.warnings;
  if (!a.notes.empty()) object["notes"] = a.notes;
  return object;
}
Json to_object(const answer::Ready& a) {
  Json object{{"ok", true}, {"algorithm", a.algorithm}, {"transfer", a.transfer}};
  if (a.operand_sets != 1) object["operand_sets"] = a.operand_sets;
  return object;
}
Json to_object(const Evidence& a) {
  Json object{{"ok", true}, {"elements", numbers(a.elements)}, {"projections", numbers(a.projections)}};
  object["losses"] = numbers(a.losses);
  for (const Evidence& alternative : a.alternatives) object["alternatives"].push_back(to_object(alternative));
  return object;
}
Json to_object(const answer::Sample& a) {
  Json object{{"ok", true}, {"iterations", a.iterations}, {"seconds", a.seconds}};
  object["cpu_seconds"] = optional_number(a.cpu_seconds);
  object["device_seconds"] = optional_number(a.device_seconds);
  object["joules"] = optional_number(a.joules);
  if (!a.latencies.empty()) object["latencies"] = numbers(a.latencies);
  if (!a.losses.empty()) object["losses"] = numbers(a.losses);
  if (!a.warnings.empty()) object["warnings"] = a.warnings;
  return object;
}
Json to_object(const answer::Epoch& a) {
  Json object{{"ok", true},
              {"seconds", a.seconds},
              {"evaluation_seconds", a.evaluation_seconds},
              {"accuracy", a.accuracy}};
  object["losses"] = numbers(a.losses);
  return object;
}
Json to_object(const Fit& a) {
  return {{"ok", true}, {"largest", a.largest}, {"refused", a.refused}, {"limit", a.limit}};
}
Json to_object(const answer::Done&) {
  return {{"ok", true}};
}
Json to_object(const answer::Refusal& a) {
  return {{"ok", false}, {"status", a.status}, {"reason", a.reason}};
}

void read(const Json& object, answer::Hello& a) {
  a.protocol = get<int>(object, "protocol");
  if (a.protocol != protocol_version)
    throw ProtocolError(
        fmt::format("speaks protocol {}, and this driver {}; {}", a.protocol, protocol_version,
                    a.protocol > protocol_version ? "use a driver that is at least as new as the program"
                                                  : "build the program again, as new as the driver"));
  a.name = get<std::string>(object, "name");
  a.version = get_or<std::string>(object, "version", "");
  a.role = get_or<std::string>(object, "role", a.role);
  a.device = get_or<std::string>(object, "device", a.device);
  a.device_name = get_or<std::string>(object, "device_name", "");
  a.device_id = get_or<std::string>(object, "device_id", "");
  for (const auto& [name, version] : get_or<std::map<std::string, std::string>>(object, "libraries", {})) {
    a.libraries.emplace_back(name, version);
  }
  for (const auto& [name, file] : get_or<std::map<std::string, std::string>>(object, "library_files", {})) {
    a.library_files.emplace_back(name, file);
  }
  for (const auto& [op, dtypes] : get<std::map<std::string, std::vector<std::string>>>(object, "supports")) {
    a.supports.emplace_back(op, dtypes);
  }
  a.unreadable = get_or<std::map<std::string, std::string>>(object, "unreadable", {});
  a.warnings = get_or<std::vector<std::string>>(object, "warnings", {});
  a.notes = get_or<std::vector<std::string>>(object, "notes", {});
}
void read(const Json& object, answer::Ready& a) {
  a.algorithm = get_or<std::string>(object, "algorithm", "");
  a.transfer = get_or<std::string>(object, "transfer", "resident");
  a.operand_sets = get_or<std::int64_t>(object, "operand_sets", 1);
}
void read(const Json& object, Evidence& a) {
  a.elements = get_numbers(object, "elements");
  a.projections = get_numbers(object, "projections");
  a.losses = get_numbers(object, "losses");
  constexpr std::size_t most_alternatives = 4;
  const auto found = object.find("alternatives");
  if (found == object.end()) return;
  if (!found->is_array() || found->size() > most_alternatives)
    throw FieldError(fmt::format("'alternatives' must be a list of at most {} objects", most_alternatives));
  for (const Json& alternative : *found) {
    if (!alternative.is_object() || alternative.contains("alternatives"))
      throw FieldError("'alternatives' must hold objects without any of their own");
    read(alternative, a.alternatives.emplace_back());
  }
}
double get_seconds(const Json& object) {
  const auto seconds = get<double>(object, "seconds");
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw FieldError(fmt::format("'seconds' is {} and must be above 0", seconds));
  return seconds;
}

void read(const Json& object, answer::Sample& a) {
  a.iterations = get<std::int64_t>(object, "iterations");
  a.seconds = get_seconds(object);
  a.cpu_seconds = get_optional(object, "cpu_seconds");
  a.device_seconds = get_optional(object, "device_seconds");
  a.joules = get_optional(object, "joules");
  a.latencies = get_latencies(object);
  a.losses = get_numbers(object, "losses");
  a.warnings = get_or<std::vector<std::string>>(object, "warnings", {});
}
void read(const Json& object, answer::Epoch& a) {
  a.seconds = get_seconds(object);
  a.evaluation_seconds = get_optional(object, "evaluation_seconds").value_or(0);
  a.accuracy = get<double>(object, "accuracy");
  if (!(a.accuracy >= 0 && a.accuracy <= 1))
    throw FieldError(fmt::format("'accuracy' is {} and must be from 0 to 1", a.accuracy));
  a.losses = get_numbers(object, "losses");
}
void read(const Json& object, Fit& a) {
  a.largest = get<std::int64_t>(object, "largest");
  a.refused = get<std::int64_t>(object, "refused");
  a.limit = get_or<std::string>(object, "limit", "");
  if (a.largest < 0 || (a.refused != 0 && a.refused <= a.largest))
    throw FieldError(fmt::format("'largest' is {} and 'refused' {}", a.largest, a.refused));
}
void read(const Json&, answer::Done&) {}

answer::Refusal get_refusal(const Json& object) {
  // Shown in tables: a traceback or a compiler's whole output is for standard error.
  constexpr std::size_t longest_reason = 2000;
  answer::Refusal refusal{
      .status = get_or<std::string>(object, "status", "failed"),
      .reason = shorten_text(get_or<std::string>(object, "reason", "no reason given"), longest_reason)};
  if (refusal.status != "unsupported" && refusal.status != "out_of_memory" && refusal.status != "failed") {
    throw FieldError(
        fmt::format("'status' of a refusal is '{}' and must be unsupported, out_of_memory or failed",
                    shorten_text(refusal.status, longest_name)));
  }
  return refusal;
}

Request read_request(const Json& object) {
  const auto kind = get<std::string>(object, "request");
  if (kind == "hello")
    return request::Hello{.protocol = get<int>(object, "protocol"),
                          .threads = get_or<int>(object, "threads", 1)};
  if (kind == "prepare") {
    return request::Prepare{.problem = get_case(object),
                            .seed = get<std::uint64_t>(object, "seed"),
                            .cold = get_or<std::string>(object, "cache", "warm") == "cold"};
  }
  if (kind == "expect") {
    return request::Expect{.problem = get_case(object),
                           .seed = get<std::uint64_t>(object, "seed"),
                           .elements = get<std::vector<std::int64_t>>(object, "elements")};
  }
  if (kind == "verify")
    return request::Verify{.elements = get<std::vector<std::int64_t>>(object, "elements")};
  if (kind == "sample") {
    const auto iterations = get<std::int64_t>(object, "iterations");
    if (iterations < 1)
      throw FieldError(fmt::format("'iterations' is {} and must be at least 1", iterations));
    return request::Sample{.iterations = iterations,
                           .device_seconds = get_or<bool>(object, "device_seconds", true)};
  }
  if (kind == "epoch") return request::Epoch{};
  if (kind == "fit") return request::Fit{};
  if (kind == "release") return request::Release{};
  if (kind == "quit") return request::Quit{};
  throw ProtocolError(fmt::format("unknown request '{}'", shorten_text(kind, longest_name)));
}

}  // namespace

Json to_json(const Parameters& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters.entries()) {
    std::visit([&, key = name](const auto& v) { object[key] = v; }, value);
  }
  return object;
}

std::optional<Value> value_from_json(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (const auto integer = exactly<std::int64_t>(json)) return *integer;
  return exactly<double>(json);
}

Parameters parameters_from_json(const Json& object) {
  Parameters parameters;
  if (!object.is_object()) throw ProtocolError("'parameters' is not an object");
  for (const auto& [name, json] : object.items()) {
    auto value = value_from_json(json);
    if (!value)
      throw ProtocolError(fmt::format("parameter '{}' is neither number, string, true nor false",
                                      shorten_text(name, longest_name)));
    parameters.set(name, *std::move(value));
  }
  return parameters;
}

std::string to_line(const Request& request) {
  return std::visit([](const auto& r) { return to_object(r).dump(); }, request);
}

Request parse_request(const std::string& line) {
  return read_line(line, read_request);
}

std::size_t longest_answer(const std::string& request) {
  constexpr std::size_t text = std::size_t{1} << 20U, most = std::size_t{64} << 20U;
  constexpr std::size_t number = 32;  // characters, with what parts it from the next
  const Json object = Json::parse(request, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return text;
  if (const auto kind = object.find("request"); kind != object.end() && *kind == "epoch") return most;
  std::size_t numbers = 0;
  if (const auto elements = object.find("elements"); elements != object.end()) numbers = elements->size();
  if (const auto found = object.find("iterations"); found != object.end()) {
    const auto iterations = exactly<std::int64_t>(*found).value_or(0);
    // A latency and a loss each.
    numbers = 2 * static_cast<std::size_t>(std::clamp<std::int64_t>(iterations, 0, most / number));
  }
  return std::min(most, text + number * numbers);
}

std::string to_line(const Answer& answer) {
  // A library's message may hold bytes that are not UTF-8; they are replaced, not thrown on.
  return std::visit(
      [](const auto& a) { return to_object(a).dump(-1, ' ', false, Json::error_handler_t::replace); },
      answer);
}

template <typename T>
std::variant<T, answer::Refusal> parse_answer(const std::string& line) {
  return read_line(line, [](const Json& object) -> std::variant<T, answer::Refusal> {
    if (!get<bool>(object, "ok")) return get_refusal(object);
    T parsed;
    read(object, parsed);
    return parsed;
  });
}

template std::variant<answer::Hello, answer::Refusal> parse_answer(const std::string&);
template std::variant<answer::Ready, answer::Refusal> parse_answer(const std::string&);
template std::variant<Evidence, answer::Refusal> parse_answer(const std::string&);
template std::variant<answer::Sample, answer::Refusal> parse_answer(const std::string&);
template std::variant<answer::Epoch, answer::Refusal> parse_answer(const std::string&);
template std::variant<Fit, answer::Refusal> parse_answer(const std::string&);
template std::variant<answer::Done, answer::Refusal> parse_answer(const std::string&);

}  // namespace breakeven
