//===- FileTest.cpp - whole files, and what failures leave ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/File.h"

#include "../TemporaryDirectory.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace conv;
using conv::test::TemporaryDirectory;

TEST(File, ReadsBackWhatItWrote) {
  TemporaryDirectory directory;
  std::string bytes(200000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = char(i * 31);
  ASSERT_TRUE(writeFile(directory.path("a"), bytes));
  auto read = readFile(directory.path("a"), 200000);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, bytes);
}

TEST(File, ReplacesWholeAndLeavesNoTemporary) {
  TemporaryDirectory directory;
  directory.write("a", "a longer first content");
  ASSERT_TRUE(writeFile(directory.path("a"), "second"));
  EXPECT_EQ(directory.read("a"), "second");
  EXPECT_EQ(directory.names(), std::vector<std::string>{"a"});
}

TEST(File, ReplacementIsAsPrivateAsTheFile) {
  using std::filesystem::perms;
  TemporaryDirectory directory;
  directory.write("a", "secret");
  perms own = perms::owner_read | perms::owner_write;
  std::filesystem::permissions(directory.path("a"), own);
  ASSERT_TRUE(writeFile(directory.path("a"), "new secret"));
  EXPECT_EQ(std::filesystem::status(directory.path("a")).permissions(), own);
}

TEST(File, WritesThroughASymbolicLink) {
  TemporaryDirectory directory;
  directory.write("target", "old");
  std::filesystem::create_symlink("target", directory.path("link"));
  ASSERT_TRUE(writeFile(directory.path("link"), "new"));
  EXPECT_EQ(directory.read("target"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory.path("link")));
}

TEST(File, RefusesWhatIsTooLong) {
  TemporaryDirectory directory;
  directory.write("a", std::string(101, 'x'));
  auto read = readFile(directory.path("a"), 100);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::BadInput);
  EXPECT_EQ(read.error().message,
            "cannot read '" + directory.path("a") +
                "': expects at most 100 bytes, but got more");
  // A file without an end, whose size the system does not know.
  auto zeros = readFile("/dev/zero", 100);
  ASSERT_FALSE(zeros);
  EXPECT_EQ(zeros.error().kind, ErrorKind::BadInput);
}

TEST(File, MapsWhatAPipeHolds) {
  TemporaryDirectory directory;
  std::string path = directory.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  // Ends with the reader's first descriptor: a second one would wait for ever.
  std::jthread writer([&] {
    int file = open(path.c_str(), O_WRONLY);
    (void)!write(file, "PK", 2);
    close(file);
  });
  auto mapped = mapFile(path, 100);
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->bytes, "PK");
}

TEST(File, ReplacesAFileInSharedMemory) {
  // Files in /dev are devices, or descriptors, or as in any other folder.
  std::string path = "/dev/shm/conv-test-" + std::to_string(getpid());
  if (!writeFile(path, "a longer first content"))
    GTEST_SKIP() << "expects to write in /dev/shm";
  EXPECT_TRUE(writeFile(path, "second"));
  auto read = readFile(path, 100);
  std::filesystem::remove(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, "second");
}

TEST(File, ReadsNoFurtherThanTheMagic) {
  // Without the check this would read 2^60 bytes.
  auto zeros = readFile("/dev/zero", int64_t(1) << 60, "PK");
  ASSERT_TRUE(zeros);
  EXPECT_LE(zeros->size(), 65536u);
  TemporaryDirectory directory;
  directory.write("a", "PK and more");
  EXPECT_EQ(*readFile(directory.path("a"), 100, "PK"), "PK and more");
  directory.write("a", "P");
  EXPECT_EQ(*readFile(directory.path("a"), 100, "PK"), "P");
}

TEST(File, MissingFileAndDirectoryAreBadInput) {
  TemporaryDirectory directory;
  auto missing = readFile(directory.path("none"), 10);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::BadInput);
  EXPECT_NE(missing.error().message.find("No such file"), std::string::npos);
  auto folder = readFile(directory.path("."), 10);
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("directory"), std::string::npos);
}

TEST(File, FullDiskIsASystemError) {
  Result<void> result = writeFile("/dev/full", "x");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::System);
  EXPECT_EQ(result.error().message,
            "cannot write '/dev/full': No space left on device");
}

/// While it exists, no file may have more than 1000 bytes.
class SmallFiles {
public:
  SmallFiles() {
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small{1000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &before); }

private:
  rlimit before;
};

TEST(File, FailureInTheMiddleKeepsTheOldFile) {
  TemporaryDirectory directory;
  directory.write("a", "old");
  // The system stops the write after 1000 bytes, as a full disk would.
  SmallFiles limit;
  Result<void> result = writeFile(directory.path("a"), std::string(5000, 'x'));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "cannot write '" + directory.path("a") + "': File too large");
  EXPECT_EQ(directory.read("a"), "old");
  EXPECT_EQ(directory.names(), std::vector<std::string>{"a"});
}

// The signal's action here is that of every program: it ends the process.
TEST(File, NoSignalFollowsAFileThatIsTooLarge) {
  TemporaryDirectory directory;
  sigset_t before, after, pending;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  ASSERT_EQ(sigismember(&before, SIGXFSZ), 0);
  {
    SmallFiles limit;
    for (int i = 0; i < 3; ++i)
      EXPECT_FALSE(writeFile(directory.path("a"), std::string(5000, 'x')));
  }
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  sigpending(&pending);
  EXPECT_EQ(sigismember(&after, SIGXFSZ), 0);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
  EXPECT_TRUE(writeFile(directory.path("a"), std::string(5000, 'x')));
}

TEST(File, SignalsOfOthersStay) {
  TemporaryDirectory directory;
  sigset_t set, before, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  pthread_kill(pthread_self(), SIGXFSZ);
  {
    SmallFiles limit;
    EXPECT_FALSE(writeFile(directory.path("a"), std::string(5000, 'x')));
  }
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 1);
  int number = 0;
  sigwait(&set, &number);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(File, NamesOfOtherContainersAreTaken) {
  TemporaryDirectory directory;
  // Another process may have this one's number in another folder.
  std::string prefix =
      std::string(kTemporaryPrefix) + std::to_string(getpid()) + "-";
  for (int i = 0; i < 100; ++i)
    directory.write(prefix + std::to_string(i), "theirs");
  ASSERT_TRUE(writeFile(directory.path("a"), "ours"));
  EXPECT_EQ(directory.read("a"), "ours");
  EXPECT_EQ(directory.names().size(), 101u);
  EXPECT_EQ(directory.read(prefix + "50"), "theirs");
}

TEST(File, UnwritablePlacesLeaveNothing) {
  TemporaryDirectory directory;
  Result<void> missing = writeFile(directory.path("no/such/a"), "x");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::System);
  std::filesystem::create_directory(directory.path("d"));
  Result<void> folder = writeFile(directory.path("d"), "x");
  ASSERT_FALSE(folder);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"d"});
}
