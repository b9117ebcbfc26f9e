//===- FunctionName.cpp - what a problem is called --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateConvolution.h"
#include "GenerateDynamic.h"

using namespace mlir;
using namespace ::conv;

std::string(::conv::makeName)(const GenOptions &options, Type operandType) {
  std::string name;
  llvm::raw_string_ostream os(name);
  int64_t first = 3 - options.spatialRank;
  auto list = [&](StringRef prefix, const PerDimension &values) {
    os << prefix;
    for (int64_t d = first; d < 3; ++d)
      os << (d == first ? "" : "x") << values[d];
  };
  auto unless = [&](StringRef prefix, const PerDimension &values,
                    int64_t usual) {
    if (llvm::any_of(ArrayRef(values).drop_front(first),
                     [&](int64_t value) { return value != usual; }))
      list(prefix, values);
  };
  std::string type;
  llvm::raw_string_ostream(type) << operandType;
  StringRef direction = getName(options.direction);
  if (!direction.consume_front("backward"))
    direction = "";
  os << "conv" << (options.mode == "trans" ? "_transposed" : "")
     << options.spatialRank << "d" << direction << '_'
     << StringRef(type).lower() << "_n" << options.n << "_c" << options.c;
  list("_", options.input);
  os << "_k" << options.k;
  list("_", options.filter);
  unless("_p", options.low, 0);
  unless("_s", options.stride, 1);
  unless("_d", options.dilation, 1);
  if (options.groups != 1)
    os << "_g" << options.groups;
  return name;
}

auto ::conv::chooseName(ModuleOp module, const std::string &name)
    -> std::string {
  std::string chosen = name;
  for (int64_t number = 2; module.lookupSymbol(chosen); ++number)
    chosen = name + "_" + std::to_string(number);
  return chosen;
}
