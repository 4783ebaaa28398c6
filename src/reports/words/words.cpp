#include "reports/words/words.h"

#include "reports/words/notes.h"
#include "reports/words/threshold_words.h"

namespace breakeven {

const Words& report_words() {
  static constexpr Words words{.of_note = note_text, .of_notes = reasons_text, .of_answer = in_words};
  return words;
}

}  // namespace breakeven
