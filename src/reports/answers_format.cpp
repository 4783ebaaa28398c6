// --answers.
#include "reports/exports/format.h"
#include "reports/headlines.h"
#include "reports/rank_report.h"

namespace breakeven {
namespace {

const FormatRegistration answers_format({.option = "--answers",
                                         .meaning = "the answers, one sentence a line",
                                         .measured = [](const Measured& measured) -> FormattedReport {
                                           return {.text =
                                                       answers_text(measured.results, measured.thresholds)};
                                         },
                                         .ranking = [](const Ranking& ranking) -> FormattedReport {
                                           return {.text = rank_answers(ranking)};
                                         }});

}  // namespace
}  // namespace breakeven
