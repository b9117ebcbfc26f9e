//===- ErrorHandlers.cpp - errors that end the process ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM ends the process on errors that it considers defects of its caller, and
// when memory runs out. A user gets one line and the exit code of a system
// error instead of a stack trace.
//
//===----------------------------------------------------------------------===//

#include "ErrorHandlers.h"

#include "conv/Pipeline/Compile.h"
#include "conv/Support/Exceptions.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using ::conv::ErrorKind;

/// Whether another program owns the process, which must go on.
static std::atomic_bool survivesErrors = false;

static void handleFatalError(void *, const char *reason, bool) {
  // The first line states the error; a dump of LLVM's data may follow it.
  llvm::StringRef line = llvm::StringRef(reason).split('\n').first;
  if (survivesErrors)
    ::conv::throwError(("internal error of LLVM: " + line).str().c_str());
  std::fprintf(stderr, "error: internal error of LLVM: %.*s\n",
               int(line.size()), line.data());
  std::_Exit(int(ErrorKind::System));
}

/// Allocates no memory, and may be called in a signal handler.
[[noreturn]] static void endWithoutMemory() {
  static constexpr llvm::StringLiteral kLine = "error: out of memory\n";
  static std::atomic_flag isEnding;
  while (isEnding.test_and_set())
    ::pause(); // Another thread prints it and ends this one.
  (void)!::write(STDERR_FILENO, kLine.data(), kLine.size());
  std::_Exit(int(ErrorKind::System));
}

static void handleOutOfMemory(void *, const char *, bool) {
  if (survivesErrors)
    ::conv::throwError("out of memory");
  endWithoutMemory();
}

/// Whether the system refuses the memory that `malloc` would request.
static bool hasNoMemory() {
  constexpr size_t kBytes = size_t(1) << 20;
  void *memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return true;
  ::munmap(memory, kBytes);
  return false;
}

/// MLIR does not check what `malloc` returns: without memory, an access through
/// a null pointer is the only symptom. The C library aborts where it cannot
/// register what a thread has to destroy.
static void handleSymptom(int number, siginfo_t *info, void *) {
  constexpr uintptr_t kNearNull = 1 << 16;
  if ((number == SIGABRT || uintptr_t(info->si_addr) < kNearNull) &&
      hasNoMemory())
    endWithoutMemory();
  std::signal(number, SIG_DFL);
  if (number == SIGABRT) // From another process, it comes once.
    std::raise(number);
  // An access repeats.
}

void mlir::conv::installErrorHandlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(handleFatalError);
    llvm::install_bad_alloc_error_handler(handleOutOfMemory);
  });
}

void mlir::conv::surviveFatalErrors() { survivesErrors = true; }

void mlir::conv::endWhereMemoryEnds() {
  installErrorHandlers();
  llvm::install_out_of_memory_new_handler();
  struct sigaction action = {};
  action.sa_sigaction = handleSymptom;
  action.sa_flags = SA_SIGINFO;
  for (int number : {SIGSEGV, SIGABRT})
    ::sigaction(number, &action, nullptr);
}
