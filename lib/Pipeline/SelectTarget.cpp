//===- SelectTarget.cpp - a target for a device -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device lists all targets whose code it runs. It does not know which of them
// this compiler has.
//
//===----------------------------------------------------------------------===//

#include "conv/Chip/TargetName.h"
#include "conv/Pipeline/Compile.h"

using namespace conv;

std::string mlir::conv::selectTarget(const std::vector<std::string> &names) {
  for (const std::string &name : names)
    if (Result<TargetName> target = parseTargetName(name))
      return target->name;
  return "";
}
