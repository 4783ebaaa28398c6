#include "text/shell.h"

#include <gtest/gtest.h>

namespace breakeven {
namespace {

TEST(Shell, WordsAreQuotedWhereAShellWouldReadThem) {
  EXPECT_EQ(shell_word("results/vm/quick.json"), "results/vm/quick.json");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$x"), "'$x'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("-x"), "-x") << "an option's value";
}

TEST(Shell, FilesAreNotTakenForOptions) {
  EXPECT_EQ(shell_file("-x"), "./-x");
  EXPECT_EQ(shell_file("--out=a b"), "'./--out=a b'");
  EXPECT_EQ(shell_file("-"), "./-");
  EXPECT_EQ(shell_file("a/-x"), "a/-x");
}

}  // namespace
}  // namespace breakeven
