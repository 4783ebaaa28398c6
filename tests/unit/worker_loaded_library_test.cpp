// From which file a library was loaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/loaded_library.h"

namespace breakeven {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(LoadedLibrary, IsTheFileThatGivesTheSymbol) {
  EXPECT_THAT(file_of_symbol("printf"), StartsWith("/"));
  EXPECT_THAT(file_of_symbol("printf"), HasSubstr("libc"));
  EXPECT_EQ(file_of_symbol("no_such_symbol_anywhere"), "");
}

TEST(LoadedLibrary, IsWarnedOfWhereAnotherLibraryGivesTheSymbol) {
  const LoadedLibrary good = loaded_library("libc", "printf", "malloc");
  EXPECT_EQ(good.file, file_of_symbol("printf"));
  EXPECT_EQ(good.warning, "");
  // libstdc++ has a symbol of its own, and printf is not from there.
  const LoadedLibrary bad = loaded_library("stdc++", "printf", "__cxa_throw");
  EXPECT_THAT(bad.warning, HasSubstr("printf comes from " + good.file + ", not from stdc++ ("));
  EXPECT_THAT(bad.warning, HasSubstr("LD_PRELOAD"));
}

TEST(LoadedLibrary, IsNoOthersByItsName) {
  EXPECT_EQ(loaded_library("libc", "printf", "__cxa_throw").warning, "") << "two files of one library";
}

TEST(LoadedLibrary, IsNotWarnedOfWhereNothingIsKnown) {
  EXPECT_EQ(loaded_library("x", "no_such_symbol", "printf").warning, "");
  EXPECT_EQ(loaded_library("x", "printf", "no_such_symbol").warning, "");
}

}  // namespace
}  // namespace breakeven
