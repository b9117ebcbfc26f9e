//===- Write.h - bytes to descriptors ---------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_WRITE_H
#define CONV_SUPPORT_WRITE_H

#include <csignal>
#include <string_view>

namespace conv {

/// While it exists, a write of this thread past the limit on the size of files
/// (`ulimit -f`) fails with EFBIG, and nothing more. Otherwise it would also
/// raise SIGXFSZ, which ends the host application; its handlers are its own.
/// Threads that are started meanwhile inherit this.
class FileSizeSignalBlock {
public:
  FileSizeSignalBlock();
  FileSizeSignalBlock(const FileSizeSignalBlock &) = delete;
  FileSizeSignalBlock &operator=(const FileSizeSignalBlock &) = delete;
  ~FileSizeSignalBlock();

private:
  sigset_t before;
  bool wasPending; ///< Somebody else's signal, which stays.
};

/// Writes all of the bytes; returns 0 or the error number. Raises no SIGXFSZ.
int writeAll(int descriptor, std::string_view bytes);

} // namespace conv

#endif // CONV_SUPPORT_WRITE_H
