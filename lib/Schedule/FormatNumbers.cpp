//===- FormatNumbers.cpp - numbers for people -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormatNumbers.h"

#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;
using llvm::StringRef;

std::string mlir::conv::formatScaled(double value, StringRef unit) {
  StringRef prefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t power = 0;
  while (value >= 1000 && power + 1 < std::size(prefixes)) {
    value /= 1000;
    ++power;
  }
  return formatv("{0:F1} {1}{2}", value, prefixes[power], unit).str();
}

std::string mlir::conv::formatMicroseconds(double seconds) {
  return formatv("{0:F1} us", seconds * 1e6).str();
}
