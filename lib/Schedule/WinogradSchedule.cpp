//===- WinogradSchedule.cpp - Winograd forms worth ranking ----------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/WinogradSchedule.h"

#include "SearchLimits.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Plan/WinogradForm.h"
#include "conv/Schedule/FormSpace.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;

/// The output tile for this `tile`, by spatial dimension; empty if none.
static SmallVector<int64_t, 2> getOutputTile(ArrayRef<int64_t> filter,
                                             int64_t tile) {
  SmallVector<int64_t, 2> outputTile;
  for (int64_t size : filter) {
    if (size > 1 && tile - size < 1)
      return {};
    outputTile.push_back(size > 1 ? tile - size + 1 : 1);
  }
  return outputTile;
}

SmallVector<OperandForm>
mlir::conv::enumerateWinogradForms(ConvolutionOpInterface op,
                                   const ::conv::ChipInfo &chip) {
  LayoutsAttr last = OperandForm::getChannelsLast(op).layouts;
  llvm::SmallSetVector<LayoutsAttr, 4> layouts;
  layouts.insert(op.getLayouts());
  if (!chip.isProcessor()) {
    layouts.insert(last);
    layouts.insert(withOrder(last, op.getResultRole(), op.getResultOrder()));
  }
  SmallVector<OperandForm> forms;
  for (int64_t tile : kWinogradTiles)
    for (LayoutsAttr one : layouts) {
      // A null layout means the op's own layouts.
      OperandForm form = {
          one == op.getLayouts() ? LayoutsAttr() : one, 1,
          getOutputTile(ConvolutionShape::get(op).filter, tile)};
      if (!form.outputTile.empty() && form.findObstacle(op).empty())
        forms.push_back(std::move(form));
    }
  return forms;
}

std::string mlir::conv::findWinogradObstacle(ConvolutionOpInterface op) {
  std::string obstacle;
  for (int64_t tile : kWinogradTiles) {
    SmallVector<int64_t, 2> outputTile =
        getOutputTile(ConvolutionShape::get(op).filter, tile);
    if (outputTile.empty())
      continue;
    obstacle = findWinogradObstacle(op, outputTile);
    if (obstacle.empty())
      return "";
  }
  if (!obstacle.empty())
    return obstacle;
  return llvm::formatv(
      "expects a filter of up to {0} elements in a dimension for winograd, but "
      "got {1}",
      *llvm::max_element(kWinogradTiles) - 1,
      *llvm::max_element(ConvolutionShape::get(op).filter));
}

ScheduleAttr mlir::conv::selectInWinogradForm(
    ConvolutionOpInterface op, const OperandForm &form,
    function_ref<ScheduleAttr(ConvolutionOpInterface)> selectProduct) {
  OpBuilder builder(op->getContext());
  auto transformed = TransformedConvolution::create(builder, op, form);
  ScheduleAttr schedule = selectProduct(transformed.op);
  transformed.erase();
  return schedule ? form.apply(schedule).withOutputTile(form.outputTile)
                  : schedule;
}
