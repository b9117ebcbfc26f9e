//===- TakeRest.cpp - a program without its convolutions --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text is for other compilers: it has no op and no attribute of this
// project, except convolutions of this dialect that were refused.
//
//===----------------------------------------------------------------------===//

#include "TakeRest.h"

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::conv;

/// Whether this compiler compiles a function.
static bool hasConvolution(Operation &op) {
  auto find = [](ConvolutionOpInterface convolution) {
    return convolution->hasAttr(kLeftName) ? WalkResult::advance()
                                           : WalkResult::interrupt();
  };
  return op.walk(find).wasInterrupted();
}

/// Turns a function into a declaration if it is called; otherwise erases it.
static void declare(func::FuncOp function, ModuleOp module) {
  if (SymbolTable::symbolKnownUseEmpty(function, module)) {
    function.erase();
    return;
  }
  function.eraseBody();
  function.setPrivate();
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
}

std::string mlir::conv::takeRest(ModuleOp module) {
  OwningOpRef<ModuleOp> rest = module.clone();
  for (Operation &op : llvm::make_early_inc_range(*rest->getBody()))
    if (auto function = dyn_cast<func::FuncOp>(op);
        function && hasConvolution(op))
      declare(function, *rest);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (!hasConvolution(op))
      op.erase();
  rest->walk([](ConvolutionOpInterface left) { left->removeAttr(kLeftName); });
  std::string text;
  llvm::raw_string_ostream stream(text);
  rest->print(stream); // Prints resources; `<<` would not.
  return text;
}

std::vector<OutlinedFunction> mlir::conv::listOutlined(ModuleOp module) {
  std::vector<OutlinedFunction> functions;
  for (auto function : module.getOps<func::FuncOp>()) {
    std::string place;
    for (ConvolutionOpInterface op :
         function.getOps<ConvolutionOpInterface>()) {
      if (auto file = op->getLoc()->findInstanceOf<FileLineColLoc>())
        place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) +
                 ":" + Twine(file.getColumn()))
                    .str();
      break;
    }
    functions.push_back({function.getName().str(), place});
  }
  return functions;
}
