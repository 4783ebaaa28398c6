// Everything that breakeven found, as the JSON that its own commands read.
#include "reports/exports/format.h"
#include "reports/history.h"
#include "results/reading.h"

namespace breakeven {
namespace {

template <typename T>
FormattedReport formatted_json(const T& found) {
  FormattedReport report{.text = to_json_text(found)};
  expect_readable(report.text, "--out", "select fewer cases with --filter, or give smaller files");
  return report;
}

const FormatRegistration json_format({.option = "--out",
                                      .meaning = "everything that was found, as JSON",
                                      .threshold = formatted_json<Threshold>,
                                      .verdicts = formatted_json<Verdicts>,
                                      .ranking = formatted_json<Ranking>,
                                      .history = [](const CheckedHistory& history) -> FormattedReport {
                                        return {.text = history_json(history.check, history.store)};
                                      }});

}  // namespace
}  // namespace breakeven
