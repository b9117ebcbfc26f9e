//===- LinkElf.cpp - ELF shared objects from object files -----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld reads and writes files and keeps global state, so each call has temporary
// files of its own and holds a lock that also keeps code generation out.
// Nothing is left behind, except that lld forgets what the process's own LLVM
// command line said: conv-opt runs its passes on one module of a split file
// only.
//
//===----------------------------------------------------------------------===//

#include "LinkElf.h"

#include "conv/Backend/TemporaryFile.h"

#include "lld/Common/Driver.h"
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

/// Runs lld with these arguments behind its usual ones; what it printed is
/// returned when it fails.
static std::optional<std::string> runLinker(ArrayRef<std::string> arguments) {
  static bool canRunAgain = true;
  std::lock_guard lock(globalState());
  if (!canRunAgain)
    return "it crashed before and cannot run again in this process";
  // More threads would take longer to start than such an object to link.
  SmallVector<const char *> all = {"ld.lld", "-shared", "--build-id=none",
                                   "--threads=1"};
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
static llvm::Error linkFile(const std::string &input, const std::string &output,
                            StringRef neededLibrary) {
  auto run = [](ArrayRef<std::string> arguments) {
    std::optional<std::string> text = runLinker(arguments);
    return text ? llvm::createStringError("lld failed: " +
                                          StringRef(*text).trim())
                : llvm::Error::success();
  };
  if (neededLibrary.empty())
    return run({input, "-o", output});
  auto standIn = TemporaryFile::create("so");
  if (!standIn)
    return standIn.takeError();
  if (llvm::Error error =
          run({input, "-soname", neededLibrary.str(), "-o", standIn->path()}))
    return error;
  return run({input, "--no-as-needed", standIn->path(), "-o", output});
}

static llvm::Expected<std::string> linkBytes(StringRef object,
                                             StringRef neededLibrary) {
  auto input = TemporaryFile::create("o");
  auto output = input ? TemporaryFile::create("so") : input.takeError();
  if (!output)
    return output.takeError();
  llvm::Error error = input->write(object);
  if (!error)
    error = linkFile(input->path(), output->path(), neededLibrary);
  if (error)
    return error;
  return output->read();
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
