//===- AlikeSubproblems.cpp - which subproblems share code ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subproblems share code if nothing but numbers makes a difference, and if the
// code is as good as code of their own: what their common accesses allow, such
// as wide loads, is what the accesses of each of them allow.
//
//===----------------------------------------------------------------------===//

#include "AlikeSubproblems.h"

#include "../Parts/KernelFunction.h"
#include "MainLoop.h"
#include "StagedTiles.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// What the code of a kernel depends on besides numbers.
struct StagedShape {
  explicit StagedShape(const Kernel &kernel)
      : StagedShape(kernel, StagedTiles(kernel)) {}

  bool operator==(const StagedShape &) const = default;

private:
  StagedShape(const Kernel &kernel, const StagedTiles &tiles);

  CopyShape left, right;
  TileOrder leftOrder, rightOrder;
  int64_t loadDistance;
  /// Elements of an access to each operand of the epilogue and the result.
  SmallVector<int64_t> widths;
};
} // namespace

StagedShape::StagedShape(const Kernel &kernel, const StagedTiles &tiles)
    : left(kernel, tiles.leftTile, tiles.left,
           cast<MemRefType>(kernel.arguments[0].getType()),
           tiles.leftTile.getRows()),
      right(kernel, tiles.rightTile, tiles.right,
            cast<MemRefType>(kernel.arguments[1].getType()),
            tiles.matrix.columnRun()),
      leftOrder(tiles.leftTile.getOrder()),
      rightOrder(tiles.rightTile.getOrder()),
      loadDistance(
          computeLoadDistance(kernel, left.loadsPerBlock(kernel) == 1 &&
                                          right.loadsPerBlock(kernel) == 1)) {
  for (size_t tensor = 2; tensor < kernel.arguments.size(); ++tensor)
    widths.push_back(createAccess(kernel, tensor)
                         .getVectorWidth(MatrixIndex::Column, kVectorBytes));
}

/// The code of `subproblems`, of which nothing is built.
static Kernel getKernel(ImplicitLocOpBuilder &b,
                        ArrayRef<KernelSubproblem> subproblems,
                        const ::conv::ChipInfo &chip) {
  const KernelSubproblem &first = subproblems.front();
  ScheduleAttr schedule = first.form.schedule;
  Kernel kernel{b,
                first.form,
                chip,
                getAtom(first.form, chip),
                IndexMath(b, b.getI32Type()),
                first.buffers,
                schedule.getNumSubgroups() * chip.subgroupSize,
                /*workgroup=*/{},
                /*workItem=*/{},
                /*lane=*/{},
                /*subgroup=*/{}};
  for (const KernelSubproblem &subproblem : subproblems)
    kernel.subproblems.push_back(&subproblem.form);
  return kernel;
}

/// Whether code for both forms differs in nothing but numbers and in what is
/// known of them.
static bool haveEqualStructure(const TiledConvolution &lhs,
                               const TiledConvolution &rhs) {
  if (lhs.getBatch() != rhs.getBatch() ||
      lhs.getColumns() != rhs.getColumns() ||
      lhs.countTensors() != rhs.countTensors() ||
      !OperationEquivalence::isRegionEquivalentTo(
          &lhs.epilogue->getRegion(0), &rhs.epilogue->getRegion(0),
          OperationEquivalence::IgnoreLocations))
    return false;
  return llvm::all_of(llvm::seq(lhs.countTensors()), [&](size_t tensor) {
    return MatrixAccess::areAlike(
        {lhs.getTensor(tensor).getViewed(), rhs.getTensor(tensor).getViewed()});
  });
}

size_t mlir::conv::countAlikeSubproblems(ArrayRef<KernelSubproblem> subproblems,
                                         const ::conv::ChipInfo &chip) {
  const KernelSubproblem &first = subproblems.front();
  ImplicitLocOpBuilder b(scf::ForallOp(first.form.forall).getLoc(),
                         first.form.getContext());
  auto getShape = [&](ArrayRef<KernelSubproblem> some) {
    return StagedShape(getKernel(b, some, chip));
  };
  StagedShape shape = getShape(first);
  size_t count = 1;
  while (count < subproblems.size() &&
         haveEqualStructure(first.form, subproblems[count].form) &&
         getShape(subproblems[count]) == shape &&
         getShape(subproblems.take_front(count + 1)) == shape)
    ++count;
  return count;
}
