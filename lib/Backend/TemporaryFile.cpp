//===- TemporaryFile.cpp - a file that nothing leaves behind --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM keeps the list of files that its signal handlers remove.
//
//===----------------------------------------------------------------------===//

#include "conv/Backend/TemporaryFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

using namespace llvm;
using namespace mlir::conv;

static Error blame(StringRef path, std::error_code code) {
  return createStringError(code,
                           kNoTemporaryFile + path + ": " + code.message());
}

TemporaryFile::TemporaryFile(StringRef path) : name(path) {
  sys::RemoveFileOnSignal(name);
}

TemporaryFile::TemporaryFile(TemporaryFile &&other)
    : name(std::exchange(other.name, {})) {}

TemporaryFile::~TemporaryFile() {
  if (name.empty())
    return;
  (void)sys::fs::remove(name);
  sys::DontRemoveFileOnSignal(name);
}

Expected<TemporaryFile> TemporaryFile::create(StringRef suffix) {
  SmallString<128> path;
  std::error_code code = sys::fs::createTemporaryFile("conv", suffix, path);
  if (code)
    return blame(path, code);
  return TemporaryFile(path);
}

Error TemporaryFile::write(StringRef bytes) const {
  std::error_code code;
  raw_fd_ostream stream(name, code);
  if (!code) {
    stream << bytes;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  return code ? blame(name, code) : Error::success();
}

Expected<std::string> TemporaryFile::read() const {
  auto buffer = MemoryBuffer::getFile(name, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return blame(name, buffer.getError());
  return (*buffer)->getBuffer().str();
}
