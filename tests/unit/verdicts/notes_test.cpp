// Tests that notes on verdicts are printed only once.
#include "reports/words/notes.h"

#include <gmock/gmock.h>

#include "unit/verdicts_sample.h"
#include "verdicts/notes.h"

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(VerdictNotes, NameASideOnlyWhereTheSidesDiffer) {
  EXPECT_THAT(note_texts(notes_of_sides({quoted_note("both"), quoted_note("was")},
                                        {quoted_note("both"), quoted_note("is")})),
              ElementsAre("both", "base: was", "head: is"));
}

TEST(VerdictNotes, OfBackendsNameTheSideThatHasThem) {
  BackendRecord base, head;
  base.warnings = {"slow kernels"};
  head.warnings = {"slow kernels", "another library"};
  EXPECT_THAT(note_texts(backend_warnings("openblas", &base, &head)),
              ElementsAre("openblas: slow kernels", "openblas: head: another library"));
  EXPECT_THAT(note_texts(backend_warnings("openblas", &base, nullptr)),
              ElementsAre("openblas: base: slow kernels"));
}

TEST(VerdictNotes, OfOneFileOnBothSidesWhereAnotherWasWanted) {
  BackendRecord backend;
  backend.name = "openblas";
  backend.library_files = {{"openblas", "/usr/lib/libopenblas.so.0"}};
  Side base;
  base.backends = {backend};
  base.environment = {{"LD_LIBRARY_PATH", "/old"}};
  Side head = base;
  EXPECT_THAT(same_file_warnings(base, head), IsEmpty()) << "nothing else was wanted";
  head.environment = {{"LD_LIBRARY_PATH", "/new"}};
  EXPECT_THAT(
      note_texts(same_file_warnings(base, head)),
      ElementsAre("openblas: both sides loaded /usr/lib/libopenblas.so.0, although LD_LIBRARY_PATH differs"));
  base.environment = {{"OPENBLAS_CORETYPE", "Haswell"}};
  head.environment = {{"OPENBLAS_CORETYPE", "Zen"}};
  EXPECT_THAT(same_file_warnings(base, head), IsEmpty()) << "one file has both kernels";
  head.environment = {{"LD_PRELOAD", "libmkl_rt.so"}};
  EXPECT_THAT(note_texts(same_file_warnings(base, head)),
              ElementsAre(testing::EndsWith("although LD_PRELOAD differs")));
  head.backends[0].library_files[0].second = "/new/libopenblas.so.0";
  EXPECT_THAT(same_file_warnings(base, head), IsEmpty());
  head.backends.clear();
  EXPECT_THAT(same_file_warnings(base, head), IsEmpty());
}

TEST(VerdictNotes, OfSeveralCasesAreOneWarning) {
  Verdicts verdicts = sample::verdicts({});
  for (const std::int64_t m : {1, 2, 3}) {
    verdicts.cases.push_back(sample::verdict_of(Verdict::same, m, 1));
    verdicts.cases.back().notes = quoted_notes({"256 elements were checked"});
  }
  verdicts.cases.push_back(sample::verdict_of(Verdict::same, 1, 1, "other"));
  verdicts.cases.back().notes = quoted_notes({"256 elements were checked"});
  verdicts.cases[1].notes.push_back(quoted_note("its own"));
  gather_common_notes(verdicts);
  EXPECT_THAT(note_texts(verdicts.warnings), ElementsAre("3 cases of openblas: 256 elements were checked"));
  EXPECT_THAT(note_texts(verdicts.cases[0].notes), IsEmpty());
  EXPECT_THAT(note_texts(verdicts.cases[1].notes), ElementsAre("its own"));
  EXPECT_THAT(note_texts(verdicts.cases[3].notes), ElementsAre("256 elements were checked"))
      << "one case's alone";
}

}  // namespace
}  // namespace breakeven
