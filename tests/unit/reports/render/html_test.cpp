#include "reports/render/html.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "reports/document/builders.h"
#include "unit/reports_sample.h"

namespace breakeven::html_test {
namespace {

using sample::product;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The data that the script of the page reads.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(HtmlPage, HasEveryCardOnceAndEveryPictureTwice) {
  const Document document = document_of(
      Measured{.results = {sample::result(sample::with_gpu(2e-4)),
                           sample::on_machine("other", sample::result({product("onednn", 64, 1)}))}});
  const std::string page = render_html(document);
  std::size_t pictures = 0;
  const auto count_folds = [&](const std::vector<Fold>& folds) {
    for (const Fold& fold : folds) pictures += fold.charts.size();
  };
  for (const Card& card : document.cards) {
    EXPECT_EQ(count(page, "<section class=\"card\" id=\"" + card.id + "\""), 1U) << card.id;
    EXPECT_EQ(count(page, "<a href=\"#" + card.id + "\">"), 1U) << "in the table of contents";
    pictures += card.picture ? 1U : 0U;
    count_folds(card.folds);
  }
  count_folds(document.folds);
  EXPECT_GT(pictures, 1U);
  EXPECT_EQ(count(page, "<figure>"), pictures);
  EXPECT_EQ(count(page, "<svg"), 2 * pictures) << "for a wide page and for a phone";
}

TEST(HtmlPage, OneQuestionNeedsNoContents) {
  const Document document{.title = "T", .cards = {{.id = "q", .question = "Q?"}}};
  EXPECT_THAT(render_html(document), Not(HasSubstr("<nav")));
}

TEST(HtmlPage, HasAllResultsForItsScript) {
  Result run = sample::result({product("onednn", 64, 6e-3), product("blis", 64, 0.012),
                               sample::refused(product("cuda", 64, 1), Status::failed, "no")});
  const auto table =
      data_of(render_html(document_of(Measured{.results = {run}}))).at("which-is-faster").at(0);
  EXPECT_EQ(table.at("group"), "problem");
  std::vector<std::string> headings;
  for (const auto& column : table.at("columns")) headings.push_back(column.at("heading"));
  EXPECT_THAT(headings, testing::IsSupersetOf({"problem", "backend", "time, ms", "compared"}));
  ASSERT_THAT(table.at("rows"), SizeIs(3));
  const auto time =
      static_cast<std::size_t>(std::find(headings.begin(), headings.end(), "time, ms") - headings.begin());
  EXPECT_EQ(table["rows"][0][0], "64 x 64 x 64 f32");
  EXPECT_EQ(table["rows"][0][time], 6e-3) << "in seconds, exactly: the script sorts by it";
  EXPECT_EQ(table["columns"][time].at("scale"), 1e-3);
  EXPECT_TRUE(table["rows"][2][time].is_null());
  EXPECT_EQ(table["rows"][2].back(), nlohmann::json({"failed: no", "", "bad"}));
}

TEST(HtmlPage, OfNothingIsAPage) {
  const std::string page = render_html({});
  EXPECT_THAT(page, testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(page, testing::EndsWith("</html>\n"));
  EXPECT_EQ(data_of(page), nlohmann::json::object());
  EXPECT_THAT(render_html(document_of(Measured{.results = {sample::result({})}})),
              HasSubstr("No problem was measured"));
}

TEST(HtmlPage, FoldsAllButTheFirstNotes) {
  Document document{.title = "T"};
  for (int i = 0; i < 8; ++i)
    document.notes.push_back({.text = "note " + std::to_string(i), .tone = Tone::warning});
  const std::string page = render_html(document);
  EXPECT_THAT(page, HasSubstr("<li class=\"warning\">note 5</li></ul>"));
  EXPECT_THAT(page, HasSubstr("<summary>2 more notes</summary>"));
}

}  // namespace
}  // namespace breakeven::html_test
