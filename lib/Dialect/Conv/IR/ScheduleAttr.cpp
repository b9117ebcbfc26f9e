//===- ScheduleAttr.cpp - verification of schedules -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the plan of a schedule; the kernel attribute verifies itself. The pass
// that puts a schedule on an op checks it against the chip, once the target is
// known.
//
//===----------------------------------------------------------------------===//

#include "KernelFields.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

LogicalResult
ScheduleAttr::verify(EmitError emitError, KernelAttrInterface kernel,
                     ArrayRef<int64_t> outputTile, int64_t mergedGroups,
                     int64_t splits, bool transposed, LayoutsAttr,
                     int64_t channelMultiple, int64_t im2col,
                     int64_t spaceToBatch, Type operandType, ChosenBy) {
  // S11, S12, S19 and S25, except the parts that depend on the convolution.
  for (auto [name, value] :
       {std::pair("merged_groups", mergedGroups), std::pair("splits", splits),
        std::pair("channel_multiple", channelMultiple),
        std::pair("space_to_batch", spaceToBatch)})
    if (value <= 0)
      return emitError() << "expects " << name << " to be positive, but got "
                         << value;
  if (im2col < 0)
    return emitError() << "expects im2col to be at least 0, but got " << im2col;
  // S23, the same.
  if (operandType && !operandType.isF16())
    return emitError() << "expects operand_type to be f16, but got "
                       << operandType;
  bool isDirect = isa<DirectAttr>(kernel);
  if (isDirect && mergedGroups != 1)
    return emitError() << "expects 1 of merged_groups for direct kernels, but "
                          "got "
                       << mergedGroups;
  // S20, except the part that depends on the convolution.
  bool hasHaloTile = !kernel.getHaloTile().empty();
  if (transposed && (isDirect || !outputTile.empty() || mergedGroups != 1 ||
                     (splits != 1 && !hasHaloTile) || kernel.getCluster() != 1))
    return emitError() << "expects a transposed product to be neither direct "
                          "nor winograd, without merged_groups and cluster, "
                          "and without splits or with halo_tile, but got "
                       << kernel << " with merged_groups = " << mergedGroups
                       << ", splits = " << splits << " and output_tile = ["
                       << outputTile << "]";
  // S21, except the part that depends on the convolution.
  if (llvm::any_of(outputTile, [](int64_t size) { return size <= 0; }))
    return emitError() << "expects output_tile to be positive sizes, but got ["
                       << outputTile << "]";
  if (isDirect && !outputTile.empty())
    return emitError() << "expects output_tile only for kernels that are not "
                          "direct, but got ["
                       << outputTile << "]";
  return success();
}

Algorithm ScheduleAttr::getAlgorithm() const {
  return isWinograd() ? Algorithm::Winograd
         : isDirect() ? Algorithm::Direct
                      : Algorithm::ImplicitGemm;
}

ScheduleAttr ScheduleAttr::withForm(LayoutsAttr layouts,
                                    int64_t channelMultiple, int64_t im2col,
                                    int64_t spaceToBatch,
                                    Type operandType) const {
  return get(getContext(), getKernel(), getOutputTile(), getMergedGroups(),
             getSplits(), getTransposed(), layouts, channelMultiple, im2col,
             spaceToBatch, operandType, getChosenBy());
}

ScheduleAttr ScheduleAttr::withOutputTile(ArrayRef<int64_t> tile) const {
  return get(getContext(), getKernel(), tile, getMergedGroups(), getSplits(),
             getTransposed(), getLayouts(), getChannelMultiple(), getIm2col(),
             getSpaceToBatch(), getOperandType(), getChosenBy());
}

ScheduleAttr ScheduleAttr::getProductSchedule() const {
  if (!isWinograd())
    return *this;
  return get(getKernel(), getMergedGroups(), getSplits(), getTransposed(),
             getChosenBy());
}

ScheduleAttr ScheduleAttr::withChosenBy(ChosenBy chosenBy) const {
  return get(getContext(), getKernel(), getOutputTile(), getMergedGroups(),
             getSplits(), getTransposed(), getLayouts(), getChannelMultiple(),
             getIm2col(), getSpaceToBatch(), getOperandType(), chosenBy);
}

LogicalResult TransformScheduleAttr::verify(EmitError emitError,
                                            ArrayRef<int64_t> tile,
                                            int64_t elements) {
  // F3.
  bool isWhole = llvm::all_of(tile, llvm::isPowerOf2_64);
  if (tile.size() != 2 || !isWhole)
    return emitError() << "expects tile to be two powers of two, but got ["
                       << tile << "]";
  // F4.
  constexpr int64_t kMostElements = 16;
  bool isVector = elements == 0 ||
                  (llvm::isPowerOf2_64(elements) && elements <= kMostElements);
  if (isVector)
    return success();
  return emitError() << "expects elements to be 0 or a power of two up to "
                     << kMostElements << ", but got " << elements;
}

const ::conv::MatrixAtom *mlir::conv::lookupAtom(const ::conv::ChipInfo &chip,
                                                 AtomAttr atom,
                                                 Type elementType) {
  std::optional<::conv::NumericType> stored = getNumericType(elementType);
  if (!stored)
    return nullptr;
  ::conv::NumericType operand = getMultipliedType(chip, *stored);
  for (const ::conv::MatrixAtom &row : chip.atoms)
    if (row.takes(operand) && row.kind == atom.getKind() &&
        row.m == atom.getM() && row.n == atom.getN() && row.k == atom.getK())
      return &row;
  return nullptr;
}

LogicalResult mlir::conv::verifyScheduleForChip(EmitError emitError,
                                                ScheduleAttr schedule,
                                                const ::conv::ChipInfo &chip,
                                                Type elementType) {
  // S5.
  const ::conv::MatrixAtom *atom =
      lookupAtom(chip, schedule.getAtom(), elementType);
  if (!atom && schedule.hasMatrixInstruction())
    return emitError() << "expects an atom that " << chip.name << " has for "
                       << elementType << ", but got " << schedule.getAtom();
  // S9.
  KernelAttrInterface kernel = schedule.getKernel();
  if (!kernel.suits(chip))
    return refuseMainLoop(emitError, kernel, chip);
  return kernel.verifyForChip(emitError, chip, atom);
}
