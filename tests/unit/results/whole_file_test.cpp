#include "results/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <system_error>
#include <vector>

#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(WholeFile, ReplacesAFileAndKeepsItsPermissions) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  write_whole_file(file, "first");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_whole_file(file, "second");
  EXPECT_EQ(read_file(file), "second");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(WholeFile, AQuestionLeavesEverythingAsItIsAndMissingFoldersAreMadeWhenItIsWritten) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "new" / "folder" / "file";
  expect_writable(file);
  expect_writable(folder.path() / "file");
  EXPECT_EQ(files_in(folder.path()), 0U);
  write_whole_file(file, "text");
  expect_writable(file);
  EXPECT_EQ(read_file(file), "text");
  EXPECT_THROW(expect_writable(folder.path()), std::system_error);
  EXPECT_THROW(expect_writable(file / "below"), std::system_error);
  EXPECT_THROW(expect_writable(file / "below" / "a-file"), std::system_error);
  EXPECT_THROW(expect_writable(folder.path() / "other" / ""), std::system_error);
  EXPECT_THROW(expect_writable(folder.path() / "other" / std::string(300, 'a')), std::system_error);
  fs::path deep = folder.path();
  for (int i = 0; i < 2100; ++i) deep /= "b";
  EXPECT_THROW(expect_writable(deep), std::system_error);
}

/// The id of a process that has ended.
pid_t ended_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

TEST(WholeFile, WhatAKilledProcessWasWritingIsRemoved) {
  const TemporaryFolder folder;
  const std::string ended = std::to_string(ended_process());
  const auto file = folder.write("file.json", "whole");
  const std::vector<std::string> kept{"file.json." + std::to_string(getpid()) + "-0.part",  // may be at work
                                      "other.json." + ended + "-0.part",
                                      "file.json." + ended + "-0.part.txt",
                                      "file.json." + ended + "-.part",
                                      "file.json.part",
                                      "file.json." + ended + "0.part",
                                      "file.json.x" + ended + "-0.part"};
  for (const std::string& name : kept) folder.write(name, "");
  for (const char* number : {"0", "17"}) folder.write("file.json." + ended + "-" + number + ".part", "half");
  remove_unfinished(file);
  EXPECT_EQ(read_file(file), "whole");
  for (const std::string& name : kept) EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
  EXPECT_EQ(files_in(folder.path()), kept.size() + 1);
  remove_unfinished(folder.path() / "nowhere" / "file.json");
}

TEST(WholeFile, FollowsLinksEvenWhereNothingIsThere) {
  const TemporaryFolder folder;
  const fs::path link = folder.path() / "link";
  fs::create_symlink("real", link);
  for (const char* text : {"first", "second"}) {
    write_whole_file(link, text);
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(read_file(folder.path() / "real"), text);
  }
}

TEST(WholeFile, ALinkToADeviceIsWrittenThrough) {
  const TemporaryFolder folder;
  const fs::path link = folder.path() / "link";
  fs::create_symlink("/dev/null", link);
  EXPECT_EQ(link_target(link), link);
  write_whole_file(link, "text");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(WholeFile, IsReadToItsEnd) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0U, 1U, 65'535U, 65'536U, 300'000U}) {
    const std::string text(size, 'x');
    EXPECT_EQ(read_whole_file(folder.write("file", text), size), text);
  }
  EXPECT_THROW((void)read_whole_file(folder.path() / "missing", 10), std::system_error);
  EXPECT_THROW((void)read_whole_file(folder.path(), 10), std::system_error);
}

TEST(WholeFile, IsNotReadBeyondTheLimit) {
  const TemporaryFolder folder;
  EXPECT_THROW((void)read_whole_file(folder.write("file", "12345"), 4), FileTooLarge);
  EXPECT_THROW((void)read_whole_file("/dev/zero", 1000), FileTooLarge);
}

}  // namespace
}  // namespace breakeven
