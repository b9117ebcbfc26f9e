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

#include "llvm/ADT/STLExtras.h"

using namespace conv;

std::string mlir::conv::selectTarget(const std::vector<std::string> &names) {
  for (const std::string &name : names)
    if (Result<TargetName> target = parseTargetName(name))
      return target->name;
  return "";
}

bool mlir::conv::includesHost(const std::vector<std::string> &targets) {
  return llvm::any_of(targets, [](const std::string &name) {
    Result<TargetName> target = parseTargetName(name);
    return target && target->chip->isProcessor();
  });
}
