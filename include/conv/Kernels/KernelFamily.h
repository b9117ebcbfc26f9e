//===- KernelFamily.h - one way to compute products -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family is a folder of lib/Kernels: the geometry that it needs, its
// candidates, what they cost, and how its kernels are built. The stages meet
// families behind this interface only, and `Registry.cpp` lists them.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNELS_KERNELFAMILY_H
#define CONV_KERNELS_KERNELFAMILY_H

#include "conv/Kernels/BuildKernel.h"

namespace mlir::conv {

struct Kernel;

/// One way to compute products, or a few that share most of it.
class KernelFamily {
public:
  virtual ~KernelFamily();

  /// Whether its kernels have this main loop.
  virtual bool has(MainLoop mainLoop) const = 0;

  /// Builds what a workgroup does for a part with a product, in kernels whose
  /// arguments are addresses.
  virtual LogicalResult buildBody(Kernel &kernel,
                                  gpu::GPUFuncOp function) const;

  /// Builds the kernel of parts of which at least one has a product. The
  /// default calls `buildBody` for each of these, side by side with parts that
  /// have none.
  virtual FailureOr<BuiltKernel> buildKernel(OpBuilder &builder,
                                             ArrayRef<KernelPart> parts,
                                             const ::conv::ChipInfo &chip,
                                             StringRef name) const;

  /// Completes a kernel, in front of its end, that adds up what split products
  /// of the family left.
  virtual void completeCombine(const TiledConvolution &form,
                               const ::conv::ChipInfo &chip,
                               gpu::GPUFuncOp combine) const {}
};

/// The family whose kernels have this main loop.
const KernelFamily &getKernelFamily(MainLoop mainLoop);

} // namespace mlir::conv

#endif // CONV_KERNELS_KERNELFAMILY_H
