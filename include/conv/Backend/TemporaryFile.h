//===- TemporaryFile.h - a file that nothing leaves behind ------*- C++ -*-===//
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

/// How messages begin that blame the machine's folder or disk for temporary
/// files.
inline constexpr llvm::StringLiteral kNoTemporaryFile =
    "cannot use a temporary file: ";

class TemporaryFile {
public:
  /// An empty file whose name has this suffix.
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix);
  TemporaryFile(TemporaryFile &&other);
  ~TemporaryFile();

  const std::string &path() const { return name; }
  llvm::Error write(llvm::StringRef bytes) const;
  llvm::Expected<std::string> read() const;

private:
  explicit TemporaryFile(llvm::StringRef path);

  std::string name; ///< Empty once it is another object's.
};

} // namespace mlir::conv

#endif // CONV_BACKEND_TEMPORARYFILE_H
