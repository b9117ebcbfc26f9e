//===- ShippedDatabase.cpp - databases shipped with the compiler ----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// share/conv has a database for each tuned chip. It is found relative to this
// code: a program in bin, a library in lib, or a library beside share, as in
// the Python package.
//
//===----------------------------------------------------------------------===//

#include "CodeDigest.h"

#include "conv/Schedule/DatabaseFile.h"

#include <dlfcn.h>
#include <filesystem>
#include <sys/auxv.h>

using namespace mlir;
using namespace mlir::conv;

/// The program or library file that contains this function.
static std::filesystem::path findOwnFile() {
  Dl_info own = {}, program = {};
  auto address = reinterpret_cast<void *>(&findOwnFile);
  if (!dladdr(address, &own) || !own.dli_fname)
    return {};
  // The program's name is its argv[0], which may not be a path.
  auto headers = reinterpret_cast<void *>(getauxval(AT_PHDR));
  bool isProgram =
      dladdr(headers, &program) && program.dli_fbase == own.dli_fbase;
  std::error_code failed;
  std::filesystem::path path = std::filesystem::canonical(
      isProgram ? "/proc/self/exe" : own.dli_fname, failed);
  return failed ? std::filesystem::path() : path;
}

/// The folder of the databases; empty if there is none.
static std::filesystem::path findFolder() {
  std::filesystem::path own = findOwnFile().parent_path();
  if (own.empty())
    return {};
  for (const std::filesystem::path &place : {own, own.parent_path()}) {
    std::filesystem::path folder = place / "share" / "conv";
    std::error_code ignored;
    if (std::filesystem::is_directory(folder, ignored))
      return folder;
  }
  return {};
}

std::string mlir::conv::findShippedDatabase(const std::string &target) {
  static const std::filesystem::path kFolder = findFolder();
  if (kFolder.empty())
    return "";
  std::string chip = target.substr(target.rfind(':') + 1);
  std::filesystem::path path = kFolder / (chip + ".db");
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) ? path.string() : "";
}

std::string mlir::conv::findDatabase(const std::string &option,
                                     ModuleOp module) {
  if (option == kNoDatabase)
    return "";
  if (!option.empty())
    return option;
  auto target = module->getAttrOfType<TargetAttr>(TargetAttr::kName);
  std::string path =
      target ? findShippedDatabase(std::string(target.getInfo().name)) : "";
  if (path.empty())
    return "";
  if (auto file = ::conv::DatabaseFile::open(path); !file) {
    module.emitWarning() << file.error().message;
    return "";
  }
  return path;
}
