#include "reports/document/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <cctype>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>

#include "host/own_speed.h"
#include "reports/text.h"
#include "reports/words/notes.h"
#include "results/backend_spelling.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

std::string generic_title(const CaseOnBackend& result) {
  std::string title;
  for (const auto& [name, value] : result.parameters.entries()) {
    if (name != "dtype") title += fmt::format("{}={} ", name, to_string(value));
  }
  return title + result.dtype;
}

/// The value that a case's id gives this parameter. Throws std::invalid_argument or std::out_of_range for a
/// number that is none.
Value value_in_id(const Parameter& parameter, const std::string& text) {
  if (parameter.kind == Parameter::Kind::integer) return std::int64_t{std::stoll(text)};
  if (parameter.kind == Parameter::Kind::number) return std::stod(text);
  if (parameter.kind == Parameter::Kind::boolean) return text == "true";
  return text;
}

/// The texts under this key in the run's configs; empty for a config without it.
std::vector<std::string> texts_in_configs(const Result& result, const char* key) {
  const auto config = nlohmann::json::parse(result.config, nullptr, /*allow_exceptions=*/false);
  if (config.is_discarded()) return {};
  // A run of several configs has a list of them.
  const auto all = config.is_array() ? config : nlohmann::json::array({config});
  std::vector<std::string> texts;
  for (const auto& one : all) {
    const auto text = one.is_object() ? one.find(key) : one.end();
    texts.push_back(text != one.end() && text->is_string() ? text->get<std::string>() : "");
  }
  return texts;
}

}  // namespace

std::string backend_title(std::string_view name) {
  return printable(backend_spelling(name));
}

std::string computing_title(const CaseResult& result) {
  std::string title = backend_title(result.backend);
  if (result.op != "conv2d" || result.status != Status::ok) return title;
  for (const auto& [start, algorithm] : {std::pair("Winograd,", "Winograd"), std::pair("im2col,", "im2col"),
                                         std::pair("products on ", "products")}) {
    if (result.algorithm.starts_with(start)) return fmt::format("{} on {}", algorithm, title);
  }
  return title;
}

std::string plural_of(std::string_view op) {
  const Workload* workload = find_workload(op);
  return workload == nullptr ? "problems" : std::string(workload->plural());
}

std::string activity_of(const CaseOnBackend& result) {
  const Workload* workload = find_workload(result.op);
  if (workload == nullptr) return printable(result.op);
  try {
    return printable(workload->activity(result.parameters));
  } catch (const std::out_of_range&) {  // the file is from another version, with other parameters
    return capitalised(std::string(workload->plural()));
  }
}

std::string problem_title(const CaseOnBackend& result) {
  const Workload* workload = find_workload(result.op);
  std::string title;
  try {
    title = workload == nullptr ? generic_title(result) : workload->title(result.parameters);
  } catch (const std::out_of_range&) {  // the file is from another version, with other parameters
    title = generic_title(result);
  }
  if (title.empty()) title = result.id;  // a benchmark of another program, without parameters
  return printable(result.label.empty() ? title : fmt::format("{}: {}", result.label, title));
}

std::string case_title(const std::string& id) {
  std::vector<std::string> parts;
  boost::split(parts, id, boost::is_any_of("/"));
  const Workload* workload = find_workload(parts.front());
  if (workload == nullptr) return printable(id);
  parts.back() = "dtype=" + parts.back();
  Parameters given;
  try {
    for (const std::string& part : std::span(parts).subspan(1)) {
      const std::size_t equals = part.find('=');
      const auto declared =
          std::ranges::find(workload->parameters(), part.substr(0, equals), &Parameter::name);
      if (declared == workload->parameters().end()) return printable(id);
      given.set(declared->name,
                equals == std::string::npos ? Value(true) : value_in_id(*declared, part.substr(equals + 1)));
    }
    return printable(
        fmt::format("{} {}", parts.front(), workload->title(make_case(*workload, given).parameters)));
  } catch (const std::logic_error&) {  // the store has a case of another version, or text that is no case
    return printable(id);
  }
}

std::string plain_parameter(std::string_view name, std::string_view value) {
  struct Known {
    std::string_view name, value, words;
  };
  static constexpr std::array<Known, 5> known{{{"transfer", "each", "operands moved each time"},
                                               {"transfer", "once", "operands moved once"},
                                               {"direction", "within", "within one memory"},
                                               {"direction", "to_device", "to the device"},
                                               {"direction", "from_device", "from the device"}}};
  const auto* const found =
      std::ranges::find_if(known, [&](const Known& one) { return one.name == name && one.value == value; });
  if (found != known.end()) return std::string(found->words);
  if (value == "false") return fmt::format("not {}", name);
  return value == "true" ? std::string(name) : fmt::format("{} {}", name, value);
}

std::string work_title(std::string_view stored) {
  std::vector<std::string> parts;
  boost::split(parts, stored, boost::is_any_of(","));
  const Workload* workload = find_workload(parts.front());
  if (workload == nullptr) return printable(stored);
  std::string work = capitalised(std::string(workload->plural()));
  std::string rest;
  for (std::string& part : std::span(parts).subspan(1)) {
    boost::trim(part);
    const std::size_t space = part.rfind(' ');
    const std::string name = part.substr(0, space);
    const std::string value = space == std::string::npos ? "" : part.substr(space + 1);
    if (name == "network")
      work = workload->activity({{name, value}});
    else
      rest += ", " + (value.empty() ? part : plain_parameter(name, value));
  }
  return printable(work + rest);
}

std::string explain(const CaseResult& result) {
  if (std::string reason = printable(result.reason); !reason.empty()) return reason;
  if (result.verification && !result.verification->correct) {
    if (std::string detail = printable(result.verification->detail); !detail.empty()) return detail;
    return fmt::format("error {} is above the tolerance {}", format_number(result.verification->error),
                       format_number(result.verification->tolerance));
  }
  return "no reason was given";
}

std::string describe_fit(const Fit& fit) {
  std::string text = fmt::format("the largest that fits: {}", fit.largest);
  if (fit.refused > 0) text += fmt::format("; {} does not", fit.refused);
  if (!fit.limit.empty()) text += fmt::format(": {}", printable(fit.limit));
  return text;
}

std::string config_title(const Result& result) {
  std::vector<std::string> titles;
  for (const std::string& title : texts_in_configs(result, "title")) {
    std::string text = printable(title);
    if (!text.empty() && std::ranges::count(titles, text) == 0) titles.push_back(std::move(text));
  }
  return joined_text(titles);
}

std::optional<Focus> config_focus(const Result& result) {
  const std::vector<std::string> asked = texts_in_configs(result, "asks");
  if (asked.empty() || std::ranges::count(asked, asked.front()) != std::ssize(asked)) return std::nullopt;
  return parse_name<Focus>(asked.front());  // none for the topic of a newer version
}

std::string describe_host(const Host& host) {
  std::vector<std::string> parts;
  if (!host.cpu.empty()) parts.push_back(printable(host.cpu));
  if (host.cores > 0) parts.push_back(counted_text(host.cores, "core", "cores"));
  if (host.threads > 0) parts.push_back(counted_text(host.threads, "thread", "threads"));
  if (host.memory_bytes > 0) parts.push_back(format_bytes(static_cast<double>(host.memory_bytes)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string describe_gpu(const Gpu& gpu) {
  if (!gpu.name) {
    const auto why = gpu.unreadable.find("name");
    return printable(fmt::format("{}: cannot be described{}", gpu.id,
                                 why == gpu.unreadable.end() ? "" : ": " + why->second));
  }
  std::vector<std::string> parts;
  if (gpu.memory_bytes) parts.push_back(format_bytes(static_cast<double>(*gpu.memory_bytes)));
  if (gpu.driver) parts.push_back("driver " + *gpu.driver);
  if (gpu.power_limit_watts) {
    const auto& usual = gpu.power_limit_default_watts;
    parts.push_back(
        fmt::format("{:g} W{}", *gpu.power_limit_watts,
                    usual && *usual != *gpu.power_limit_watts ? fmt::format(" of {:g} W", *usual) : ""));
  }
  if (gpu.sm_mhz_most) parts.push_back(fmt::format("up to {:g} MHz", *gpu.sm_mhz_most));
  if (gpu.pcie_generation_most && gpu.pcie_width_most)
    parts.push_back(fmt::format("PCIe {} x{}", *gpu.pcie_generation_most, *gpu.pcie_width_most));
  if (gpu.ecc) parts.emplace_back(*gpu.ecc ? "ECC on" : "ECC off");
  if (gpu.mig.value_or(false)) parts.emplace_back("MIG on");
  if (gpu.compute_mode && *gpu.compute_mode != "default") parts.push_back(*gpu.compute_mode);
  return printable(fmt::format("{} ({}): {}", *gpu.name, gpu.id, fmt::join(parts, ", ")));
}

std::string describe_backend(const BackendRecord& backend) {
  std::vector<std::string> libraries;
  for (const auto& [library, version] : backend.libraries) {
    libraries.push_back(printable(fmt::format("{} {}", library, version)));
  }
  std::string text = printable(fmt::format("{} {}", backend.name, backend.version));
  if (!libraries.empty()) text += fmt::format(" ({})", fmt::join(libraries, ", "));
  if (!backend.device_name.empty()) text += " on " + printable(backend.device_name);
  return text;
}

std::string slow_machine_text(const std::string& machine, std::span<const double> shares) {
  if (shares.empty()) return "";
  const auto [least, most] = std::ranges::minmax(shares);
  if (least >= trusted_speed_share) return "";
  return fmt::format("{} {}: on a quiet machine its times may be as short as {:.0f} % of these.", machine,
                     ran_at(least, most), least * 100);
}

std::string capitalised(std::string text) {
  // A capital letter among the first letters shows that the name has its own spelling.
  const bool is_name = text.size() > 1 &&
                       std::any_of(text.begin(), text.begin() + std::min<std::ptrdiff_t>(4, std::ssize(text)),
                                   [](unsigned char c) { return std::isupper(c) != 0; });
  if (!text.empty() && !is_name)
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string slug_of(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!made.empty() && made.back() != '-') {
      made += '-';
    }
  }
  while (!made.empty() && made.back() == '-') made.pop_back();
  return made;
}

}  // namespace breakeven
