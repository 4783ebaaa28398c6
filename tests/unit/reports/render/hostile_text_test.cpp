// Text from elsewhere stays in its place, in every field, in every form.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "history/check.h"
#include "reports/document/builders.h"
#include "reports/render/html.h"
#include "reports/render/markdown.h"
#include "reports/render/terminal.h"
#include "unit/history_sample.h"
#include "unit/hostile_sample.h"
#include "unit/rankings.h"
#include "unit/reports_sample.h"
#include "unit/thresholds_sample.h"
#include "unit/verdicts_sample.h"
#include "unit/well_formed.h"

namespace breakeven::hostile_text_test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string evil =
    "a|b\n## <img src=x> [l](http://e) `c` *d* @someone #1 %0A \\| \x1b[31m\x1b]0;owned\x07 \xff "
    "\xe2\x80\xae "
    "</script><script>alert(1)</script> {{title}} {{{data}}} ]]> \"q\" 'r'\r\nfake line | end";

BackendRecord evil_backend(bool available) {
  BackendRecord b = sample::backend(evil, available, evil);
  b.version = b.device_name = evil;
  b.libraries = {{evil, evil}};
  return b;
}

Result evil_result() {
  Result run =
      sample::result({sample::product("a", 64, 1), sample::product("b", 64, 2), sample::training("c"),
                      sample::refused(sample::product("d", 64, 1), Status::failed, evil)});
  for (const std::int64_t batch : {1, 2, 4}) run.cases.push_back(sample::inference("onednn", batch, 1));
  for (CaseResult& c : run.cases) {
    c.label = c.algorithm = evil;
    c.backend += evil;
    c.warnings = {quoted_note(evil)};
  }
  run.cases[2].op = run.cases[2].dtype = run.cases[2].device = evil;
  run.cases[2].id = "other";
  run.warnings = {quoted_note(evil)};
  run.host.name = run.host.cpu = run.host.os = run.host.kernel = run.created = run.tool_version = evil;
  Gpu& gpu = run.host.gpus.emplace_back();
  gpu.id = evil;
  gpu.name = evil;
  run.backends = {evil_backend(true), evil_backend(false)};
  run.config = nlohmann::json{{"title", evil}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return run;
}

Threshold evil_threshold() {
  Threshold t = sample::threshold();
  t.title = t.host.name = t.host.cpu = t.created = t.tool_version = evil;
  t.warnings = {quoted_note(evil)};
  t.answers[0].title = evil;
  t.answers[0].notes = {quoted_note(evil)};
  t.answers[0].points[0].sides[0].backend = evil;
  t.answers[0].points[1].reason = evil;
  t.sides[0].name = t.sides[1].name = evil;
  t.sides[1].price->from = {.currency = evil, .source = evil, .date = evil};
  return t;
}

Verdicts evil_verdicts() {
  Verdicts v = sample::one_of_each_verdict();
  v.method = {quoted_note(evil)};
  v.base.source = v.head.source = v.host.name = v.host.cpu = v.kind = v.created = v.tool_version = evil;
  v.warnings = {quoted_note(evil)};
  v.notes = {evil};
  v.base.environment = {{evil, evil}};
  v.base.backends = {evil_backend(true)};
  for (CaseVerdict& c : v.cases) {
    c.label = c.op = c.backend = c.base_algorithm = evil;
    c.reasons = {quoted_note(evil)};
    c.head_algorithm = evil + "2";
    c.notes = {quoted_note(evil), quoted_note(evil)};
    c.launches = {{.base = {1, 2}, .head = {2, 3}}};
  }
  return v;
}

std::vector<Document> evil_documents() {
  std::vector<Document> all;
  all.push_back(document_of(Measured{.results = {evil_result()}}));
  all.push_back(document_of(
      Measured{.results = {evil_result(), sample::on_machine("other", evil_result()), sample::hostile()},
               .thresholds = {evil_threshold()}}));
  all.push_back(document_of(evil_threshold()));
  all.push_back(document_of(evil_verdicts()));
  std::vector<Result> results{evil_result(),
                              sample::on_machine("other", sample::result({sample::product("b", 64, 2)}))};
  Ranking ranking = rank_results(results, {});
  ranking.title = ranking.op = evil;
  ranking.left_out = ranking.nobody = {evil};
  ranking.uncounted = {{.candidate = evil, .cases = 1, .lacking = {evil}}};
  Rankings rankings = alone(ranking);
  rankings.created = rankings.tool_version = evil;
  rankings.not_ranked = rankings.unused_prices = {evil};
  all.push_back(document_of(rankings));
  rankings.all.push_back(ranking);
  all.push_back(document_of(rankings));
  History history = sample::history_of({sample::stepped(60, 40, 1.2)});
  history.series[0].case_id = history.series[0].backend = history.machines[0].name =
      history.machines[0].description = evil;
  for (auto& run : history.runs) run.commit = run.time = run.branch = run.source = evil;
  all.push_back(document_of(CheckedHistory{.check = check_history(history, {}), .store = evil}));
  return all;
}

TEST(HostileText, CannotSteerATerminal) {
  for (const Document& document : evil_documents()) {
    for (const bool answer_first : {false, true}) {
      const std::string text =
          render_terminal(document, {.style = {.width = 100}, .answer_first = answer_first});
      for (const char c : text)
        ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << document.title;
      EXPECT_THAT(text, Not(HasSubstr("\xff")));
      EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae"))) << "nothing that changes the direction of writing";
    }
    EXPECT_THAT(render_answers(document), Not(HasSubstr("\x1b")));
    EXPECT_THAT(render_answers(document), Not(HasSubstr("\nfake line")));
  }
}

TEST(HostileText, IsNoMarkdown) {
  for (const Document& document : evil_documents()) {
    const std::string text = render_markdown(document);
    for (const char* part : {"<img", "<script", "@someone", "\x1b", "\n## &lt;", "\nfake line", "[l]("})
      EXPECT_THAT(text, Not(HasSubstr(part))) << document.title;
    EXPECT_EQ(well_formed::fault_of_markdown(text), "");
  }
}

TEST(HostileText, IsNoMarkupOfAPage) {
  for (const Document& document : evil_documents()) {
    const std::string page = render_html(document);
    for (const char* part :
         {"<img", "<script>alert", "</script><script>alert", "\x1b", "\xff", "\xe2\x80\xae"})
      EXPECT_THAT(page, Not(HasSubstr(part))) << document.title;
    EXPECT_EQ(well_formed::fault_of_page(page), "");
    EXPECT_THAT(page, HasSubstr("{{title}}")) << "shown, not filled in";
  }
}

}  // namespace
}  // namespace breakeven::hostile_text_test
