//===- TemporaryFile.h - a file that is removed in any case -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that linkers and assemblers read and write. A file disappears with its
// object, and when a signal other than SIGKILL ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_BACKEND_TEMPORARYFILE_H
#define CONV_BACKEND_TEMPORARYFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::conv {

/// The prefix of errors that report a machine without room for temporary files.
inline constexpr llvm::StringLiteral kNoTemporaryFile =
    "cannot use a temporary file: ";

/// The path by which this process and its children reopen a descriptor.
std::string getDescriptorPath(int descriptor);

/// A file in memory that other processes can open.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(); ///< Creates an empty file.
  TemporaryFile(TemporaryFile &&other);
  ~TemporaryFile();

  const std::string &path() const { return name; }
  llvm::Error write(llvm::StringRef bytes) const;
  llvm::Expected<std::string> read() const;

private:
  explicit TemporaryFile(int descriptor);

  int descriptor; ///< -1 after a move to another object.
  std::string name;
};

} // namespace mlir::conv

#endif // CONV_BACKEND_TEMPORARYFILE_H
