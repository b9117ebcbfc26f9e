//===- DatabaseFile.h - a tuning database, read-only ------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The SQLite file that conv-tune writes (docs/tuning.md has the schema), as
// text and numbers: nothing here knows MLIR. Any number of processes read while
// one writes.
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

/// What a row is looked up by.
struct MeasurementKey {
  std::string problem, target;
  int64_t computeUnits = 0;
  std::string compiler; ///< The fingerprint; empty: any.
};

/// A schedule that was measured, and by which compiler.
struct MeasuredSchedule {
  std::string schedule, compiler;
  std::string code; ///< The digest of what was measured; empty: unknown.
  int64_t computeUnits = 0;
};

/// Rows of this compiler, and of others.
struct MeasuredSchedules {
  std::vector<MeasuredSchedule> current, stale;
};

class DatabaseFile {
public:
  /// The newest `user_version` that is understood.
  static constexpr int kVersion = 2;

  /// Opens a file, once in a process: it is never closed. Closing any
  /// descriptor of a file drops the locks that the process has on it, among
  /// them those of another copy of SQLite, such as Python's.
  static Result<std::shared_ptr<const DatabaseFile>>
  open(const std::string &path);

  /// The best rows of a key: measured ones before modelled ones, then those of
  /// the nearest number of compute units, then the fastest.
  Result<MeasuredSchedules> lookup(const MeasurementKey &key) const;

  /// Text that changes whenever a row does.
  Result<std::string> readState() const;

private:
  DatabaseFile(std::string path, sqlite3 *connection, bool hasCode)
      : path(std::move(path)), connection(connection), hasCode(hasCode) {}

  std::string path;
  sqlite3 *connection;
  bool hasCode; ///< Since version 2.
};

} // namespace conv

#endif // CONV_SCHEDULE_DATABASEFILE_H
