// --html.
#include "reports/exports/format.h"
#include "reports/html_rank.h"
#include "reports/html_results.h"

namespace breakeven {
namespace {

const FormatRegistration html_format(
    {.option = "--html",
     .meaning = "a page for a browser",
     .measured = [](const Measured& measured) -> FormattedReport { return {.text = html_report(measured)}; },
     .threshold = [](const Threshold& threshold) -> FormattedReport {
       return {.text = html_report({.results = {}, .thresholds = {threshold}})};
     },
     .ranking = [](const Ranking& ranking) -> FormattedReport { return {.text = rank_html(ranking)}; }});

}  // namespace
}  // namespace breakeven
