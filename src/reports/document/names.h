// Names of backends, libraries and work for use in sentences.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "reports/document/numbers.h"
#include "results/result.h"

namespace breakeven {

/// The backend_spelling() of a name, made printable.
std::string backend_title(std::string_view name);

/// `matrix products`, `training steps`; `problems` for an operation that this program does not know.
std::string plural_of(std::string_view op);

/// The activity of a case, for the beginning of a sentence: `Training the MLP`, `Matrix products`.
std::string activity_of(const CaseResult& result);

/// Rewrites a threshold's title from its file for readers: `infer, network cnn, f32` becomes `Inference by
/// the CNN, f32`, and `matmul, m = n = k, tuned false, f32` becomes `Matrix products, m = n = k, not tuned,
/// f32`.
std::string work_title(std::string_view stored);

/// "a", "a and b", "a, b and c".
std::string joined_text(const std::vector<std::string>& parts);

/// "1 case", "12 cases", with thousands separated.
std::string counted_text(std::integral auto count, std::string_view one, std::string_view several) {
  return count_text(count).append(" ").append(count == 1 ? one : several);
}

/// "ok", "out of memory".
std::string status_text(Status status);

/// Capitalises the first letter, except in names such as `oneDNN`.
std::string capitalised(std::string text);

/// Keeps letters and digits and replaces all else by dashes, for ids and chart names.
std::string slug_of(std::string_view text);

}  // namespace breakeven
