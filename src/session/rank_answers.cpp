#include "session/rank_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace breakeven {
namespace {

using Hosts = std::vector<std::string>;

/// Times the median rank's computation from which the others wait for a rank.
constexpr double much_longer = 1.25;

answer::Refusal refusal_of(std::size_t rank, const Hosts& hosts, const std::string& reason) {
  return {.status = "failed", .reason = fmt::format("{}: {}", rank_text(rank, hosts[rank]), reason)};
}

/// Describes the first difference between two lists of libraries; empty if there is none.
std::string difference(const answer::Hello& first, const answer::Hello& other) {
  if (other.version != first.version)
    return fmt::format("runs version {} of this program, and rank 0 {}", other.version, first.version);
  const std::map<std::string, std::string> known(first.libraries.begin(), first.libraries.end());
  for (const auto& [name, version] : other.libraries) {
    const auto same = known.find(name);
    if (same == known.end() || same->second != version) {
      return fmt::format("has {} {}, and rank 0 {}", name, version,
                         same == known.end() ? "does not have it" : same->second);
    }
  }
  return other.libraries.size() == first.libraries.size() ? "" : "has fewer libraries than rank 0";
}

/// Removes the dtypes that another rank lacks: CPUs of unlike models support unlike ones.
void keep_common(std::vector<std::pair<std::string, std::vector<std::string>>>& supports,
                 const std::vector<std::pair<std::string, std::vector<std::string>>>& others) {
  const std::map<std::string, std::vector<std::string>> other(others.begin(), others.end());
  for (auto& [op, dtypes] : supports) {
    const auto found = other.find(op);
    std::erase_if(dtypes, [&](const std::string& dtype) {
      return found == other.end() || std::ranges::find(found->second, dtype) == found->second.end();
    });
  }
}

Answer combine(const std::vector<answer::Hello>& all, const Hosts& hosts) {
  answer::Hello together = all.front();
  together.ranks.clear();
  std::set<std::pair<std::string, std::string>> devices;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (const std::string what = difference(all.front(), all[r]); !what.empty())
      return refusal_of(r, hosts, what + "; ranks must not differ");
    if (!all[r].device_id.empty() && !devices.emplace(hosts[r], all[r].device_id).second) {
      return refusal_of(r, hosts,
                        fmt::format("computes on {}, as a rank before it does; start one rank for each GPU "
                                    "(mpirun on several hosts: --map-by ppr:N:node for N GPUs each)",
                                    all[r].device_id));
    }
    if (all[r].device != "cpu" && all[r].device_name != together.device_name) {
      return refusal_of(r, hosts,
                        fmt::format("computes on {}, and rank 0 on {}; ranks must not differ: "
                                    "CUDA_VISIBLE_DEVICES chooses GPUs of one model",
                                    all[r].device_name, together.device_name));
    }
    together.ranks.insert(together.ranks.end(), all[r].ranks.begin(), all[r].ranks.end());
    together.unreadable.insert(all[r].unreadable.begin(), all[r].unreadable.end());
    keep_common(together.supports, all[r].supports);
  }
  return together;
}

/// True for values that rounding alone can make different.
bool agree(double a, double b) {
  constexpr double by_rounding = 1e-3;
  return std::abs(a - b) <= by_rounding * std::max(1.0, std::max(std::abs(a), std::abs(b)));
}

std::string difference(const std::vector<double>& first, const std::vector<double>& other, const char* what) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i >= other.size() || !agree(first[i], other[i])) {
      return fmt::format("holds another result than rank 0: {} {} is {} and not {}", what, i,
                         i < other.size() ? other[i] : std::nan(""), first[i]);
    }
  }
  return "";
}

Answer combine(const std::vector<Evidence>& all, const Hosts& hosts) {
  const Evidence& first = all.front();
  for (std::size_t r = 1; r < all.size(); ++r) {
    std::string what = difference(first.elements, all[r].elements, "element");
    if (what.empty()) what = difference(first.projections, all[r].projections, "projection");
    if (what.empty()) what = difference(first.losses, all[r].losses, "loss");
    if (!what.empty()) return refusal_of(r, hosts, what);
  }
  return first;
}

/// Adds an amount that is unknown if that of one rank is.
void add(std::optional<double>& sum, const std::optional<double>& more) {
  sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

Answer combine(const std::vector<answer::Sample>& all, const Hosts& hosts) {
  answer::Sample together = all.front();
  std::set<std::string> counted{hosts.front()};
  for (std::size_t r = 1; r < all.size(); ++r) {
    const answer::Sample& one = all[r];
    together.seconds = std::max(together.seconds, one.seconds);
    add(together.cpu_seconds, one.cpu_seconds);
    together.device_seconds = together.device_seconds && one.device_seconds
                                  ? std::optional(std::max(*together.device_seconds, *one.device_seconds))
                                  : std::nullopt;
    if (counted.insert(hosts[r]).second) add(together.joules, one.joules);
    for (const std::string& warning : one.warnings) {
      if (std::ranges::find(together.warnings, warning) == together.warnings.end())
        together.warnings.push_back(warning);
    }
  }
  // A rank that is done sooner than the slowest one waits for it, too.
  std::optional<double> waited = 0;
  for (const answer::Sample& one : all) {
    add(waited, one.communication_seconds);
    if (waited) *waited += together.seconds - one.seconds;
  }
  together.communication_seconds = waited ? std::optional(*waited / static_cast<double>(all.size())) : waited;
  return together;
}

Answer combine(const std::vector<answer::Epoch>& all, const Hosts& /*hosts*/) {
  answer::Epoch together = all.front();
  for (const answer::Epoch& one : all) {
    together.seconds = std::max(together.seconds, one.seconds);
    together.evaluation_seconds = std::max(together.evaluation_seconds, one.evaluation_seconds);
  }
  return together;
}

template <typename T>
Answer combine(const std::vector<T>& all, const Hosts& /*hosts*/) {
  return all.front();
}

/// The refusal of the first rank that has a reason of its own; empty if none refuses.
std::optional<answer::Refusal> combine_refusals(const std::vector<Answer>& answers, const Hosts& hosts) {
  std::optional<answer::Refusal> found;
  std::size_t alike = 0;
  for (std::size_t r = 0; r < answers.size(); ++r) {
    const auto* refusal = std::get_if<answer::Refusal>(&answers[r]);
    if (refusal == nullptr || refusal->reason == answer::refused_by_another_rank) continue;
    const auto* first = std::get_if<answer::Refusal>(&answers.front());
    alike += first != nullptr && first->reason == refusal->reason ? 1 : 0;
    if (!found)
      found = answer::Refusal{.status = refusal->status,
                              .reason = fmt::format("{}: {}", rank_text(r, hosts[r]), refusal->reason)};
  }
  return alike == answers.size() ? std::get<answer::Refusal>(answers.front()) : found;
}

}  // namespace

std::string rank_text(std::size_t rank, const std::string& host) {
  return fmt::format("rank {} on {}", rank, host);
}

std::optional<Note> note_of_cpus(const std::vector<Answer>& hellos, const Hosts& hosts) {
  const auto* first = std::get_if<answer::Hello>(&hellos.front());
  if (first == nullptr || first->device != "cpu") return std::nullopt;
  for (std::size_t r = 1; r < hellos.size(); ++r) {
    const auto* other = std::get_if<answer::Hello>(&hellos[r]);
    if (other == nullptr || other->device_name == first->device_name) continue;
    return Note{.kind = NoteKind::ranks_on_other_cpus,
                .about = {rank_text(r, hosts[r]), other->device_name, first->device_name}};
  }
  return std::nullopt;
}

void Stragglers::note(const std::vector<Answer>& samples) {
  constexpr double least_share = 0.05;
  std::vector<double> computing;
  double seconds = 0;
  for (const Answer& one : samples) {
    const auto* sample = std::get_if<answer::Sample>(&one);
    // Without it, a rank that has nothing to send looks faster than one that receives.
    if (sample == nullptr || !sample->communication_seconds) return;
    computing.push_back(sample->seconds - *sample->communication_seconds);
    seconds = std::max(seconds, sample->seconds);
  }
  // The faster of two ranks is the median: the slower one holds it back.
  std::vector<double> sorted = computing;
  std::ranges::sort(sorted);
  const double median = sorted.at((sorted.size() - 1) / 2);
  slow_.resize(computing.size());
  ++samples_;
  for (std::size_t r = 0; r < computing.size(); ++r) {
    if (computing[r] > much_longer * median && computing[r] - median > least_share * seconds) ++slow_[r];
  }
}

std::optional<Note> Stragglers::found(const Hosts& hosts) const {
  constexpr int fewest = 5;
  const auto slowest = std::ranges::max_element(slow_);
  if (samples_ < fewest || 2 * *slowest <= samples_) return std::nullopt;
  const auto rank = static_cast<std::size_t>(slowest - slow_.begin());
  return Note{.kind = NoteKind::slow_rank, .figures = {much_longer}, .about = {rank_text(rank, hosts[rank])}};
}

Answer combine(const std::vector<Answer>& answers, const Hosts& hosts) {
  if (auto refusal = combine_refusals(answers, hosts)) return *std::move(refusal);
  for (std::size_t r = 0; r < answers.size(); ++r) {
    if (answers[r].index() != answers.front().index())
      return refusal_of(r, hosts, "answered another request than rank 0");
  }
  return std::visit(
      [&]<typename T>(const T&) -> Answer {
        std::vector<T> all;
        all.reserve(answers.size());
        for (const Answer& one : answers) all.push_back(std::get<T>(one));
        return combine(all, hosts);
      },
      answers.front());
}

}  // namespace breakeven
