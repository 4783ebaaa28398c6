// The texts of files with the words that the program gives them.
#pragma once

#include <string>

#include "reports/words/notes.h"
#include "reports/words/words.h"

namespace breakeven {

template <typename T>
requires requires(const T& found) {
  to_json_text(found, report_words());
}
std::string to_json_text(const T& found) {
  return to_json_text(found, report_words());
}

}  // namespace breakeven
