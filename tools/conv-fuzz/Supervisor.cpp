//===- Supervisor.cpp - many inputs, some of which end a process *- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The child counts in shared memory, so that nothing is lost when it ends.
// Timers end it if an input takes too long, and a limit if it takes too much
// memory.
//
//===----------------------------------------------------------------------===//

#include "Supervisor.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace conv;
using namespace conv::tools;

/// The most memory of one input.
static constexpr rlim_t kMaxMemoryBytes = rlim_t(8) << 30;

struct Supervisor::Shared {
  int64_t number; ///< The current input, or the next one.
  Answers answers;
  char defect[512]; ///< The message of an error that is a defect.
};

Supervisor::Supervisor(const Trial &trial, uint64_t seed,
                       unsigned secondsPerInput)
    : trial(trial), seed(seed), secondsPerInput(secondsPerInput),
      mutator(trial.corpus, trial.form) {
  void *memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared = new (memory) Shared();
}

Supervisor::~Supervisor() { ::munmap(shared, sizeof(Shared)); }

std::string Supervisor::getInput(int64_t number) const {
  return mutator.mutate(seed * 0x9e3779b97f4a7c15 + uint64_t(number));
}

static void confine() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::dup2(null, stream);
  struct rlimit memory = {kMaxMemoryBytes, kMaxMemoryBytes}, core = {0, 0};
  ::setrlimit(RLIMIT_AS, &memory);
  ::setrlimit(RLIMIT_CORE, &core);
  for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
    std::signal(number, SIG_DFL);
}

/// Ends this process after `seconds` of work, and after much longer in any
/// case: other processes may occupy the processors.
static void setTimers(unsigned seconds) {
  struct itimerval work = {};
  work.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_PROF, &work, nullptr);
  ::alarm(30 * seconds);
}

/// Whether the error is not the user's fault.
static bool isDefect(const Error &error) {
  return error.kind == ErrorKind::System ||
         error.kind == ErrorKind::WrongResult;
}

void Supervisor::work(int64_t last) {
  confine();
  for (; shared->number < last; ++shared->number) {
    setTimers(secondsPerInput);
    Result<void> result = trial.run(getInput(shared->number));
    Answers &answers = shared->answers;
    if (result)
      ++answers.fine;
    else if (result.error().kind == ErrorKind::BadInput)
      ++answers.badInput;
    else if (result.error().kind == ErrorKind::Unsupported)
      ++answers.unsupported;
    if (result || !isDefect(result.error()))
      continue;
    std::strncpy(shared->defect, result.error().message.c_str(),
                 sizeof(shared->defect) - 1);
    ::_exit(int(ErrorKind::WrongResult));
  }
  ::_exit(0);
}

/// What ended a child, or empty if it has finished.
static std::string describeEnding(pid_t child, const char *defect,
                                  unsigned seconds) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return "unknown";
  if (WIFSIGNALED(status) &&
      (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF))
    return "takes more than " + std::to_string(seconds) + " s";
  if (WIFSIGNALED(status))
    return ::strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) == 0)
    return "";
  return *defect ? defect : "ends without memory, or with an error of LLVM";
}

Answers Supervisor::run(int64_t first, int64_t last,
                        const std::function<void(const Finding &)> &report) {
  *shared = {.number = first, .answers = {}, .defect = {}};
  while (shared->number < last) {
    shared->defect[0] = '\0';
    pid_t child = ::fork();
    if (child == 0)
      work(last);
    if (child < 0) {
      report({shared->number, "cannot start a process"});
      break;
    }
    std::string ending = describeEnding(child, shared->defect, secondsPerInput);
    if (ending.empty())
      break;
    report({shared->number, ending});
    ++shared->number;
  }
  return shared->answers;
}
