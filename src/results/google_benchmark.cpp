#include "results/google_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iomanip>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "json/reader.h"
#include "protocol/foreign_text.h"
#include "protocol/possible_seconds.h"
#include "results/json.h"
#include "results/reading.h"
#include "results/validation.h"
#include "statistics/summary.h"

namespace breakeven {
namespace {

/// A parser handler that stops at the first top-level key that shows the kind of the file.
class KindListener {
 public:
  /// Empty if no such key was found.
  std::optional<bool> google_benchmark() const { return google_benchmark_; }

  bool null() { return true; }
  bool boolean(bool /*value*/) { return true; }
  bool number_integer(Json::number_integer_t /*value*/) { return true; }
  bool number_unsigned(Json::number_unsigned_t /*value*/) { return true; }
  bool number_float(Json::number_float_t /*value*/, const std::string& /*text*/) { return true; }
  bool string(std::string& /*value*/) { return true; }
  bool binary(Json::binary_t& /*value*/) { return true; }
  bool start_object(std::size_t /*elements*/) { return descend(); }
  bool start_array(std::size_t /*elements*/) { return depth_ > 0 && descend(); }
  bool end_object() { return ascend(); }
  bool end_array() { return ascend(); }
  bool key(std::string& name) {
    if (depth_ != 1) return true;
    if (name == "context" || name == "benchmarks")
      google_benchmark_ = true;
    else if (name == "schema")
      google_benchmark_ = false;
    return !google_benchmark_;
  }
  static bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                          const Json::exception& /*error*/) {
    return false;
  }

 private:
  bool descend() {
    ++depth_;
    return true;
  }
  bool ascend() {
    --depth_;
    return true;
  }
  std::size_t depth_ = 0;
  std::optional<bool> google_benchmark_;
};

/// Empty if this part of a text does not show it.
std::optional<bool> shows_google_benchmark(const std::string& text) {
  KindListener listener;
  Json::sax_parse(text, &listener);
  return listener.google_benchmark();
}

/// Replaces bare NaN and Infinity, which Google Benchmark writes but JSON does not have, by null.
std::string without_bare_words(const std::string& text) {
  if (text.find("NaN") == std::string::npos && text.find("Infinity") == std::string::npos) return text;
  static constexpr std::array<std::string_view, 4> words{"-NaN", "NaN", "-Infinity", "Infinity"};
  std::string made;
  made.reserve(text.size() + text.size() / 16);
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    if (in_string && text[i] == '\\' && i + 1 < text.size()) {
      made.append(text, i, 2);
      i += 2;
      continue;
    }
    if (text[i] == '"') in_string = !in_string;
    std::size_t skipped = 0;
    for (const std::string_view word : words) {
      if (!in_string && text.compare(i, word.size(), word) == 0) skipped = word.size();
    }
    made += skipped > 0 ? std::string_view("null") : std::string_view(text).substr(i, 1);
    i += skipped > 0 ? skipped : 1;
  }
  return made;
}

/// Converts "2026-11-22T06:53:30+01:00" to UTC. Empty for anything else, such as the local time without a
/// zone that early versions wrote.
std::string utc(const std::string& date) {
  std::tm fields{};
  std::istringstream in(date);
  in >> std::get_time(&fields, "%Y-%m-%dT%H:%M:%S");
  char sign = 0;
  char colon = 0;
  int hours = 0;
  int minutes = 0;
  if (!in || !(in >> sign)) return {};
  if (sign != 'Z' && (!(in >> hours >> colon >> minutes) || (sign != '+' && sign != '-') || colon != ':'))
    return {};
  const std::time_t offset = (hours * std::time_t{60} + minutes) * 60;
  const std::time_t seconds = timegm(&fields) - (sign == '-' ? -offset : offset);
  if (gmtime_r(&seconds, &fields) == nullptr) return {};
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields)};
}

/// Describes caches: "L1 Data 32768, L2 Unified 524288". It distinguishes CPUs whose names are not known.
std::string describe_caches(const Json& caches) {
  std::string text;
  for (std::size_t i = 0; i < caches.size(); ++i) {
    const JsonReader cache(caches[i], Place() / "context" / "caches" / i);
    text += fmt::format(
        "{}L{} {} {}", text.empty() ? "" : ", ", cache.get_if<std::int64_t>("level").value_or(0),
        cache.get_if<std::string>("type").value_or(""), cache.get_if<std::int64_t>("size").value_or(0));
  }
  return text;
}

/// Reads `context`: properties of the machine, of the library, and those that the user added.
void read_context(const JsonReader& context, Result& result, std::string& executable) {
  result.created = utc(context.get_if<std::string>("date").value_or(""));
  if (!fault_of_date(result.created).empty()) result.created.clear();
  constexpr std::size_t longest_name = 2000;
  result.host.name = context.get_if<std::string>("host_name").value_or("");
  if (result.host.name.size() > longest_name) result.host.name = shorten_text(result.host.name, longest_name);
  result.host.cpus = std::max(0, context.get_if<int>("num_cpus").value_or(0));
  executable = context.get_if<std::string>("executable").value_or("");
  result.tool_version = context.get_if<std::string>("library_version").value_or("");
  result.tool_build = context.get_if<std::string>("library_build_type").value_or("");
  // Keys that were read above, and values of a moment, such as the load and the current clock.
  static const std::set<std::string> no_settings{"date",       "host_name",       "num_cpus",
                                                 "executable", "library_version", "library_build_type",
                                                 "load_avg",   "mhz_per_cpu",     "json_schema_version"};
  for (const auto& [key, value] : context.json().items()) {
    if (key == "caches" && value.is_array()) {
      result.host.settings[key] = describe_caches(value);
    } else if (!no_settings.contains(key)) {
      result.host.settings[key] = value.is_string() ? value.get<std::string>() : text_of(value);
    }
  }
}

/// The rows of one benchmark: its repetitions, or their aggregates.
struct Rows {
  std::string name, label, error, skip;
  std::vector<double> seconds, cpu_seconds;  // one per repetition
  std::map<std::string, double> real, cpu;   // seconds by the aggregate's name
  std::int64_t iterations = 0, repetitions = 0;
};

double unit_seconds(const JsonReader& row) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};
  const std::string unit = row.get_if<std::string>("time_unit").value_or("ns");
  for (const auto& [name, seconds] : units) {
    if (unit == name) return seconds;
  }
  row.fail_at("time_unit", fmt::format("is '{}'; it must be ns, us, ms or s", unit));
}

void read_row(const JsonReader& row, Rows& rows) {
  // A user's counter may have the name of a field: a field is recognised by its type.
  if (const Json* label = row.find("label"); label != nullptr && label->is_string())
    rows.label = label->get<std::string>();
  if (row.json().value("error_occurred", Json()) == true) {
    rows.error = row.get_if<std::string>("error_message").value_or("");
    if (rows.error.empty()) rows.error = "an error without a message";
    return;
  }
  if (row.json().value("skipped", Json()) == true) {
    rows.skip = row.get_if<std::string>("skip_message").value_or("");
    if (rows.skip.empty()) rows.skip = "skipped without a message";
    return;
  }
  const double unit = unit_seconds(row);
  const auto real = row.get_if<double>("real_time");
  const auto cpu = row.get_if<double>("cpu_time");
  rows.repetitions = std::max(rows.repetitions, row.get_if<std::int64_t>("repetitions").value_or(0));
  if (row.get_if<std::string>("run_type").value_or("iteration") == "aggregate") {
    const auto aggregate = row.get_if<std::string>("aggregate_name").value_or("");
    if (row.get_if<std::string>("aggregate_unit").value_or("time") != "time") return;
    if (real) rows.real[aggregate] = *real * unit;
    if (cpu) rows.cpu[aggregate] = *cpu * unit;
    return;
  }
  if (!row.json().contains("real_time")) row.fail_at("real_time", "is missing");
  rows.seconds.push_back(real.value_or(0) * unit);
  if (cpu) rows.cpu_seconds.push_back(*cpu * unit);
  rows.iterations = std::max<std::int64_t>(0, row.get_if<std::int64_t>("iterations").value_or(0));
}

/// The aggregate that represents the samples: the median, or else the mean.
std::optional<double> middle(const std::map<std::string, double>& aggregates) {
  for (const char* aggregate : {"median", "mean"}) {
    if (const auto found = aggregates.find(aggregate); found != aggregates.end()) return found->second;
  }
  return std::nullopt;
}

CaseResult case_of(const Rows& rows, const std::string& backend) {
  CaseResult c;
  c.id = rows.name;
  c.label = rows.label;
  c.op = google_benchmark_op;
  c.backend = backend;
  c.flop = c.bytes = std::nan("");
  if (!rows.error.empty() || !rows.skip.empty()) {
    c.status = rows.error.empty() ? Status::unsupported : Status::failed;
    c.reason = rows.error.empty() ? rows.skip : rows.error;
    return c;
  }
  Timing timing{.samples = rows.seconds, .iterations = rows.iterations};
  if (rows.seconds.empty()) {
    timing.median = middle(rows.real).value_or(0);
    c.cpu_seconds = middle(rows.cpu);
    c.warnings.push_back({.kind = NoteKind::aggregates_alone});
  } else {
    timing.median = median(rows.seconds);
    timing.launches = {static_cast<std::int64_t>(rows.seconds.size())};
    if (const auto interval = median_interval(rows.seconds)) {
      timing.ci_low = interval->low;
      timing.ci_high = interval->high;
    }
    if (!rows.cpu_seconds.empty()) c.cpu_seconds = median(rows.cpu_seconds);
  }
  if (!is_amount(c.cpu_seconds.value_or(0))) c.cpu_seconds.reset();
  if (!is_possible(timing.median) || !std::ranges::all_of(rows.seconds, is_possible)) {
    c.status = Status::failed;
    c.reason = fmt::format("a repetition has no time from {:g} to {:g} s", shortest_seconds, longest_seconds);
    return c;
  }
  c.status = Status::ok;
  c.seconds = std::move(timing);
  return c;
}

Result result_of(const Json& json) {
  if (!json.is_object() || !json.contains("benchmarks"))
    throw JsonError("/benchmarks",
                    "is missing; give a file that --benchmark_out=FILE --benchmark_out_format=json made");
  Result result;
  result.complete = true;
  result.config = "{}";
  std::string executable;
  if (json.contains("context"))
    read_context(JsonReader(json["context"], Place() / "context"), result, executable);
  const auto folder = executable.find_last_of("/\\");
  if (folder != std::string::npos) executable.erase(0, folder + 1);
  BackendRecord backend;
  backend.name = executable.empty() ? "google-benchmark" : executable;
  backend.role = "contender";
  backend.available = true;
  if (!result.tool_version.empty()) backend.libraries = {{"google-benchmark", result.tool_version}};

  const Json& benchmarks = json["benchmarks"];
  if (!benchmarks.is_array()) throw JsonError("/benchmarks", "must be a list");
  std::vector<Rows> all;  // in order of first occurrence
  // Benchmarks may share a name. Repetitions of one also share its family, and may alternate with those of
  // others.
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::size_t> known;
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    const JsonReader row(benchmarks[i], Place() / "benchmarks" / i);
    const auto aggregate = row.get_if<std::string>("aggregate_name");
    if (aggregate == "BigO" || aggregate == "RMS") continue;
    const auto name = row.get_if<std::string>("run_name");
    if (!name || name->empty())
      row.fail_at("run_name", "is missing; Google Benchmark writes it since version 1.5");
    const auto [found, added] =
        known.emplace(std::tuple(*name, row.get_if<std::int64_t>("family_index").value_or(0),
                                 row.get_if<std::int64_t>("per_family_instance_index").value_or(0)),
                      all.size());
    if (added) all.emplace_back().name = *name;
    read_row(row, all[found->second]);
  }
  std::set<std::string> names;
  for (Rows& rows : all) {
    const std::string name = rows.name;
    for (int number = 2; !names.insert(rows.name).second; ++number)
      rows.name = fmt::format("{} ({})", name, number);
    result.cases.push_back(case_of(rows, backend.name));
  }
  result.backends.push_back(std::move(backend));
  return result;
}

Result result_of_text(const std::string& text) {
  // A user's counter may have the name of a field, and follows it in the file.
  return result_of(ParsedFile(without_bare_words(text), RepeatedKey::first_counts).document());
}

}  // namespace

bool is_google_benchmark(const std::string& text) {
  return shows_google_benchmark(text).value_or(false);
}

TextParts AnyText::parts() {
  return [this, is_start = true]() mutable {
    return std::exchange(is_start, false) && !start.empty() ? std::string_view(start) : rest();
  };
}

AnyText read_any_text(const std::filesystem::path& path) {
  AnyText text{.rest = read_result_parts(path)};
  const auto read_more = [&] {
    const std::string_view part = text.rest();
    text.start += part;
    return !part.empty();
  };
  read_more();
  std::optional<bool> shown = shows_google_benchmark(text.start);
  if (shown.value_or(true)) {  // also where the start does not show it
    while (read_more()) {
    }
    shown = is_google_benchmark(text.start);
  }
  text.is_google_benchmark = *shown;
  return text;
}

Result google_benchmark_from_text(const std::string& text, const std::string& file) {
  return naming_file(file, [&] { return result_of_text(text); });
}

Result any_result_from_text(const std::string& text, const std::string& file) {
  return is_google_benchmark(text) ? google_benchmark_from_text(text, file) : result_from_text(text, file);
}

Result read_any_result(const std::filesystem::path& path, Detail detail) {
  return naming_file(path.string(), [&] {
    AnyText text = read_any_text(path);
    return text.is_google_benchmark ? result_of_text(text.start) : AnyFile(text.parts(), detail).result();
  });
}

}  // namespace breakeven
