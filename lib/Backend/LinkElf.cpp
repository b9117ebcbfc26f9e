//===- LinkElf.cpp - ELF shared objects from object files -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld reads and writes files and keeps global state, so each call works in a
// temporary folder of its own and holds a lock that also keeps code generation
// out. Nothing is left behind, except that lld forgets what the process's own
// LLVM command line said: conv-opt runs its passes on one module of a split
// file only.
//
//===----------------------------------------------------------------------===//

#include "LinkElf.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <shared_mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace mlir::conv;

/// Guards what lld and LLVM keep per process.
static std::shared_mutex &globalState() {
  static std::shared_mutex mutex;
  return mutex;
}

CodeGenerationLock::CodeGenerationLock() : lock(globalState()) {}

static std::error_code writeFile(StringRef path, ArrayRef<char> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return error;
  os.write(bytes.data(), bytes.size());
  os.close();
  error = os.error();
  os.clear_error();
  return error;
}

/// Runs lld with these arguments behind its usual ones; what it printed is
/// returned when it fails.
static std::optional<std::string> runLinker(ArrayRef<std::string> arguments) {
  static bool canRunAgain = true;
  std::lock_guard lock(globalState());
  if (!canRunAgain)
    return "it crashed before and cannot run again in this process";
  SmallVector<const char *> all = {"ld.lld", "-shared", "--build-id=none"};
  for (const std::string &argument : arguments)
    all.push_back(argument.c_str());
  std::string text;
  llvm::raw_string_ostream os(text);
  lld::Result result = lld::lldMain(all, os, os, {{lld::Gnu, &lld::elf::link}});
  canRunAgain = result.canRunAgain;
  if (result.retCode == 0)
    return std::nullopt;
  return text;
}

/// Links `input` to `output`. A library that is needed is stood in for by one
/// of its name, since lld copies no more than the name; `input` will do for its
/// contents.
static std::optional<std::string> linkFile(const std::string &input,
                                           const std::string &output,
                                           StringRef neededLibrary) {
  if (neededLibrary.empty())
    return runLinker({input, "-o", output});
  std::string standIn = output + ".needed";
  if (auto text =
          runLinker({input, "-soname", neededLibrary.str(), "-o", standIn}))
    return text;
  return runLinker({input, "--no-as-needed", standIn, "-o", output});
}

FailureOr<std::string>
mlir::conv::linkShared(ArrayRef<char> object,
                       function_ref<InFlightDiagnostic()> emitError,
                       StringRef neededLibrary) {
  SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("conv-link", folder)) {
    emitError() << "cannot create a temporary folder: " << error.message();
    return failure();
  }
  llvm::scope_exit cleanUp(
      [&] { (void)llvm::sys::fs::remove_directories(folder); });

  SmallString<128> input(folder), output(folder);
  llvm::sys::path::append(input, "in.o");
  llvm::sys::path::append(output, "out.so");
  if (std::error_code error = writeFile(input, object)) {
    emitError() << "cannot write " << input << ": " << error.message();
    return failure();
  }
  if (std::optional<std::string> text =
          linkFile(input.str().str(), output.str().str(), neededLibrary)) {
    emitError() << "lld failed: " << StringRef(*text).trim();
    return failure();
  }
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    emitError() << "cannot read " << output << ": "
                << buffer.getError().message();
    return failure();
  }
  return (*buffer)->getBuffer().str();
}
