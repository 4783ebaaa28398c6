#include "reports/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "reports/text.h"
#include "reports/units.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

bool overlap(const Interval& a, const Interval& b) {
  return a.low <= b.high && b.low <= a.high;
}

/// Sorts the entries of one problem and says how each compares with the first.
void rank(std::vector<Entry>& entries) {
  const auto timed_end = std::stable_partition(entries.begin(), entries.end(),
                                               [](const Entry& e) { return e.result->has_time(); });
  std::stable_sort(entries.begin(), timed_end, [](const Entry& a, const Entry& b) {
    return a.result->seconds->median < b.result->seconds->median;
  });
  if (timed_end == entries.begin()) return;
  const Timing& fastest = *entries.front().result->seconds;
  const auto of_fastest = fastest.interval();
  for (auto entry = entries.begin(); entry != timed_end; ++entry) {
    const Timing& timing = *entry->result->seconds;
    const auto interval = timing.interval();
    entry->ratio = timing.median / fastest.median;
    entry->certain = interval && of_fastest;
    entry->standing = entry->certain && overlap(*interval, *of_fastest) ? Standing::tied : Standing::slower;
  }
  entries.front().standing = timed_end - entries.begin() == 1 ? Standing::alone : Standing::fastest;
}

std::string generic_title(const CaseResult& result) {
  std::string title;
  for (const auto& [name, value] : result.parameters.entries()) {
    if (name != "dtype") title += fmt::format("{}={} ", name, to_string(value));
  }
  return title + result.dtype;
}

/// Numbers replaced, so that "12.5 % of CPU time" and "9 % of CPU time" are one text. Digits behind a letter
/// are part of a name: f16 is not f32.
std::string without_numbers(std::string_view text) {
  const auto is_digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string key;
  for (std::size_t i = 0; i < text.size();) {
    const bool in_name = i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0;
    if (!is_digit(i) || in_name) {
      key += text[i++];
      continue;
    }
    while (is_digit(i) || (i < text.size() && text[i] == '.' && is_digit(i + 1))) ++i;
    key += '0';
  }
  return key;
}

/// Gathers findings in order of appearance.
class Findings {
 public:
  void add(const std::string& said, const CaseResult* result) {
    const std::string text = printable(said);
    const auto [known, fresh] = index_.try_emplace(without_numbers(text), all_.size());
    if (fresh) {
      all_.push_back({.text = text, .varies = false, .count = 0, .backends = {}, .first = {}});
    }
    Finding& finding = all_[known->second];
    finding.varies = finding.varies || finding.text != text;
    if (result == nullptr) return;
    if (++finding.count == 1) {
      finding.first = fmt::format("{} {}", printable(result->op), problem_title(*result));
    }
    std::string backend = printable(result->backend);
    if (std::find(finding.backends.begin(), finding.backends.end(), backend) == finding.backends.end()) {
      finding.backends.push_back(std::move(backend));
    }
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
  std::unordered_map<std::string, std::size_t> index_;
};

std::string counted(int count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::vector<ProblemGroup> compare(std::span<const Result> results) {
  struct Position {
    std::size_t group = 0, problem = 0;
  };
  const CeilingsByDevice known = ceilings(results);
  std::vector<ProblemGroup> groups;
  std::unordered_map<std::string_view, std::size_t> group_of_op;
  std::unordered_map<std::string_view, Position> place_of_id;
  for (const Result& run : results) {
    for (const CaseResult& result : run.cases) {
      const auto [place, fresh_problem] = place_of_id.try_emplace(result.id);
      if (fresh_problem) {
        const auto [index, fresh_group] = group_of_op.try_emplace(result.op, groups.size());
        if (fresh_group) groups.push_back({.op = printable(result.op), .problems = {}});
        ProblemGroup& group = groups[index->second];
        place->second = {.group = index->second, .problem = group.problems.size()};
        group.problems.push_back({.title = problem_title(result), .entries = {}});
      }
      groups[place->second.group].problems[place->second.problem].entries.push_back(
          {.run = &run, .result = &result, .roofline = roofline(result, run, known)});
    }
  }
  for (ProblemGroup& group : groups) {
    for (Problem& problem : group.problems) rank(problem.entries);
  }
  return groups;
}

std::string describe_standing(const Entry& entry) {
  switch (entry.standing) {
    case Standing::none:
      return "";
    case Standing::alone:
      return "only one";
    case Standing::fastest:
      return "fastest";
    case Standing::tied:
      return "as fast";
    case Standing::slower:
      return fmt::format("{}{}", entry.certain ? "" : "~", format_slower(entry.ratio));
  }
  return "";
}

std::string problem_title(const CaseResult& result) {
  std::string title;
  if (const Workload* workload = find_workload(result.op)) {
    try {
      title = workload->title(result.parameters);
    } catch (const std::out_of_range&) {  // a file of another version, with other parameters
      title = generic_title(result);
    }
  } else {
    title = generic_title(result);
  }
  if (title.empty()) title = result.id;  // another program's benchmark, which has no parameters
  return printable(result.label.empty() ? title : fmt::format("{}: {}", result.label, title));
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

std::map<Status, std::size_t> count_statuses(std::span<const Result> results) {
  std::map<Status, std::size_t> counts;
  for (const Result& run : results) {
    for (const CaseResult& result : run.cases) ++counts[result.status];
  }
  return counts;
}

std::vector<Finding> find_warnings(std::span<const Result> results) {
  Findings findings;
  for (const Result& run : results) {
    for (const std::string& warning : run.warnings) findings.add(warning, nullptr);
    for (const CaseResult& result : run.cases) {
      for (const std::string& warning : result.warnings) findings.add(warning, &result);
    }
  }
  return findings.take();
}

std::vector<Finding> find_failures(std::span<const Result> results) {
  Findings findings;
  for (const Result& run : results) {
    for (const CaseResult& result : run.cases) {
      if (result.status == Status::ok) continue;
      findings.add(fmt::format("{}: {}", name(result.status), explain(result)), &result);
    }
  }
  return findings.take();
}

std::string describe_extent(const Finding& finding) {
  if (finding.count == 0) return "";
  if (finding.count == 1) return fmt::format("({}, {})", finding.backends.front(), finding.first);
  return fmt::format("({} cases{}: {})", finding.count, finding.varies ? ", with other figures" : "",
                     fmt::join(finding.backends, ", "));
}

std::string config_title(const Result& result) {
  const auto config = nlohmann::json::parse(result.config, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) return "";
  const auto title = config.find("title");
  return title != config.end() && title->is_string() ? printable(title->get<std::string>()) : "";
}

std::string describe_host(const Host& host) {
  std::vector<std::string> parts;
  if (!host.cpu.empty()) parts.push_back(printable(host.cpu));
  if (host.cores > 0) parts.push_back(counted(host.cores, "core"));
  if (host.threads > 0) parts.push_back(counted(host.threads, "thread"));
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

}  // namespace breakeven
