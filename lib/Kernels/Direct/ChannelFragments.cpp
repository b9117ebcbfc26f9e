//===- ChannelFragments.cpp - fragments of vectors of channels ------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelFragments.h"

#include "conv/Dialect/Conv/IR/ChannelVector.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::conv;

void mlir::conv::loadBlocks(const Kernel &kernel, const SharedBox &box,
                            Value place, PairOf pair,
                            MutableArrayRef<Value> words) {
  ImplicitLocOpBuilder &b = kernel.b;
  auto count = int64_t(words.size());
  Type element = cast<MemRefType>(box.getBuffer().getType()).getElementType();
  Value blocks = nvgpu::LdMatrixOp::create(
      b, VectorType::get({count, ChannelVector::kPair}, element),
      box.getBuffer(), ValueRange(box.getIndex(place)),
      /*transpose=*/pair == PairOf::Positions, /*numTiles=*/count);
  auto word = VectorType::get({1}, b.getI32Type());
  for (auto [i, each] : llvm::enumerate(words)) {
    Value ofBlock = vector::ExtractOp::create(b, blocks, int64_t(i));
    each = vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, word, ofBlock), int64_t(0));
  }
}

BlockWords mlir::conv::loadBlocks(const Kernel &kernel, const SharedBox &box,
                                  Value place, PairOf pair) {
  BlockWords words;
  loadBlocks(kernel, box, place, pair, words);
  return words;
}

Value mlir::conv::createFragment(ImplicitLocOpBuilder &b, ArrayRef<Value> words,
                                 Type element) {
  auto count = int64_t(words.size());
  Value joined = vector::FromElementsOp::create(
      b, VectorType::get({count}, b.getI32Type()), words);
  return vector::BitCastOp::create(
      b, VectorType::get({count * ChannelVector::kPair}, element), joined);
}

void mlir::conv::synchronizeSubgroup(const Kernel &kernel) {
  ImplicitLocOpBuilder &b = kernel.b;
  NVVM::SyncWarpOp::create(
      b, arith::ConstantOp::create(b, b.getI32IntegerAttr(-1)));
}
