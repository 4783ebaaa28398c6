#include "plan/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <system_error>
#include <unordered_map>

#include "plan/suggestion.h"
#include "results/focus.h"

namespace breakeven {
namespace {

Measure read_measure(const Json& json, const Place& place) {
  const auto& known = measure_parameters();
  require_object(json, place, names_in(known));
  const ValueReader reader{.parameters = known};
  Parameters given;
  for (const Parameter& parameter : known) {
    given.set(parameter.name, json.contains(parameter.name)
                                  ? reader.value(json[parameter.name], place / parameter.name, parameter)
                                  : *parameter.default_value);
  }
  return {.precision = given.number("precision"),
          .max_seconds = given.number("max_seconds"),
          .launches = static_cast<int>(given.integer("launches")),
          .cold_cache = given.text("cache") == "cold",
          .placed = given.text("placement") == "cores",
          .needs_own_speed = given.text("own_speed") == "needed",
          .seed = static_cast<std::uint64_t>(given.integer("seed")),
          .timeout_seconds = given.number("timeout_seconds"),
          .energy_seconds = given.number("energy_seconds"),
          .threads = static_cast<int>(given.integer("threads")),
          .library_defaults = given.boolean("library_defaults"),
          .launcher = given.text("launcher")};
}

/// Only reports need the topic, which they find in the text of the config in result files.
void check_asks(const Json& json, const Place& place) {
  const std::vector<Parameter> alone{asks_parameter()};
  ValueReader{.parameters = alone}.value(json, place, alone.front());
}

/// True for a valid backend name: letters, digits and ._+-. It becomes the end of a program's name, so it
/// must not be a path.
bool is_backend_name(const Json& json) {
  if (!json.is_string()) return false;
  const auto& name = json.get_ref<const std::string&>();
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !name.empty() && letter(name.front()) && std::ranges::all_of(name, [&](char c) {
    return letter(c) || std::string_view("._+-").find(c) != std::string_view::npos;
  });
}

[[noreturn]] void fail_too_many(const Place& place, double count) {
  place.fail("makes {} cases, and at most {} are possible; shorten a list or a range",
             count < 0x1p53 ? fmt::format("{:.0f}", count) : fmt::format("{:.2g}", count), most_cases);
}

/// True if `label` is one of the labels in `labels`, which commas separate.
bool is_among(const std::string& label, const std::string& labels) {
  return label.empty() ||
         fmt::format(", {}, ", labels).find(fmt::format(", {}, ", label)) != std::string::npos;
}

/// Collects cases, each id once.
class Collection {
 public:
  explicit Collection(std::vector<PlannedCase>& cases) : cases_(cases) {
    for (const PlannedCase& known : cases) index_.emplace(known.problem.id(), index_.size());
  }

  void add(PlannedCase added) {
    const auto [known, is_new] = index_.try_emplace(added.problem.id(), cases_.size());
    if (is_new) {
      cases_.push_back(std::move(added));
      return;
    }
    std::string& label = cases_[known->second].label;
    if (label.empty()) {
      label = std::move(added.label);
    } else if (!is_among(added.label, label)) {
      label += ", " + added.label;
    }
  }

 private:
  std::vector<PlannedCase>& cases_;
  std::unordered_map<std::string, std::size_t> index_;
};

std::vector<PlannedCase> read_workloads(const Json& json, const Place& place,
                                        const std::filesystem::path& folder) {
  if (!json.is_array() || json.empty())
    place.fail(
        "is {}; it must be a list of at least one workload, such as "
        "{{\"op\": \"matmul\", \"m\": 64, \"n\": 64, \"k\": 64}}",
        shown(json));
  std::vector<Sweep> sweeps;
  double count = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    Share share = read_share(json[i], place / i, folder);
    sweeps.push_back(std::move(share.sweep));
    for (Sweep& other : share.instead) sweeps.push_back(std::move(other));
    const double size = sweeps.back().size() * static_cast<double>(1 + share.instead.size());
    count += size;
    if (size > static_cast<double>(most_cases)) fail_too_many(place / i, size);
  }
  if (count > static_cast<double>(most_cases)) fail_too_many(place, count);

  std::vector<PlannedCase> cases;
  Collection collection(cases);
  for (const Sweep& sweep : sweeps) {
    for (PlannedCase& planned : sweep.cases()) collection.add(std::move(planned));
  }
  return cases;
}

void add_file_or_folder(const std::filesystem::path& path, std::vector<std::filesystem::path>& files) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) files.push_back(path);
  if (!std::filesystem::is_directory(path, error)) return;
  for (auto entry = std::filesystem::directory_iterator(path, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  }
}

/// Adds each file that a string in `value` names, relative to the config's folder.
void add_named_files(const Json& value, const std::filesystem::path& folder,
                     std::vector<std::filesystem::path>& files) {
  constexpr std::size_t longest_path = 4096;
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!text.empty() && text.size() <= longest_path) add_file_or_folder(folder / text, files);
    return;
  }
  if (!value.is_structured()) return;
  for (const Json& inner : value) add_named_files(inner, folder, files);
}

}  // namespace

std::vector<std::string> read_backends(const Json& json, const Place& place) {
  if (!json.is_array() || json.empty())
    place.fail("is {}; it must be a list of names; leave the key out to use every backend found",
               shown(json));
  std::vector<std::string> backends;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (!is_backend_name(json[i]))
      (place / i).fail("is {}; it must be a backend's name, such as \"openblas\"", shown(json[i]));
    const auto name = json[i].get<std::string>();
    if (std::ranges::find(backends, name) != backends.end())
      (place / i).fail("'{}' is named twice; remove one", name);
    backends.push_back(name);
  }
  return backends;
}

const Parameter& asks_parameter() {
  static const Parameter asks = choice_parameter(
      "asks", "the topic of the question, which the answer in a report begins with", all_names<Focus>());
  return asks;
}

const std::vector<Parameter>& measure_parameters() {
  const Measure defaults;
  constexpr std::int64_t exact_in_json = std::int64_t{1} << 53;  // doubles hold all integers up to here
  constexpr double day = 86400;
  static const std::vector<Parameter> all{
      number_parameter(
          "precision",
          "a case is done when the half width of its median's 95 % interval is this fraction of it", 0, 1,
          defaults.precision),
      number_parameter("max_seconds", "of measuring, for each case and backend", 0, day,
                       defaults.max_seconds),
      integer_parameter("launches", "fresh processes of each backend", 1, 1000, defaults.launches),
      choice_parameter("cache", "whether a case finds its inputs in the caches", {"warm", "cold"},
                       defaults.cold_cache ? "cold" : "warm"),
      choice_parameter("placement",
                       "where the threads of CPU backends run: each on a core of its own, or wherever the "
                       "kernel moves them, as it does with \"cache\": \"cold\", too",
                       {"cores", "free"}, defaults.placed ? "cores" : "free"),
      choice_parameter(
          "own_speed",
          "whether samples count only if the machine ran at 95 % of its own speed or more, which "
          "a probe measures in every round; \"ignored\": it is not probed",
          {"needed", "ignored"}, defaults.needs_own_speed ? "needed" : "ignored"),
      integer_parameter("seed", "of inputs, initial weights and the order of samples", 0, exact_in_json,
                        static_cast<std::int64_t>(defaults.seed)),
      number_parameter("timeout_seconds", "a request to a backend unanswered for this long is given up", 0,
                       day, defaults.timeout_seconds),
      number_parameter_from(
          "energy_seconds",
          "of further work on a GPU, around which its energy is read; 0: energy is not measured", 0, 600,
          defaults.energy_seconds),
      integer_parameter("threads", "of CPU backends; 0: one a physical core, and fewer where that is faster",
                        0, 1 << 16, defaults.threads),
      boolean_parameter("library_defaults",
                        "whether OpenBLAS and BLIS keep the kernels that they choose by themselves, which "
                        "may be slower than others that they have",
                        defaults.library_defaults),
      text_parameter("launcher",
                     "the command that starts the processes of a case with several ranks, such as "
                     "\"srun -n {ranks}\"; by default the mpirun in PATH",
                     defaults.launcher),
  };
  return all;
}

Config config_from(const JsonFile& file, const std::filesystem::path& path) {
  const Json& document = file.document;
  const Place place(path.string());
  require_object(document, place,
                 {"$schema", "title", "asks", "backends", "measure", "threshold", "workloads"});
  if (!document.contains("workloads")) place.fail("'workloads' is missing; add it: a list of what to run");
  Config config;
  config.title = document.contains("title") ? require_text(document, place, "title") : path.stem().string();
  if (document.contains("asks")) check_asks(document["asks"], place / "asks");
  if (document.contains("backends"))
    config.backends = read_backends(document["backends"], place / "backends");
  if (document.contains("measure")) config.measure = read_measure(document["measure"], place / "measure");
  config.cases = read_workloads(document["workloads"], place / "workloads", path.parent_path());
  config.json = file.text;
  return config;
}

Config read_config(const std::filesystem::path& path) {
  return config_from(read_json(path, FileKind::config), path);
}

Config read_configs(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) throw std::invalid_argument("no config is given");
  Config all = read_config(paths.front());
  if (paths.size() == 1) return all;
  Collection collection(all.cases);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    Config next = read_config(paths[i]);
    const Place place(paths[i].string());
    if (next.measure != all.measure) {
      (place / "measure")
          .fail("differs from that of {}; make them the same, or run the configs one by one",
                paths.front().string());
    }
    all.title += "; " + next.title;
    all.json += ",\n" + next.json;
    if (all.backends.empty() || next.backends.empty()) {
      all.backends.clear();
    } else {
      for (const std::string& name : next.backends) {
        if (std::ranges::find(all.backends, name) == all.backends.end()) all.backends.push_back(name);
      }
    }
    for (PlannedCase& planned : next.cases) collection.add(std::move(planned));
    if (all.cases.size() > most_cases) fail_too_many(place, static_cast<double>(all.cases.size()));
  }
  all.json = fmt::format("[{}]", all.json);
  return all;
}

std::vector<std::filesystem::path> files_of_configs(const std::vector<std::filesystem::path>& configs) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& config : configs) {
    files.push_back(config);
    const Json document = read_json(config).document;
    if (document.is_object() && document.contains("workloads"))
      add_named_files(document["workloads"], config.parent_path(), files);
  }
  return files;
}

}  // namespace breakeven
