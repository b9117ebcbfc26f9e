//===- ChildProcess.cpp - work that may end its process ---------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fork, a pipe for the result, and limits. The copy has only the calling
// thread.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/ChildProcess.h"

#include "conv/Support/Write.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <optional>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace conv;

static Error systemError(const char *what) {
  return {ErrorKind::System, std::string(what) + ": " + std::strerror(errno)};
}

/// Address space of this process, or 0 if the system does not say.
static int64_t getAddressBytes() {
  std::FILE *file = std::fopen("/proc/self/statm", "re");
  if (!file)
    return 0;
  long long pages = 0;
  bool read = std::fscanf(file, "%lld", &pages) == 1;
  std::fclose(file);
  return read ? pages * ::sysconf(_SC_PAGESIZE) : 0;
}

/// Lowers a limit; never raises it.
static void lowerLimit(decltype(RLIMIT_AS) resource, int64_t value) {
  struct rlimit limit;
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur <= rlim_t(value))
    return;
  limit.rlim_cur = rlim_t(value);
  ::setrlimit(resource, &limit);
}

/// Signals of wrong code; other signals come from outside, or from limits.
static constexpr int kCrashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};

/// Lets a signal end the copy, whatever this process does with it.
static void takeDefault(int number) {
  std::signal(number, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, number);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

/// Makes the copy end with this process, and by a crash, and discards its
/// output.
static void silence() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number : kCrashes)
    takeDefault(number);
  if (int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
  lowerLimit(RLIMIT_CORE, 0);
}

/// Limits the copy's memory and time.
static void confine(const ChildLimits &limits) {
  takeDefault(SIGXCPU);
  lowerLimit(RLIMIT_CPU, limits.cpuSeconds);
  takeDefault(SIGALRM);
  ::alarm(unsigned(limits.wallSeconds));
  if (int64_t present = getAddressBytes())
    lowerLimit(RLIMIT_AS, present + limits.memoryBytes);
}

static std::string readAll(int descriptor) {
  std::string bytes;
  char chunk[4096];
  for (ssize_t got; (got = ::read(descriptor, chunk, sizeof(chunk))) != 0;) {
    if (got < 0 && errno != EINTR)
      break;
    bytes.append(chunk, size_t(got < 0 ? 0 : got));
  }
  return bytes;
}

/// The status of an ended process, if the system reports it.
static std::optional<int> waitFor(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return std::nullopt;
  return status;
}

/// How a process ended, or empty if it completed its work.
static std::string describeEnding(pid_t child) {
  std::optional<int> status = waitFor(child);
  if (!status)
    return "unknown";
  if (WIFSIGNALED(*status))
    return ::strsignal(WTERMSIG(*status));
  return WEXITSTATUS(*status) == 0 ? "" : "out of memory";
}

static bool isCrash(int number) {
  return std::ranges::find(kCrashes, number) != std::end(kCrashes);
}

Result<std::string> conv::runInChild(const std::function<std::string()> &work,
                                     const ChildLimits &limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return systemError("cannot make a pipe");
  pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    silence();
    confine(limits);
    ::_exit(writeAll(ends[1], work()) == 0 ? 0 : 1);
  }
  ::close(ends[1]);
  if (child < 0) {
    Error error = systemError("cannot start a process");
    ::close(ends[0]);
    return error;
  }
  std::string result = readAll(ends[0]);
  ::close(ends[0]);
  if (std::string ending = describeEnding(child); !ending.empty())
    return Error{ErrorKind::BadInput, ending};
  return result;
}

TriedWork conv::tryInChild(const std::function<bool()> &work) {
  constexpr int kRefuses = 77; // No tool has this exit code.
  pid_t child = ::fork();
  if (child == 0) {
    silence();
    ::_exit(work() ? 0 : kRefuses);
  }
  std::optional<int> status = child < 0 ? std::nullopt : waitFor(child);
  if (!status)
    return {};
  if (WIFSIGNALED(*status) && isCrash(WTERMSIG(*status)))
    return {::strsignal(WTERMSIG(*status))};
  return {"", WIFEXITED(*status) && WEXITSTATUS(*status) == kRefuses};
}
