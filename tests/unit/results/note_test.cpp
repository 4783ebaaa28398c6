#include "results/note.h"

#include <gmock/gmock.h>

#include <cmath>

#include "json/fields.h"
#include "results/words.h"

namespace breakeven::note_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Something with notes in a file.
struct Noted {
  std::vector<Note> notes = {};
};
void fields(Fields& f, Noted& noted) {
  note_fields(f, noted.notes);
}

std::vector<Note> read(const std::string& text) {
  const Json json = Json::parse(text);
  return read_fields<Noted>(JsonReader(json)).notes;
}

const Words shouted{.of_note = [](const Note& note) { return std::string(name(note.kind)) + "!"; },
                    .of_notes = nullptr,
                    .of_answer = nullptr};

TEST(NotesInFiles, HaveTheirWordsAndTheirFacts) {
  const std::vector<Note> notes{
      {.kind = NoteKind::few_samples, .figures = {3, 0.5}},
      with_source("openblas", quoted_note("slow kernels")),
      {.kind = NoteKind::gpu_clocks, .figures = {2, 40}, .about = {"power", "heat"}}};
  const Json json = json_of(Noted{notes}, &shouted);
  EXPECT_THAT(json.at("warnings"), ElementsAre("few_samples!", "quoted!", "gpu_clocks!"));
  EXPECT_EQ(json.at("notes").at(0),
            Json::parse(R"({"kind": "few_samples", "samples": 3.0, "seconds": 0.5})"));
  EXPECT_EQ(read(json.dump()), notes);
}

TEST(NotesInFiles, AreTextsAloneIfTheyHaveNoMore) {
  const Json json = json_of(Noted{{quoted_note("of another program")}});
  EXPECT_FALSE(json.contains("notes"));
  EXPECT_THAT(read(json.dump()), ElementsAre(quoted_note("of another program")));
  EXPECT_THAT(read("{}"), ElementsAre());
}

/// A later version may add kinds, and other programs may write what they like.
TEST(NotesInFiles, KeepTheTextOfWhatIsNotKnown) {
  EXPECT_THAT(read(R"({"warnings": ["the text"], "notes": [{"kind": "of tomorrow", "amount": 1}]})"),
              ElementsAre(quoted_note("the text")));
  EXPECT_THAT(read(R"({"warnings": ["the text"], "notes": [{"kind": "quoted"}]})"),
              ElementsAre(quoted_note("the text")));
  const auto notes = read(R"({"warnings": ["drifted"], "notes": [{"kind": "drift", "change": null}]})");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].kind, NoteKind::drift);
  EXPECT_TRUE(std::isnan(notes[0].figures.at(0)));
}

TEST(NotesInFiles, AreAsManyAsTheirTexts) {
  EXPECT_THAT([] { read(R"({"warnings": ["one"], "notes": [{"kind": "cpu_heat"}, {"kind": "cpu_heat"}]})"); },
              testing::ThrowsMessage<JsonError>(HasSubstr("has 2 notes and 1 warnings")));
  EXPECT_THAT([] { read(R"({"warnings": ["one"], "notes": [{}]})"); },
              testing::ThrowsMessage<JsonError>(HasSubstr("/notes/0/kind is missing")));
}

TEST(RoundedFigures, AreEqualWhereTheirWordsAre) {
  EXPECT_EQ(rounded(1.00000001e-3), rounded(0.99999999e-3));
  EXPECT_DOUBLE_EQ(rounded(123456), 123000);
  EXPECT_EQ(rounded(0), 0);
  EXPECT_DOUBLE_EQ(rounded_share(0.7149), 0.71);
}

}  // namespace
}  // namespace breakeven::note_test
