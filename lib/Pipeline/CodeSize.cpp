//===- CodeSize.cpp - limits on the size of kernels -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of a code generator is proportional to the number of instructions,
// which is estimated from the operations of the kernels: each counts once per
// vector element, and a math function counts as many additions as take equally
// long. AMD's back end keeps calls of large functions; the others inline them.
// Kernels of common network layers are below 6000.
//
//===----------------------------------------------------------------------===//

#include "CodeSize.h"

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::conv;

/// The cost of the most expensive functions.
static constexpr int64_t kMostOfFunction = 240;

/// The cost of an operation on one number, in additions.
static int64_t computeCost(Operation &op) {
  return llvm::TypeSwitch<Operation &, int64_t>(op)
      .Case<math::SinOp, math::CosOp, math::TanOp, math::PowFOp>(
          [](auto) -> int64_t { return kMostOfFunction; })
      .Case<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp,
            math::AtanOp, math::AtanhOp, math::CbrtOp, math::CoshOp,
            math::ErfOp, math::ErfcOp, math::ExpM1Op, math::Log1pOp,
            math::SinhOp, math::TanhOp>([](auto) -> int64_t { return 30; })
      .Case<math::ExpOp, math::Exp2Op, math::LogOp, math::Log10Op, math::Log2Op,
            math::RsqrtOp, math::SqrtOp, arith::DivFOp, arith::RemFOp>(
          [](auto) -> int64_t { return 8; })
      .Default([](Operation &) { return 1; });
}

static constexpr int64_t kCostOfCall = 4;

static int64_t countElements(Operation &op) {
  if (op.getNumResults() == 0)
    return 1;
  auto vector = dyn_cast<VectorType>(op.getResult(0).getType());
  return vector && vector.hasStaticShape() ? vector.getNumElements() : 1;
}

/// Long epilogues of additions, tanh or sin compile in 2 s at these costs.
static int64_t getMostCost(::conv::Backend backend, bool simulated) {
  if (simulated)
    return 34'000;
  switch (backend) {
  case ::conv::Backend::AMDGPU:
    return 50'000;
  case ::conv::Backend::Host:
    return 500'000;
  case ::conv::Backend::NVPTX:
    return 45'000;
  }
  llvm_unreachable("every back end has a limit");
}

CodeSize mlir::conv::computeCodeSize(ModuleOp module, bool simulated) {
  ::conv::Backend backend = TargetAttr::lookup(module).getInfo().backend;
  bool keepsCalls = backend == ::conv::Backend::AMDGPU && !simulated;
  CodeSize size;
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    kernels->walk([&](Operation *op) {
      bool isArithmetic =
          isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
              op->getDialect());
      int64_t cost = computeCost(*op);
      if (keepsCalls)
        cost = std::min(cost, kCostOfCall);
      bool isFloat = isArithmetic && op->getNumResults() == 1 &&
                     isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
      size.operations += !isFloat;
      size.cost += cost * (isArithmetic ? countElements(*op) : 1);
    });
  size.most = getMostCost(backend, simulated);
  return size;
}

LogicalResult mlir::conv::checkCodeSize(ModuleOp module, CodeSize size) {
  if (size.cost <= size.most)
    return success();
  auto functions = module.getOps<func::FuncOp>();
  Location location =
      functions.empty() ? module.getLoc() : (*functions.begin()).getLoc();
  return emitUnsupported(location, Reason::ProblemSize)
         << "expects code of at most " << size.most
         << " operations for this target, of which a function has up to "
         << kMostOfFunction << ", but got " << size.cost
         << ": make a function of its own of a part of what follows the "
            "convolution";
}
