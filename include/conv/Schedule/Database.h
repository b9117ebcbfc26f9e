//===- Database.h - schedules that were measured ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a tuning database (docs/tuning.md) as schedules of convolutions.
// A problem is without its epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_DATABASE_H
#define CONV_SCHEDULE_DATABASE_H

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Schedule/DatabaseFile.h"

#include <functional>

namespace mlir::conv {

/// The digest of what this compiler makes of a convolution without its epilogue
/// by a schedule; empty if it does not.
using ComputeCode =
    std::function<std::string(ConvolutionOpInterface, StringRef)>;

/// Which rows of a database count.
struct DatabaseOptions {
  std::string compiler;     ///< Of this fingerprint; empty: of any.
  bool usesStale = false;   ///< If there are none, those of others.
  int64_t computeUnits = 0; ///< Of the device; 0: those of the chip.
  /// Rows of others count if they have the digest that this gives; may be
  /// empty.
  ComputeCode computeCode;

  int64_t getComputeUnits(const ::conv::ChipInfo &chip) const {
    return computeUnits > 0 ? computeUnits : chip.computeUnits;
  }
};

class Database {
public:
  /// Opens a file, or says what is wrong with it.
  static FailureOr<Database> open(StringRef path, MLIRContext *context);

  /// The best schedule for a convolution under a target that `fits`; null if
  /// there is none. Warns of rows that are not taken.
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
