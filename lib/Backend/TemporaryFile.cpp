//===- TemporaryFile.cpp - a file that is removed in any case -------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file is memory with a descriptor; other processes and libraries open it
// by its path in /proc. It goes with the process, even after SIGKILL.
//
//===----------------------------------------------------------------------===//

#include "conv/Backend/TemporaryFile.h"

#include "conv/Support/Write.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace mlir::conv;

static Error blame(std::error_code code) {
  return createStringError(code, kNoTemporaryFile + code.message());
}

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

std::string mlir::conv::getDescriptorPath(int descriptor) {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" +
         std::to_string(descriptor);
}

TemporaryFile::TemporaryFile(int descriptor)
    : descriptor(descriptor), name(getDescriptorPath(descriptor)) {}

TemporaryFile::TemporaryFile(TemporaryFile &&other)
    : descriptor(std::exchange(other.descriptor, -1)),
      name(std::move(other.name)) {}

TemporaryFile::~TemporaryFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Expected<TemporaryFile> TemporaryFile::create() {
  int descriptor = ::memfd_create("conv", MFD_CLOEXEC);
  if (descriptor < 0)
    return blame(lastError());
  return TemporaryFile(descriptor);
}

Error TemporaryFile::write(StringRef bytes) const {
  if (int code = ::conv::writeAll(descriptor, bytes))
    return blame(std::error_code(code, std::generic_category()));
  return Error::success();
}

Expected<std::string> TemporaryFile::read() const {
  auto buffer = MemoryBuffer::getFile(name, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return blame(buffer.getError());
  return (*buffer)->getBuffer().str();
}
