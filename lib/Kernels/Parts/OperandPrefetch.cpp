//===- OperandPrefetch.cpp - operands before a kernel begins --------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first workgroups of a kernel, one for each compute unit at most, prefetch
// a slice of each operand, with one instruction. Which workgroup reads a slice
// does not matter, since all of them share the last-level cache. Prefetches of
// the boxes that a workgroup copies were tried first, and made kernels slower:
// the copy engine takes as long for them as for the copies.
//
//===----------------------------------------------------------------------===//

#include "OperandPrefetch.h"

#include "KernelFunction.h"
#include "Warpgroup/PtxBuilder.h"

#include "conv/Chip/Calibration.h"
#include "conv/Chip/Chip.h"
#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// The first `bytes` of an argument of the launching function.
struct Prefix {
  BlockArgument buffer;
  int64_t bytes;
};
} // namespace

/// The argument of the launching function that `buffer` is a view of, if any.
static BlockArgument findArgument(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto type = dyn_cast<MemRefType>(buffer.getType());
  bool isWhole = type && type.hasStaticShape() && type.getLayout().isIdentity();
  return isWhole ? dyn_cast<BlockArgument>(buffer) : BlockArgument();
}

/// What to prefetch, with `limit` bytes in all.
static SmallVector<Prefix> selectPrefixes(ArrayRef<Value> operands,
                                          int64_t limit) {
  SmallVector<Prefix> prefixes;
  for (Value operand : operands) {
    BlockArgument buffer = findArgument(operand);
    if (buffer && llvm::none_of(prefixes, [&](const Prefix &prefix) {
          return prefix.buffer == buffer;
        }))
      prefixes.push_back(
          {buffer, computeBytes(cast<MemRefType>(buffer.getType()))});
  }
  llvm::sort(prefixes, [](const Prefix &one, const Prefix &other) {
    return std::pair(one.bytes, one.buffer.getArgNumber()) <
           std::pair(other.bytes, other.buffer.getArgNumber());
  });
  for (Prefix &prefix : prefixes) {
    prefix.bytes = llvm::alignDown(std::min(prefix.bytes, limit),
                                   PtxBuilder::kPrefetchUnit);
    limit -= prefix.bytes;
  }
  llvm::erase_if(prefixes,
                 [](const Prefix &prefix) { return prefix.bytes == 0; });
  return prefixes;
}

/// The kernel's argument with the address of `buffer`.
static Value getAddressArgument(BuiltKernel &kernel, Value buffer) {
  size_t number = findOrAddArgument(kernel.arguments, {buffer});
  gpu::GPUFuncOp function = kernel.function;
  if (number == function.getNumArguments())
    (void)function.insertArgument(number, buffer.getType(), {},
                                  function.getLoc());
  return function.getArgument(number);
}

/// Prefetches the slice of `prefix` that belongs to `workgroup`, which is one
/// of `workgroups`.
static void prefetchSlice(const PtxBuilder &ptx, Value address,
                          const Prefix &prefix, Value workgroup,
                          int64_t workgroups, int64_t lineBytes) {
  int64_t slice =
      llvm::alignTo(llvm::divideCeil(prefix.bytes, workgroups), lineBytes);
  int64_t last = llvm::divideCeil(prefix.bytes, slice) - 1;
  ptx.createIf(ptx.math.below(workgroup, last + 1), [&] {
    ptx.prefetchToL2(address, ptx.math.mul(workgroup, slice),
                     ptx.select(ptx.equal(workgroup, last),
                                prefix.bytes - last * slice,
                                ptx.math.constant(slice)));
  });
}

bool mlir::conv::canPrefetchOperands(const ::conv::ChipInfo &chip) {
  return chip.calibration->launch.prefetchedBytes > 0;
}

void mlir::conv::prefetchOperands(BuiltKernel &kernel, ArrayRef<Value> operands,
                                  const ::conv::ChipInfo &chip) {
  SmallVector<Prefix> prefixes =
      selectPrefixes(operands, chip.calibration->launch.prefetchedBytes);
  if (prefixes.empty())
    return;
  auto b = ImplicitLocOpBuilder::atBlockBegin(
      kernel.function.getLoc(), &kernel.function.getBody().front());
  PtxBuilder ptx(b);
  int64_t workgroups = std::min<int64_t>(kernel.workgroups, chip.computeUnits);
  auto getIndex = [&](Operation *op) {
    return ptx.math.cast(op->getResult(0));
  };
  // The first warp of some kernels initialises barriers meanwhile.
  int64_t lane = kernel.workItems > kWarpSize ? kWarpSize : 0;
  Value workgroup = getIndex(gpu::BlockIdOp::create(b, gpu::Dimension::x));
  Value isFirst =
      ptx.equal(getIndex(gpu::ThreadIdOp::create(b, gpu::Dimension::x)), lane);
  ptx.createIf(
      ptx.math.both(isFirst, ptx.math.below(workgroup, workgroups)), [&] {
        for (const Prefix &prefix : prefixes)
          prefetchSlice(ptx, getAddressArgument(kernel, prefix.buffer), prefix,
                        workgroup, workgroups, chip.prefetchBytes);
      });
}
