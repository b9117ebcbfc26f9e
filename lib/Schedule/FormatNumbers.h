//===- FormatNumbers.h - numbers for people ---------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_LIB_SCHEDULE_FORMATNUMBERS_H
#define CONV_LIB_SCHEDULE_FORMATNUMBERS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::conv {

/// For example "1.5 M".
std::string formatScaled(double value, llvm::StringRef unit);

/// For example "12.3 us".
std::string formatMicroseconds(double seconds);

} // namespace mlir::conv

#endif // CONV_LIB_SCHEDULE_FORMATNUMBERS_H
