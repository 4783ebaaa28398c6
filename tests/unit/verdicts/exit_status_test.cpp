// Tests the exit status of a comparison.
#include <gmock/gmock.h>

#include "verdicts/verdict.h"

namespace breakeven {
namespace {

CaseVerdict of_verdict(Verdict verdict) {
  CaseVerdict made;
  made.verdict = verdict;
  return made;
}

CaseVerdict of_presence(Presence presence, Status status) {
  CaseVerdict made = of_verdict(Verdict::incomparable);
  made.presence = presence;
  made.base_status = made.head_status = status;
  return made;
}

int status_of(std::vector<CaseVerdict> cases) {
  Verdicts verdicts;
  verdicts.cases = std::move(cases);
  return exit_status(verdicts);
}

TEST(VerdictExitStatus, IsGoodWhereNothingGotSlower) {
  EXPECT_EQ(status_of({of_verdict(Verdict::same), of_verdict(Verdict::faster)}), 0);
}

TEST(VerdictExitStatus, IsFourWhereNothingWasCompared) {
  EXPECT_EQ(status_of({}), 4);
  for (const Presence presence : {Presence::both, Presence::only_head, Presence::only_base})
    EXPECT_EQ(status_of({of_presence(presence, Status::unsupported)}), 4) << name(presence);
  EXPECT_EQ(status_of({of_presence(Presence::only_head, Status::ok)}), 4);
}

TEST(VerdictExitStatus, TellsWhatMustBeActedOnFirst) {
  const auto slower = of_verdict(Verdict::slower);
  const auto incomparable = of_verdict(Verdict::incomparable);
  const auto inconclusive = of_verdict(Verdict::inconclusive);
  EXPECT_EQ(status_of({inconclusive, of_verdict(Verdict::same)}), 3);
  EXPECT_EQ(status_of({inconclusive, incomparable}), 4);
  EXPECT_EQ(status_of({inconclusive, incomparable, slower}), 1);
}

TEST(VerdictExitStatus, IsGoodWhereACaseIsCertainlyNotSlower) {
  auto not_slower = of_verdict(Verdict::inconclusive);
  not_slower.not_slower = true;
  EXPECT_EQ(status_of({not_slower, of_verdict(Verdict::same)}), 0);
  EXPECT_EQ(status_of({not_slower, of_verdict(Verdict::inconclusive)}), 3);
}

TEST(VerdictExitStatus, IsOneForAWrongHeadWhateverTheBaseWas) {
  for (const Presence presence : {Presence::both, Presence::only_head})
    EXPECT_EQ(status_of({of_presence(presence, Status::wrong)}), 1) << name(presence);
}

TEST(VerdictExitStatus, CountsWhatIsMissingButNotWhatIsNew) {
  EXPECT_EQ(status_of({of_presence(Presence::only_base, Status::ok)}), 4);
  EXPECT_EQ(status_of({of_presence(Presence::only_head, Status::ok), of_verdict(Verdict::same)}), 0);
  EXPECT_EQ(status_of({of_presence(Presence::only_head, Status::failed)}), 4);
}

TEST(VerdictExitStatus, IsFourForWhateverANewCaseFailsBy) {
  for (const Status status : {Status::failed, Status::timed_out, Status::out_of_memory, Status::interrupted})
    EXPECT_EQ(status_of({of_presence(Presence::only_head, status)}), 4) << name(status);
  EXPECT_EQ(status_of({of_presence(Presence::only_head, Status::unsupported), of_verdict(Verdict::same)}), 0);
  EXPECT_EQ(status_of({of_presence(Presence::only_base, Status::unsupported), of_verdict(Verdict::same)}), 0);
  EXPECT_EQ(status_of({of_presence(Presence::only_head, Status::implausible)}), 1);
  EXPECT_EQ(status_of({of_presence(Presence::only_base, Status::wrong)}), 4)
      << "the base's answers are no fault";
}

TEST(VerdictExitStatus, DoesNotCountWhatNeitherSideSupports) {
  EXPECT_EQ(status_of({of_presence(Presence::both, Status::unsupported), of_verdict(Verdict::same)}), 0);
  auto lost = of_presence(Presence::both, Status::unsupported);
  lost.base_status = Status::ok;
  EXPECT_EQ(status_of({lost}), 4);
  auto gained = of_presence(Presence::both, Status::unsupported);
  gained.head_status = Status::ok;
  EXPECT_EQ(status_of({gained}), 4);
}

TEST(VerdictNames, AreReadAsTheyAreWritten) {
  for (const auto& [verdict, text] :
       {std::pair(Verdict::same, "same"), std::pair(Verdict::slower, "slower"),
        std::pair(Verdict::faster, "faster"), std::pair(Verdict::inconclusive, "inconclusive"),
        std::pair(Verdict::incomparable, "incomparable")}) {
    EXPECT_EQ(name(verdict), text);
    EXPECT_EQ(parse_name<Verdict>(text), verdict);
  }
  for (const auto& [presence, text] :
       {std::pair(Presence::both, "both"), std::pair(Presence::only_base, "only_base"),
        std::pair(Presence::only_head, "only_head")}) {
    EXPECT_EQ(name(presence), text);
    EXPECT_EQ(parse_name<Presence>(text), presence);
  }
  EXPECT_EQ(parse_name<Verdict>("Slower"), std::nullopt);
  EXPECT_EQ(parse_name<Presence>("base"), std::nullopt);
}

}  // namespace
}  // namespace breakeven
