//===- LinkElf.cpp - ELF shared objects from object files -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld reads and writes files and keeps global state, so each call has
// temporary files of its own and holds a lock that also keeps code
// generation out. lld writes a file beside its final path and renames
// it, which files in memory do not support, so lld writes to a pipe. No
// state is kept, except that lld clears what the process's own LLVM
// command line said: conv-opt runs its passes on only one module of a
// split file.
//
//===----------------------------------------------------------------------===//

#include "LinkElf.h"

#include "conv/Backend/TemporaryFile.h"

#include "conv/Support/Threads.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <shared_mutex>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace mlir::conv;

/// Guards the state that lld and LLVM keep per process.
static std::shared_mutex &globalState() {
  static std::shared_mutex mutex;
  return mutex;
}

CodeGenerationLock::CodeGenerationLock() : lock(globalState()) {}

/// Runs lld with these arguments after its usual ones; returns its output if it
/// fails.
static llvm::Error runLinker(ArrayRef<std::string> arguments) {
  static bool canRunAgain = true;
  std::lock_guard lock(globalState());
  if (!canRunAgain)
    return llvm::createStringError(
        "lld crashed before and cannot run again in this process");
  // Starting more threads takes longer than linking such an object.
  SmallVector<const char *> all = {"ld.lld", "-shared", "--build-id=none",
                                   "--threads=1"};
  for (const std::string &argument : arguments)
    all.push_back(argument.c_str());
  std::string text;
  llvm::raw_string_ostream os(text);
  lld::Result result = lld::lldMain(all, os, os, {{lld::Gnu, &lld::elf::link}});
  canRunAgain = result.canRunAgain;
  if (result.retCode == 0)
    return llvm::Error::success();
  return llvm::createStringError("lld failed: " + StringRef(text).trim());
}

/// Reads a pipe until its other end is closed.
static std::string readPipe(int end) {
  std::string bytes;
  char chunk[65536];
  for (ssize_t got; (got = ::read(end, chunk, sizeof(chunk))) != 0;) {
    if (got < 0 && errno != EINTR)
      break;
    bytes.append(chunk, size_t(got < 0 ? 0 : got));
  }
  return bytes;
}

/// The output of lld with these arguments.
static llvm::Expected<std::string> link(SmallVector<std::string> arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return llvm::createStringError(kNoTemporaryFile + llvm::sys::StrError());
  std::string bytes;
  auto reader = ::conv::startThreads(1, [&] { bytes = readPipe(ends[0]); });
  arguments.append({"-o", getDescriptorPath(ends[1])});
  llvm::Error error =
      reader.empty()
          ? llvm::createStringError(kNoTemporaryFile + "no thread to read it")
          : runLinker(arguments);
  ::close(ends[1]);
  reader.clear(); // Joins it.
  ::close(ends[0]);
  if (error)
    return error;
  return bytes;
}

static llvm::Expected<TemporaryFile> createFile(StringRef bytes) {
  auto file = TemporaryFile::create();
  if (file)
    if (llvm::Error error = file->write(bytes))
      return error;
  return file;
}

/// Links an object. A needed library is replaced by a stand-in of the
/// same name, since lld copies only the name; `object` serves as its
/// contents.
static llvm::Expected<std::string> linkBytes(StringRef object,
                                             StringRef neededLibrary) {
  auto input = createFile(object);
  if (!input)
    return input.takeError();
  if (neededLibrary.empty())
    return link({input->path()});
  auto bytes = link({input->path(), "-soname", neededLibrary.str()});
  auto standIn = bytes ? createFile(*bytes) : bytes.takeError();
  if (!standIn)
    return standIn.takeError();
  return link({input->path(), "--no-as-needed", standIn->path()});
}

FailureOr<std::string>
mlir::conv::linkShared(ArrayRef<char> object,
                       function_ref<InFlightDiagnostic()> emitError,
                       StringRef neededLibrary) {
  auto linked = linkBytes({object.data(), object.size()}, neededLibrary);
  if (linked)
    return std::move(*linked);
  emitError() << llvm::toString(linked.takeError());
  return failure();
}
