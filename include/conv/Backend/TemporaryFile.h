//===- TemporaryFile.h - a file that is removed in any case -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What linkers and assemblers read and write. Such a file is removed with its
// object, and by the signals that end a process, except SIGKILL.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BACKEND_TEMPORARYFILE_H
#define CONV_BACKEND_TEMPORARYFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::conv {

/// How messages begin that blame the machine for temporary files.
inline constexpr llvm::StringLiteral kNoTemporaryFile =
    "cannot use a temporary file: ";

/// The path by which this process and its children open a descriptor again.
std::string getDescriptorPath(int descriptor);

/// A file in memory that others can open.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(); ///< An empty one.
  TemporaryFile(TemporaryFile &&other);
  ~TemporaryFile();

  const std::string &path() const { return name; }
  llvm::Error write(llvm::StringRef bytes) const;
  llvm::Expected<std::string> read() const;

private:
  explicit TemporaryFile(int descriptor);

  int descriptor; ///< -1 once it is another object's.
  std::string name;
};

} // namespace mlir::conv

#endif // CONV_BACKEND_TEMPORARYFILE_H
