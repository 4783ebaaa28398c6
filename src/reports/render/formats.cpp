// --html, --markdown and --answers: formats for readers, for every kind of report.
#include "reports/document/builders.h"
#include "reports/exports/format.h"
#include "reports/render/html.h"
#include "reports/render/markdown.h"

namespace breakeven {
namespace {

using Renderer = std::string (*)(const Document&);

template <Renderer render, typename T>
FormattedReport rendered(const T& of) {
  return {.text = render(render == render_html ? document_of(of) : text_document_of(of))};
}

template <Renderer render, typename... T>
Formatters of_every_kind(const std::variant<const T*...>* /*subject*/) {
  return {rendered<render, T>...};
}

template <Renderer render>
OutputFormat form(const char* option, const char* meaning) {
  return {.option = option,
          .meaning = meaning,
          .writes = of_every_kind<render>(static_cast<const Subject*>(nullptr))};
}

const FormatRegistration html(form<render_html>("--html", "a page for a browser"));
const FormatRegistration markdown(
    form<render_markdown>("--markdown", "a summary in Markdown; $GITHUB_STEP_SUMMARY is added to"));
const FormatRegistration answers(form<render_answers>("--answers", "the answers, one sentence a line"));

}  // namespace
}  // namespace breakeven
