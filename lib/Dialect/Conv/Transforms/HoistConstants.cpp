//===- HoistConstants.cpp - constants to arguments --------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the operands of convolutions through reshapes, as the lookup of a
// tensor's buffer does. Where the elements are stored is decided elsewhere.
// Constants that cannot be buffers, such as positions of a gather, stay.
//
//===----------------------------------------------------------------------===//

#include "SupportedConvolutions.h"

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::conv {
#define GEN_PASS_DEF_HOISTCONSTANTSPASS
#include "conv/Dialect/Conv/Transforms/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
struct HoistConstantsPass final
    : mlir::conv::impl::HoistConstantsPassBase<HoistConstantsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    llvm::SetVector<arith::ConstantOp> constants;
    function.walk([&](Operation *op) {
      if (!isa<ConvolutionOpInterface, linalg::GenericOp, tensor::ConcatOp>(op))
        return;
      for (Value operand : op->getOperands())
        if (auto constant =
                lookThroughReshapes(operand).getDefiningOp<arith::ConstantOp>();
            constant && isBuffer(constant.getType()))
          constants.insert(constant);
    });
    for (arith::ConstantOp constant : constants)
      hoist(function, constant);
  }

private:
  static void hoist(func::FuncOp function, arith::ConstantOp constant) {
    Builder builder(constant.getContext());
    NamedAttribute elements(ConvDialect::kConstantAttr, constant.getValue());
    unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(index, constant.getType(),
                                       builder.getDictionaryAttr(elements),
                                       constant.getLoc())))
      return;
    constant.getResult().replaceAllUsesWith(function.getArgument(index));
    constant.erase();
  }
};
} // namespace
