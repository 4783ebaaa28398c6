// The causes for which cases were not compared.
#include <gmock/gmock.h>

#include "reports/document/verdict_findings.h"
#include "unit/verdicts_sample.h"

namespace breakeven::verdict_causes_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::pair<std::string, std::size_t>> causes(const Verdicts& verdicts) {
  std::vector<std::pair<std::string, std::size_t>> found;
  for (const CauseGroup& group : incomparable_by_cause(verdicts))
    found.emplace_back(group.cause, group.cases.size());
  return found;
}

CaseVerdict different(std::int64_t m, std::vector<std::string> differences, const std::string& reason) {
  CaseVerdict c = sample::incomparable(m, reason);
  c.differences = std::move(differences);
  return c;
}

CaseVerdict of_statuses(std::int64_t m, Status base, Status head) {
  CaseVerdict c = sample::incomparable(m, "why");
  c.base_status = base;
  c.head_status = head;
  return c;
}

TEST(IncomparableCases, AreGroupedByCauseTheLargestGroupFirst) {
  const Verdicts verdicts =
      sample::verdicts({of_statuses(1, Status::ok, Status::timed_out),
                        different(2, {"machine", "library"}, "different CPU: A → B"),
                        different(3, {"machine", "library"}, "different CPU: A → B; different clock"),
                        of_statuses(4, Status::wrong, Status::ok), sample::verdict_of(Verdict::same, 5, 1),
                        of_statuses(6, Status::failed, Status::failed),
                        of_statuses(7, Status::ok, Status::unsupported), different(8, {"clocks"}, "")});
  EXPECT_THAT(causes(verdicts),
              ElementsAre(std::pair("different machine and library", 2U), std::pair("the head timed out", 1U),
                          std::pair("the base is wrong", 1U), std::pair("both sides: failed", 1U),
                          std::pair("the head does not support it", 1U), std::pair("different clocks", 1U)));
  const auto groups = incomparable_by_cause(verdicts);
  EXPECT_EQ(groups[0].reason, "different CPU: A → B");
  EXPECT_THAT(groups[0].cases, ElementsAre(&verdicts.cases[1], &verdicts.cases[2]));
}

TEST(IncomparableCases, AreNeitherWrongNorUnsupportedNorNew) {
  CaseVerdict added = sample::incomparable(3, "");
  added.presence = Presence::only_head;
  EXPECT_THAT(causes(sample::verdicts({of_statuses(1, Status::ok, Status::wrong),
                                       of_statuses(2, Status::unsupported, Status::unsupported), added})),
              IsEmpty());
}

TEST(IncomparableCases, AreAlsoThoseThatOneSideLacks) {
  CaseVerdict missing = sample::incomparable(1, "");
  missing.presence = Presence::only_base;
  CaseVerdict broken = of_statuses(2, Status::ok, Status::failed);
  broken.presence = Presence::only_head;
  EXPECT_THAT(causes(sample::verdicts({missing, broken, sample::incomparable(3, "a reason of its own")})),
              ElementsAre(std::pair("missing in the head", 1U), std::pair("new, and the head failed", 1U),
                          std::pair("a reason of its own", 1U)));
}

}  // namespace
}  // namespace breakeven::verdict_causes_test
