// Names of backends, libraries and work in sentences.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "reports/document/numbers.h"
#include "results/result.h"

namespace breakeven {

/// backend_spelling(), printable.
std::string backend_title(std::string_view name);

/// `matrix products`, `training steps`; `problems` for an operation that this program does not know.
std::string plural_of(std::string_view op);

/// The activity of a case, to begin a sentence with: `Training the MLP`, `Matrix products`.
std::string activity_of(const CaseResult& result);

/// A threshold's title, as its file has it, for people: `infer, network cnn, f32` -> `Inference by the CNN,
/// f32`; `matmul, m = n = k, tuned false, f32` -> `Matrix products, m = n = k, not tuned, f32`.
std::string work_title(std::string_view stored);

/// "a", "a and b", "a, b and c".
std::string joined_text(const std::vector<std::string>& parts);

/// "1 case", "12 cases", with thousands separated.
std::string counted_text(std::integral auto count, std::string_view one, std::string_view several) {
  return count_text(count).append(" ").append(count == 1 ? one : several);
}

/// "ok", "out of memory".
std::string status_text(Status status);

/// The first letter as a capital, as a sentence begins; names such as `oneDNN` stay as they are.
std::string capitalised(std::string text);

/// Letters and digits, everything else a dash: for ids and chart names.
std::string slug_of(std::string_view text);

}  // namespace breakeven
