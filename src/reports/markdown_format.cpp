// --markdown.
#include "reports/exports/format.h"
#include "reports/markdown.h"
#include "reports/rank_report.h"
#include "reports/threshold_report.h"
#include "reports/verdicts_markdown.h"

namespace breakeven {
namespace {

FormattedReport measured_markdown(const Measured& measured) {
  FormattedReport made;
  if (!measured.results.empty()) made.text = markdown_report(measured.results);
  for (const Threshold& threshold : measured.thresholds)
    made.text += (made.text.empty() ? "" : "\n") + threshold_markdown(threshold);
  return made;
}

const FormatRegistration markdown_format({.option = "--markdown",
                                          .meaning = "a summary in Markdown, as for $GITHUB_STEP_SUMMARY",
                                          .measured = measured_markdown,
                                          .threshold = [](const Threshold& threshold) -> FormattedReport {
                                            return {.text = threshold_markdown(threshold)};
                                          },
                                          .verdicts = [](const Verdicts& verdicts) -> FormattedReport {
                                            return {.text = verdicts_markdown(verdicts)};
                                          },
                                          .ranking = [](const Ranking& ranking) -> FormattedReport {
                                            return {.text = rank_markdown(ranking)};
                                          }});

}  // namespace
}  // namespace breakeven
