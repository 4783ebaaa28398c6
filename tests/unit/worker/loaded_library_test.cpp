// Tests finding the file from which a library was loaded.
#include "worker/loaded_library.h"

#include <gmock/gmock.h>

namespace breakeven {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Symbols that no sanitizer intercepts: an intercepted one is the program's own.
TEST(LoadedLibrary, IsTheFileThatGivesTheSymbol) {
  EXPECT_THAT(file_of_symbol("gnu_get_libc_version"), StartsWith("/"));
  EXPECT_THAT(file_of_symbol("gnu_get_libc_version"), HasSubstr("libc"));
  EXPECT_EQ(file_of_symbol("no_such_symbol_anywhere"), "");
}

TEST(LoadedLibrary, IsWarnedOfWhereAnotherLibraryGivesTheSymbol) {
  const LoadedLibrary good = loaded_library("libc", "gnu_get_libc_version", "gnu_get_libc_release");
  EXPECT_EQ(good.file, file_of_symbol("gnu_get_libc_version"));
  EXPECT_EQ(good.warning, "");
  // libstdc++ has a symbol of its own, and this one is not from there.
  const LoadedLibrary bad = loaded_library("stdc++", "gnu_get_libc_version", "__cxa_throw");
  EXPECT_THAT(bad.warning, HasSubstr("gnu_get_libc_version comes from " + good.file + ", not from stdc++ ("));
  EXPECT_THAT(bad.warning, HasSubstr("LD_PRELOAD"));
}

TEST(LoadedLibrary, IsNoOthersByItsName) {
  EXPECT_EQ(loaded_library("libc", "gnu_get_libc_version", "__cxa_throw").warning, "")
      << "two files of one library";
}

TEST(LoadedLibrary, IsNotWarnedOfWhereNothingIsKnown) {
  EXPECT_EQ(loaded_library("x", "no_such_symbol", "gnu_get_libc_version").warning, "");
  EXPECT_EQ(loaded_library("x", "gnu_get_libc_version", "no_such_symbol").warning, "");
}

}  // namespace
}  // namespace breakeven
