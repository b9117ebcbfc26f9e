//===- Database.h - measured schedules of convolutions ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the rows of a tuning database (docs/tuning.md) as schedules of
// convolutions. The problem of a row has no epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_DATABASE_H
#define CONV_SCHEDULE_DATABASE_H

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Schedule/DatabaseFile.h"

#include <functional>

namespace mlir::conv {

/// Computes the digest of the code that this compiler generates from a schedule
/// for a convolution without its epilogue; empty if it generates none.
using ComputeCode =
    std::function<std::string(ConvolutionOpInterface, StringRef)>;

/// Which rows of a database may be used.
struct DatabaseOptions {
  std::string compiler;     ///< Fingerprint; empty: any compiler.
  bool usesStale = false;   ///< Fall back to rows of others.
  int64_t computeUnits = 0; ///< The device's; 0: the chip's count.
  /// Computes a digest: rows of other compilers count if their digest equals
  /// it. May be empty.
  ComputeCode computeCode;

  int64_t getComputeUnits(const ::conv::ChipInfo &chip) const {
    return computeUnits > 0 ? computeUnits : chip.computeUnits;
  }
};

class Database {
public:
  /// Opens a file, or returns what is wrong with it.
  static FailureOr<Database> open(StringRef path, MLIRContext *context);

  /// The best schedule for a convolution on a target that satisfies `fits`;
  /// null if there is none. Warns about rows that it does not use.
  FailureOr<ScheduleAttr>
  lookup(ConvolutionOpInterface op, const DatabaseOptions &options,
         function_ref<LogicalResult(ScheduleAttr)> fits) const;

private:
  using Fits = function_ref<LogicalResult(ScheduleAttr)>;
  static ScheduleAttr check(ConvolutionOpInterface op,
                            const ::conv::MeasuredSchedule &row, Fits fits);

  explicit Database(std::shared_ptr<const ::conv::DatabaseFile> file)
      : file(std::move(file)) {}

  std::shared_ptr<const ::conv::DatabaseFile> file;
};

/// Prints a candidate as a JSON object and the end of its line. `unit` is what
/// the prediction was made from, if its model says so.
void printCandidate(ConvolutionOpInterface op, ScheduleAttr schedule,
                    double predictedSeconds, raw_ostream &os,
                    ArrayRef<std::pair<std::string, double>> unit = {});

} // namespace mlir::conv

#endif // CONV_SCHEDULE_DATABASE_H
