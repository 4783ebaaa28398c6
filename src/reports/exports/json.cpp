// Everything that breakeven found, as the JSON that its own commands read.
#include "reports/exports/format.h"
#include "reports/exports/ranking_json.h"
#include "reports/history.h"
#include "reports/words/words.h"
#include "results/reading.h"

namespace breakeven {
namespace {

FormattedReport readable(std::string text) {
  expect_readable(text, "--out", "select fewer cases with --filter, or give smaller files");
  return {.text = std::move(text)};
}

template <typename T>
FormattedReport formatted_json(const T& found) {
  return readable(to_json_text(found));
}

/// With the words of its facts.
template <typename T>
FormattedReport worded_json(const T& found) {
  return readable(to_json_text(found, report_words()));
}

FormattedReport formatted_history(const CheckedHistory& history) {
  return {.text = history_json(history.check, history.store)};
}

const FormatRegistration json_format({.option = "--out",
                                      .meaning = "everything that was found, as JSON",
                                      .writes = {worded_json<Threshold>, worded_json<Verdicts>,
                                                 formatted_json<Rankings>, worded_json<Fleet>,
                                                 formatted_history}});

}  // namespace
}  // namespace breakeven
