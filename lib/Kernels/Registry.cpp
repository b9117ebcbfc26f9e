//===- Registry.cpp - the list of kernel families -------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A new family is a folder, a line in Families.h, and one here.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace mlir;
using namespace mlir::conv;

const KernelFamily &mlir::conv::getKernelFamily(MainLoop mainLoop) {
  static const KernelFamily *const kFamilies[] = {
      &getDirectFamily(),     &getGemmFamily(),
      &getHostFamily(),       &getLineBufferFamily(),
      &getWarpgroupGemmFamily(), &getWeightStationaryFamily(),
  };
  return **llvm::find_if(kFamilies, [&](const KernelFamily *family) {
    return family->has(mainLoop);
  });
}
