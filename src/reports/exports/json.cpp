// Everything that breakeven found, as the JSON that its own commands read.
#include "reports/exports/format.h"
#include "reports/history.h"

namespace breakeven {
namespace {

template <typename T>
FormattedReport json_of(const T& found) {
  return {.text = to_json_text(found)};
}

const FormatRegistration json_format({.option = "--out",
                                      .meaning = "everything that was found, as JSON",
                                      .threshold = json_of<Threshold>,
                                      .verdicts = json_of<Verdicts>,
                                      .ranking = json_of<Ranking>,
                                      .history = [](const CheckedHistory& history) -> FormattedReport {
                                        return {.text = history_json(history.check, history.store)};
                                      }});

}  // namespace
}  // namespace breakeven
