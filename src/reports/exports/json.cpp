// Everything that breakeven found, as the JSON that its own commands read.
#include "reports/exports/format.h"
#include "reports/history.h"
#include "reports/words/words.h"
#include "results/reading.h"

namespace breakeven {
namespace {

template <typename T>
FormattedReport formatted_json(const T& found) {
  FormattedReport report;
  if constexpr (requires { to_json_text(found, &report_words()); })
    report.text = to_json_text(found, &report_words());
  else
    report.text = to_json_text(found);
  expect_readable(report.text, "--out", "select fewer cases with --filter, or give smaller files");
  return report;
}

FormattedReport formatted_history(const CheckedHistory& history) {
  return {.text = history_json(history.check, history.store)};
}

const FormatRegistration json_format({.option = "--out",
                                      .meaning = "everything that was found, as JSON",
                                      .writes = {formatted_json<Threshold>, formatted_json<Verdicts>,
                                                 formatted_json<Ranking>, formatted_json<Fleet>,
                                                 formatted_history}});

}  // namespace
}  // namespace breakeven
