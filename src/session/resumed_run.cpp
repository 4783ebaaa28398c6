#include "session/resumed_run.h"

#include <algorithm>

#include "session/environment.h"
#include "session/schedule.h"

namespace breakeven {

ResumedRun::ResumedRun(const std::optional<Result>& earlier) : earlier_(earlier ? &*earlier : nullptr) {
  if (!earlier) return;
  for (const CaseResult& c : earlier->cases) rest_.emplace(Key(c.id, c.backend), &c);
}

void ResumedRun::warn_of_differences(Result& result) const {
  if (earlier_ == nullptr) return;
  if (const std::string now = result.tool_commit; earlier_->tool_commit != now) {
    result.tool_commit.clear();  // a file has one only if all of its cases have it
    if (!earlier_->tool_commit.empty() && !now.empty())
      result.warnings.push_back({.kind = NoteKind::other_commit, .about = {earlier_->tool_commit, now}});
  }
  if (earlier_->host.name != result.host.name)
    result.warnings.push_back({.kind = NoteKind::other_host_name, .about = {earlier_->host.name}});
}

const CaseResult* ResumedRun::take(std::string_view id, std::string_view backend) {
  const auto found = rest_.extract(Key(id, backend));
  return found && found.mapped()->status != Status::interrupted ? found.mapped() : nullptr;
}

void ResumedRun::keep_rest(Result& result) const {
  if (earlier_ == nullptr) return;
  for (const auto& b : earlier_->backends) {
    const auto now = std::ranges::find(result.backends, b.name, &BackendRecord::name);
    if (now == result.backends.end()) {
      result.backends.push_back(b);
    } else if (b.available && !now->available) {
      // The kept results need the record of what they were measured with.
      result.warnings.push_back({.kind = NoteKind::backend_gone, .about = {b.name, now->reason}});
      *now = b;
    }
  }
  for (const Gpu& gpu : earlier_->host.gpus) {
    auto& known = result.host.gpus;
    if (std::ranges::find(known, gpu.id, &Gpu::id) == known.end()) known.push_back(gpu);
  }
  for (const CaseResult& c : earlier_->cases) {
    if (rest_.contains(Key(c.id, c.backend))) result.cases.push_back(c);
  }
}

void ResumedRun::keep_warnings(Result& result) const {
  if (earlier_ == nullptr) return;
  for (const Note& warning : earlier_->warnings) {
    if (!is_of_speed(warning.kind) && !is_of_environment(warning.kind)) add_once(result.warnings, warning);
  }
}

}  // namespace breakeven
