// The parts that a run takes over from the earlier one that it continues.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "results/result.h"

namespace breakeven {

class ResumedRun {
 public:
  /// `earlier` must outlive it. Without one, nothing is taken over.
  explicit ResumedRun(const std::optional<Result>& earlier);

  /// The number of cases of the earlier run.
  std::size_t size() const { return earlier_ == nullptr ? 0 : earlier_->cases.size(); }
  /// Warns if the earlier cases are of another source of this program, or of a machine of another name, as a
  /// container has each time it starts.
  void warn_of_differences(Result& result) const;
  /// The earlier result of a case; null if it is to be measured.
  const CaseResult* take(std::string_view id, std::string_view backend);
  /// Keeps the cases that were not taken unchanged, and the records of what they were measured with.
  void keep_rest(Result& result) const;
  /// Adds the earlier warnings, except those that this run makes again for both parts.
  void keep_warnings(Result& result) const;

 private:
  using Key = std::pair<std::string_view, std::string_view>;  // id and backend

  const Result* earlier_;
  std::map<Key, const CaseResult*> rest_;  // that were not taken
};

}  // namespace breakeven
