#include "protocol/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "json/fields.h"
#include "json/text.h"
#include "protocol/foreign_text.h"
#include "protocol/possible_seconds.h"

namespace breakeven {
namespace {

/// The number of bytes of a name that a message quotes, because another program may send a name as long as a
/// line.
constexpr std::size_t longest_name = 100;

/// Limits far beyond any real message. Without them a line of a few MiB could need gigabytes, the whole
/// stack, or minutes, because the time to look up a key grows with the number of keys.
constexpr std::size_t most_levels = 32, most_keys = most_members, most_numbers = std::size_t{8} << 20U;

/// Throws ProtocolError if the line exceeds a limit. Does not check whether it is JSON.
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
    if (levels <= most_levels && keys <= most_keys && values <= most_numbers) continue;
    throw ProtocolError(fmt::format("more than {} in {}",
                                    levels > most_levels
                                        ? fmt::format("{} levels of lists and objects", most_levels)
                                    : keys > most_keys ? fmt::format("{} keys", most_keys)
                                                       : fmt::format("{} values", most_numbers),
                                    quote_line(line)));
  }
}

Json parse_object(const std::string& line) {
  check_size(line);
  // The parser would stop at a NUL, whatever follows it.
  const bool is_text = line.find('\0') == std::string::npos;
  Json object = is_text ? Json::parse(line, nullptr, /*allow_exceptions=*/false) : Json();
  if (!object.is_object()) throw ProtocolError(fmt::format("not a JSON object: {}", quote_line(line)));
  return object;
}

/// Applies `read` to the object in the line. The ProtocolError for a missing or wrong field quotes the line.
template <typename Read>
auto read_line(const std::string& line, const Read& read) {
  const Json object = parse_object(line);
  try {
    return read(JsonReader(object));
  } catch (const JsonError& e) {
    const std::string member =
        e.pointer().empty() ? "" : fmt::format("'{}' ", shorten_text(e.pointer().substr(1), longest_name));
    throw ProtocolError(fmt::format("{}{} in {}", member, e.problem(), quote_line(line)));
  }
}

/// All parameters except those that older programs do not know and do not need.
Json parameters_to_tell(const Case& problem) {
  Json told = to_json(problem.parameters);
  const auto changed = not_at_default(problem.workload->parameters(), problem.parameters);
  for (const Parameter& parameter : problem.workload->parameters()) {
    const bool needed = std::any_of(changed.begin(), changed.end(),
                                    [&](const auto& c) { return c.first == parameter.added_with; });
    if (!parameter.added_with.empty() && !needed) told.erase(parameter.name);
  }
  return told;
}

// ---- requests

void case_members(Fields& f, Case& problem, std::uint64_t& seed) {
  if (f.writes()) {
    f.derived("op", problem.workload->op());
    f.derived("parameters", parameters_to_tell(problem));
    f.derived("seed", seed);
    return;
  }
  const auto op = f.reader().get<std::string>("op");
  const Workload* workload = find_workload(op);
  if (workload == nullptr)
    throw ProtocolError(fmt::format("unknown op '{}'", shorten_text(op, longest_name)));
  problem = make_case(*workload, parameters_from_json(f.reader().at("parameters")));
  seed = f.reader().get<std::uint64_t>("seed");
}

void members(Fields& f, request::Hello& r) {
  f.required("protocol", r.protocol);
  f.optional("threads", r.threads);
  if (f.writes() && r.hosts.empty()) return;
  f.optional("hosts", r.hosts);
  f.optional("leader", r.leader);
  f.optional("leader_port", r.leader_port);
}
void members(Fields& f, request::Prepare& r) {
  case_members(f, r.problem, r.seed);
  std::string cache = r.cold ? "cold" : "warm";
  f.optional("cache", cache);
  r.cold = cache == "cold";
  if (f.writes() ? r.threads != 0 : f.reader().find("threads") != nullptr) {
    f.required("threads", r.threads);
    f.expect(r.threads >= 1, "'threads' is {} and must be at least 1", r.threads);
  }
  if (f.reads()) return;
  // For programs that do not know the workloads; those in C++ ask Workload.
  const Workload& workload = *r.problem.workload;
  f.derived("memory_bytes", workload.memory(r.problem.parameters));
  if (workload.measures_latency()) f.derived("measures_latency", true);
  if (const Parameters resolved = workload.resolved(r.problem.parameters); !resolved.entries().empty())
    f.derived("resolved", to_json(resolved));
}
void members(Fields& f, request::Expect& r) {
  case_members(f, r.problem, r.seed);
  f.required("elements", r.elements);
}
void members(Fields& f, request::Verify& r) {
  f.required("elements", r.elements);
}
void members(Fields& f, request::Sample& r) {
  f.required("iterations", r.iterations);
  f.expect(r.iterations >= 1, "'iterations' is {} and must be at least 1", r.iterations);
  if (f.reads() || !r.device_seconds) f.optional("device_seconds", r.device_seconds);
}

// ---- answers

/// Requires a time that a clock can have measured.
void required_seconds(Fields& f, double& seconds) {
  f.required("seconds", seconds);
  f.expect(is_possible(seconds), "'seconds' is {} and must be from {:g} to {:g}", seconds, shortest_seconds,
           longest_seconds);
}

/// An amount of time or energy, at least 0; null stands for unknown.
void optional_amount(Fields& f, const char* key, std::optional<double>& value) {
  f.optional(key, value);
  const double amount = value.value_or(0);
  f.expect(amount >= 0 && std::isfinite(amount), "'{}' is {} and must not be below 0", key, amount);
}

void rank_members(Fields& f, answer::Rank& rank) {
  f.required("host", rank.host);
  f.required("pid", rank.pid);
  f.optional("threads", rank.threads);
  f.expect(rank.threads >= 1, "has {} threads", rank.threads);
  f.if_set("cpus", rank.cpus);
  f.if_set("device_id", rank.device_id);
}

void variant_members(Fields& f, answer::Variant& variant) {
  f.required("name", variant.name);
  f.required("environment", variant.environment);
}

void members(Fields& f, answer::Hello& a) {
  f.required("protocol", a.protocol);
  if (a.protocol != protocol_version)
    throw ProtocolError(
        fmt::format("speaks protocol {}, and this driver {}; {}", a.protocol, protocol_version,
                    a.protocol > protocol_version ? "use a driver that is at least as new as the program"
                                                  : "build the program again, as new as the driver"));
  f.required("name", a.name);
  f.optional("version", a.version);
  f.optional("role", a.role);
  f.optional("device", a.device);
  f.optional("device_name", a.device_name);
  f.if_set("device_id", a.device_id);
  f.optional("libraries", a.libraries);
  f.if_set("library_files", a.library_files);
  if (f.reads()) {
    std::sort(a.libraries.begin(), a.libraries.end());
    std::sort(a.library_files.begin(), a.library_files.end());
  }
  f.required("supports", a.supports);
  f.optional("unreadable", a.unreadable);
  f.if_set("warnings", a.warnings);
  f.if_set("notes", a.notes);
  if (f.writes() ? !a.ranks.empty() : f.reader().find("ranks") != nullptr)
    f.objects("ranks", a.ranks, rank_members);
  if (f.reads() || !a.variant.empty()) f.optional("variant", a.variant);
  if (f.writes() ? !a.variants.empty() : f.reader().find("variants") != nullptr)
    f.objects("variants", a.variants, variant_members);
  if (f.reads() || a.takes_threads) f.optional("takes_threads", a.takes_threads);
}

void members(Fields& f, answer::Ready& a) {
  f.optional("algorithm", a.algorithm);
  f.optional("transfer", a.transfer);
  if (f.reads() || a.operand_sets != 1) f.optional("operand_sets", a.operand_sets);
}

void evidence_members(Fields& f, Evidence& a) {
  f.optional("elements", a.elements);
  f.optional("projections", a.projections);
  f.optional("losses", a.losses);
}

/// A reference result may have alternatives that are equally right; those have none.
void members(Fields& f, Evidence& a) {
  constexpr std::size_t most_alternatives = 4;
  evidence_members(f, a);
  if (f.writes() ? a.alternatives.empty() : f.reader().find("alternatives") == nullptr) return;
  f.objects("alternatives", a.alternatives, [](Fields& one, Evidence& alternative) {
    one.derived("ok", true);
    evidence_members(one, alternative);
    one.expect(one.writes() || !one.reader().json().contains("alternatives"),
               "must have no alternatives of its own");
  });
  f.expect(a.alternatives.size() <= most_alternatives, "'alternatives' must be a list of at most {} objects",
           most_alternatives);
}

void members(Fields& f, answer::Sample& a) {
  f.required("iterations", a.iterations);
  // A clock that stood still or went back costs the sample, which the driver sees to, and not the program.
  f.required("seconds", a.seconds);
  f.expect(std::isfinite(a.seconds), "'seconds' is {} and must be a number", a.seconds);
  optional_amount(f, "cpu_seconds", a.cpu_seconds);
  optional_amount(f, "device_seconds", a.device_seconds);
  optional_amount(f, "joules", a.joules);
  if (f.reads() || a.communication_seconds) f.optional("communication_seconds", a.communication_seconds);
  f.expect(std::isfinite(a.communication_seconds.value_or(0)), "'communication_seconds' is {}",
           a.communication_seconds.value_or(0));
  f.if_set("latencies", a.latencies);
  for (const double latency : a.latencies)  // one per iteration; none may be unknown
    f.expect(std::isfinite(latency), "'latencies' holds {}, which is no time", latency);
  f.if_set("losses", a.losses);
  f.if_set("warnings", a.warnings);
}

void members(Fields& f, answer::Epoch& a) {
  required_seconds(f, a.seconds);
  std::optional<double> evaluation_seconds = a.evaluation_seconds;
  optional_amount(f, "evaluation_seconds", evaluation_seconds);
  a.evaluation_seconds = evaluation_seconds.value_or(0);
  f.required("accuracy", a.accuracy);
  f.expect(a.accuracy >= 0 && a.accuracy <= 1, "'accuracy' is {} and must be from 0 to 1", a.accuracy);
  f.optional("losses", a.losses);
}

void members(Fields& f, Fit& a) {
  f.required("largest", a.largest);
  f.required("refused", a.refused);
  f.optional("limit", a.limit);
  f.expect(a.largest >= 0 && (a.refused == 0 || a.refused > a.largest), "'largest' is {} and 'refused' {}",
           a.largest, a.refused);
}

void members(Fields& f, answer::Refusal& a) {
  // The reason is shown in tables. A traceback or a compiler's whole output belongs on standard error.
  constexpr std::size_t longest_reason = 2000;
  if (f.reads()) a.reason = "no reason given";
  f.optional("status", a.status);
  f.optional("reason", a.reason);
  if (f.reads() || a.is_last) f.optional("last", a.is_last);
  if (f.reads() || a.in_every_case) f.optional("in_every_case", a.in_every_case);
  if (f.writes()) return;
  a.reason = shorten_text(a.reason, longest_reason);
  if (a.status != "unsupported" && a.status != "out_of_memory" && a.status != "failed")
    f.fail(fmt::format("'status' of a refusal is '{}' and must be unsupported, out_of_memory or failed",
                       shorten_text(a.status, longest_name)));
}

// ---- ranks

void members(Fields& f, Introduction& i) {
  f.required("token", i.token);
  f.optional("fault", i.fault);
  f.optional("rank", i.rank);
  f.optional("host", i.host);
  f.optional("pid", i.pid);
  f.optional("program", i.program);
  f.optional("port", i.port);
  f.optional("beats", i.beats);
}

// ---- all

template <typename Message>
void all_members(Fields& f, Message& message) {
  if constexpr (!std::is_empty_v<Message>) members(f, message);
}

template <typename Message, typename Result = Message>
Result read(const JsonReader& in) {
  Message message;
  Fields f(in);
  all_members(f, message);
  return message;
}

/// Adds the message to `object`, which has its kind.
template <typename Messages>
std::string line_of(Json object, Messages messages) {
  Fields f(object);
  std::visit([&](auto& message) { all_members(f, message); }, messages);
  return text_of(object);
}

struct RequestKind {
  std::string_view name;
  Request (*read)(const JsonReader& in);
};

/// In the order of Request.
constexpr std::array<RequestKind, std::variant_size_v<Request>> request_kinds{{
    {"hello", read<request::Hello, Request>},
    {"prepare", read<request::Prepare, Request>},
    {"expect", read<request::Expect, Request>},
    {"verify", read<request::Verify, Request>},
    {"sample", read<request::Sample, Request>},
    {"epoch", read<request::Epoch, Request>},
    {"fit", read<request::Fit, Request>},
    {"release", read<request::Release, Request>},
    {"quit", read<request::Quit, Request>},
}};

Request read_request(const JsonReader& in) {
  const auto kind = in.get<std::string>("request");
  for (const RequestKind& known : request_kinds) {
    if (known.name == kind) return known.read(in);
  }
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
  return line_of({{"request", request_kinds.at(request.index()).name}}, request);
}

Request parse_request(const std::string& line) {
  return read_line(line, read_request);
}

std::size_t longest_answer(const std::string& request) {
  constexpr std::size_t text = std::size_t{1} << 20U, most = std::size_t{64} << 20U;
  constexpr std::size_t number = 32;  // characters of a number and its separator
  const Json object = Json::parse(request, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return text;
  if (const auto kind = object.find("request"); kind != object.end() && *kind == "epoch") return most;
  std::size_t numbers = 0;
  if (const auto elements = object.find("elements"); elements != object.end()) numbers = elements->size();
  if (const auto found = object.find("iterations"); found != object.end()) {
    const auto iterations = exactly<std::int64_t>(*found).value_or(0);
    // One latency and one loss per iteration.
    numbers = 2 * static_cast<std::size_t>(std::clamp<std::int64_t>(iterations, 0, most / number));
  }
  return std::min(most, text + number * numbers);
}

std::string to_line(const Answer& answer) {
  return line_of({{"ok", !std::holds_alternative<answer::Refusal>(answer)}}, answer);
}

template <typename T>
std::variant<T, answer::Refusal> parse_answer(const std::string& line) {
  return read_line(line, [](const JsonReader& in) -> std::variant<T, answer::Refusal> {
    if (!in.get<bool>("ok")) return read<answer::Refusal>(in);
    return read<T>(in);
  });
}

template std::variant<answer::Hello, answer::Refusal> parse_answer(const std::string&);
template std::variant<answer::Ready, answer::Refusal> parse_answer(const std::string&);
template std::variant<Evidence, answer::Refusal> parse_answer(const std::string&);
template std::variant<answer::Sample, answer::Refusal> parse_answer(const std::string&);
template std::variant<answer::Epoch, answer::Refusal> parse_answer(const std::string&);
template std::variant<Fit, answer::Refusal> parse_answer(const std::string&);
template std::variant<answer::Done, answer::Refusal> parse_answer(const std::string&);

std::string to_line(const Introduction& introduction) {
  return line_of(Json::object(), std::variant<Introduction>(introduction));
}

Introduction parse_introduction(const std::string& line) {
  return read_line(line, read<Introduction>);
}

bool has_simulated_clock(const std::vector<std::pair<std::string, std::string>>& libraries) {
  return std::ranges::any_of(libraries,
                             [](const auto& library) { return library.first == simulated_clock_library; });
}

}  // namespace breakeven
