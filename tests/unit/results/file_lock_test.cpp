#include "results/file_lock.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "unit/messages.h"
#include "unit/temporary_folder.h"

namespace breakeven {
namespace {

namespace fs = std::filesystem;

std::string why_refused(const fs::path& file) {
  return message_of<FileInUse>([&] { const FileLock lock(file); });
}

TEST(FileLock, IsGivenOnceAndLeavesNothing) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "new" / "folder" / "file.json";
  {
    const FileLock lock(file);
    EXPECT_THAT(why_refused(file), testing::HasSubstr(file.string() + ": another run writes it"));
    EXPECT_EQ(why_refused(folder.path() / "new" / "folder" / "other.json"), "was accepted");
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_EQ(why_refused(file), "was accepted");
}

TEST(FileLock, IsOfTheFileThatALinkLeadsTo) {
  const TemporaryFolder folder;
  fs::create_symlink("real.json", folder.path() / "link.json");
  const FileLock lock(folder.path() / "link.json");
  EXPECT_THAT(why_refused(folder.path() / "real.json"), testing::HasSubstr("another run writes it"));
}

TEST(FileLock, RemovesWhatAKilledProcessWasWriting) {
  const TemporaryFolder folder;
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  waitpid(ended, nullptr, 0);
  fs::create_symlink("real.json", folder.path() / "link.json");
  for (const char* name : {"real.json", "real.previous.json"})
    folder.write(name + std::string(".") + std::to_string(ended) + "-0.part", "half");
  { const FileLock lock(folder.path() / "link.json"); }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "the link";
}

TEST(FileLock, KeepsFoldersThatAreInUse) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "made" / "file.json";
  std::optional<FileLock> lock(file);
  folder.write("made/file.json", "text");
  lock.reset();
  EXPECT_TRUE(fs::exists(file));
}

TEST(FileLock, IsNotOfStreamsAndDevices) {
  for (const char* none : {"", "-", "/dev/null"}) {
    const FileLock first(none);
    EXPECT_EQ(why_refused(none), "was accepted") << none;
  }
}

}  // namespace
}  // namespace breakeven
