//===- DatabaseFile.h - a tuning database, read-only ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The SQLite file that conv-tune writes (docs/tuning.md has the schema), as
// text and numbers: this file does not depend on MLIR. Any number of processes
// may read the file while one writes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_DATABASEFILE_H
#define CONV_SCHEDULE_DATABASEFILE_H

#include "conv/Support/Result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct sqlite3;

namespace conv {

/// The key that rows are looked up by.
struct MeasurementKey {
  std::string problem, target;
  int64_t computeUnits = 0;
  std::string compiler; ///< The fingerprint; empty: any.
};

/// A measured schedule, and the compiler that it was measured with.
struct MeasuredSchedule {
  std::string schedule, compiler;
  std::string code; ///< Digest of the measured code; empty: unknown.
  int64_t computeUnits = 0;
};

/// Rows of this compiler (`current`), and of other compilers (`stale`).
struct MeasuredSchedules {
  std::vector<MeasuredSchedule> current, stale;
};

class DatabaseFile {
public:
  /// The newest `user_version` that this code reads.
  static constexpr int kVersion = 2;

  /// Opens a file once per process and never closes it. Closing any descriptor
  /// of a file drops all locks that the process has on it, including the locks
  /// of another copy of SQLite in the process, such as Python's.
  static Result<std::shared_ptr<const DatabaseFile>>
  open(const std::string &path);

  /// The best rows of a key: measured rows before modelled ones, then rows with
  /// the nearest number of compute units, then the fastest.
  Result<MeasuredSchedules> lookup(const MeasurementKey &key) const;

  /// Text that changes whenever any row changes.
  Result<std::string> readState() const;

private:
  DatabaseFile(std::string path, sqlite3 *connection, bool hasCode)
      : path(std::move(path)), connection(connection), hasCode(hasCode) {}

  std::string path;
  sqlite3 *connection;
  bool hasCode; ///< True since version 2.
};

} // namespace conv

#endif // CONV_SCHEDULE_DATABASEFILE_H
