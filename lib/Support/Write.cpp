//===- Write.cpp - bytes to descriptors -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Write.h"

#include <cerrno>
#include <ctime>
#include <unistd.h>

using namespace conv;

static sigset_t getFileSizeSignal() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGXFSZ);
  return set;
}

FileSizeSignalBlock::FileSizeSignalBlock() {
  sigset_t set = getFileSizeSignal(), pending;
  wasPending =
      ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGXFSZ) == 1;
  ::pthread_sigmask(SIG_BLOCK, &set, &before);
}

FileSizeSignalBlock::~FileSizeSignalBlock() {
  int code = errno;
  // The system sends it to the thread that writes, so that it waits here.
  sigset_t set = getFileSizeSignal();
  timespec now{};
  while (!wasPending && ::sigtimedwait(&set, nullptr, &now) < 0 &&
         errno == EINTR) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = code;
}

int conv::writeAll(int descriptor, std::string_view bytes) {
  FileSizeSignalBlock block;
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    bytes.remove_prefix(size_t(written));
  }
  return 0;
}
