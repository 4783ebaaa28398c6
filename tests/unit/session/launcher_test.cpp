#include "session/launcher.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace breakeven {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

TEST(Launcher, WordsAreThoseOfAShell) {
  EXPECT_THAT(launch_words("srun -n {ranks}  --comment 'two words'", 4),
              ElementsAre("srun", "-n", "4", "--comment", "two words"));
}

TEST(Launcher, WithoutRanksItIsRefused) {
  EXPECT_THAT([] { launch_words("mpirun -np 2", 2); },
              ThrowsMessage<std::runtime_error>(HasSubstr("must contain {ranks}")));
}

TEST(Launcher, MpirunIsKnownByItsVersion) {
  EXPECT_EQ(launcher_for("mpirun (Open MPI) 4.1.4\n\nReport bugs to ..."),
            "mpirun -np {ranks} --bind-to none");
  EXPECT_EQ(launcher_for("HYDRA build details:\n    Version: 4.0.2\n"), "mpirun -np {ranks} -bind-to none");
  EXPECT_THAT([] { launcher_for("Intel(R) MPI Library for Linux\n"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("neither Open MPI nor MPICH; say how")));
  EXPECT_THAT([] { launcher_for(""); }, ThrowsMessage<std::runtime_error>(HasSubstr("no mpirun is found")));
}

constexpr const char* dashes = "--------------------------------------------------------------------------\n";

TEST(Launcher, TheReasonIsThatOfTheRankThatDidNotReachTheDriver) {
  EXPECT_EQ(
      reason_of_ranks(fmt::format(
          "warning\nbreakeven: this rank cannot connect\n{}Primary job terminated\n{}", dashes, dashes)),
      "breakeven: this rank cannot connect");
}

TEST(Launcher, OrTheFirstParagraphOfMpirunsMessage) {
  EXPECT_EQ(
      reason_of_ranks(fmt::format("{}There are not enough slots available in the system\nto satisfy the 4 "
                                  "slots:\n\n  program\n\nEither request fewer.\n{}",
                                  dashes, dashes)),
      "There are not enough slots available in the system to satisfy the 4 slots:");
  EXPECT_EQ(reason_of_ranks(fmt::format(
                "{}mpirun noticed that process rank 1 exited on signal 9 (Killed).\n{}", dashes, dashes)),
            "mpirun noticed that process rank 1 exited on signal 9 (Killed).");
}

TEST(Launcher, MessagesThatNameARankAreMoreThanOthers) {
  EXPECT_EQ(
      reason_of_ranks(fmt::format("{0}Primary job  terminated normally, but 1 process returned\na non-zero "
                                  "exit code.\n{0}{0}mpirun noticed that process rank 1 with PID 0 on node a "
                                  "exited on signal 9 (Killed).\n{0}",
                                  dashes)),
      "mpirun noticed that process rank 1 with PID 0 on node a exited on signal 9 (Killed).");
}

TEST(Launcher, MessagesMayBeCutAtTheirBeginningAndEnd) {
  EXPECT_EQ(reason_of_ranks(fmt::format("the end of one\n{0}{0}process rank 2 has gone\nwith", dashes)),
            "process rank 2 has gone with");
  EXPECT_EQ(reason_of_ranks(fmt::format("{0}cut\nat the end", dashes)), "cut at the end");
  EXPECT_EQ(
      reason_of_ranks(fmt::format("ssh: connect to host b: timed out\n{}ORTE was unable to start", dashes)),
      "ssh: connect to host b: timed out");
}

TEST(Launcher, OtherOutputHasNoReason) {
  EXPECT_THAT(reason_of_ranks("Traceback\nImportError: no torch\n"), IsEmpty());
}

}  // namespace
}  // namespace breakeven
