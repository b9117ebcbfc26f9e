//===- Database.h - schedules that were measured ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A database is a file of records, a JSON object in each line:
//
//   {"problem": "convbfp16 -n 64 ...", "target": "sm_90a",
//    "schedule": "#conv.schedule<...>", "seconds": 1.2e-05}
//
// It is written by `conv-compile --emit=schedules` and by `bench/compare tune`.
// Of two records for the same problem and target the one with fewer `seconds`
// counts, if both say how many, and else the later one. What else a record
// says, it says to people. A problem is without its tail.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_DATABASE_H
#define CONV_SCHEDULE_DATABASE_H

#include "conv/Dialect/Conv/IR/Conv.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace mlir::conv {

class Database {
public:
  /// Reads a file, or says what is wrong with it and in which line.
  static FailureOr<Database> read(StringRef path, MLIRContext *context);

  /// The schedule for a convolution under a target; null if there is none.
  ScheduleAttr lookup(ConvolutionOpInterface op) const;

private:
  LogicalResult addRecord(StringRef line, Location location);

  struct Record {
    ScheduleAttr schedule;
    std::optional<double> seconds;
  };

  llvm::StringMap<Record> records;
};

/// Prints a record and the end of its line.
void printRecord(ConvolutionOpInterface op, ScheduleAttr schedule,
                 double seconds, raw_ostream &os);

} // namespace mlir::conv

#endif // CONV_SCHEDULE_DATABASE_H
