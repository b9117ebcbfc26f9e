//===- TokenStores.cpp - results of a block of tokens -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Epilogues and stores of dynamic convolution kernels of any length.
//
//===----------------------------------------------------------------------===//

#include "TokenKernel.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Plan/EpilogueBody.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::conv;

SmallVector<TokenBuilder::Elements>
TokenBuilder::loadEpilogueOperands(int64_t token) {
  bool isKernel = direction == Direction::BackwardWeight;
  return llvm::map_to_vector(
      op.getEpilogueOperands(), [&](Value operand) -> Elements {
        if (isKernel)
          return loadKernelElements(operand, token);
        if (get(operand).shape.size() > 1)
          return loadChannels(operand, token);
        // A vector of channels serves all tokens.
        auto [entry, isNew] = loaded.try_emplace({operand, 0});
        if (isNew)
          entry->second = loadChannels(operand, 0);
        return entry->second;
      });
}

void TokenBuilder::applyEpilogue(MutableArrayRef<Elements> results) {
  // All loads come first, so that they overlap with other tokens' arithmetic.
  SmallVector<SmallVector<Elements>> operands; // By token and operand.
  for (size_t token = 0; token < results.size(); ++token)
    operands.push_back(loadEpilogueOperands(int64_t(token)));
  for (auto [sums, ofToken] : llvm::zip(results, operands))
    for (auto [i, sum] : llvm::enumerate(sums)) {
      Elements read =
          llvm::map_to_vector(ofToken, [&, place = i](const Elements &each) {
            return each[place];
          });
      sum = createEpilogueBody(b, b.getLoc(), op.getEpilogue(),
                               tensors.back().element, sum, read);
    }
}

void TokenBuilder::store(ArrayRef<Value> elements, int64_t token) const {
  const StateTensor &result = tensors.back();
  if (direction == Direction::BackwardWeight)
    return access.store(elements, result, getKernelOffset(result, token),
                        getKernelAlignment(result), listKernel(result),
                        isInside(token));
  access.store(elements, result, getChannelOffset(result, token),
               getCommonAlignment({result.strides[0], result.strides[1],
                                   channels * result.strides[2]}),
               listChannels(result.strides[2]), isInside(token));
}

std::optional<VectorExchange> TokenBuilder::planExchange() const {
  const StateTensor &result = tensors.back();
  if (access.isOnHost() || direction != Direction::BackwardWeight)
    return std::nullopt;
  SmallVector<int64_t> places = listKernel(result);
  int64_t elements = places.size();
  if (places != llvm::to_vector(llvm::seq<int64_t>(elements)))
    return std::nullopt;
  int64_t bytes = getElementBytes(result.element);
  int64_t part = std::gcd(
      std::min(getKernelAlignment(result), kVectorBytes / bytes), elements);
  if (part == elements)
    return std::nullopt;
  Value workItem =
      math.cast(gpu::ThreadIdOp::create(b, gpu::Dimension::x).getResult());
  return VectorExchange(
      {b, math, access.chip, result.element, access.workItems, workItem},
      elements, part);
}

void TokenBuilder::storeExchanged(ArrayRef<Elements> results, Value item) {
  const StateTensor &result = tensors.back();
  int64_t part = results.front().size() / exchange->countVectors();
  auto type = VectorType::get({part}, result.element);
  Value workItem =
      math.cast(gpu::ThreadIdOp::create(b, gpu::Dimension::x).getResult());
  // For each vector and token, the offset and guard of its store.
  SmallVector<SmallVector<std::pair<Value, Value>>> targets;
  for (int64_t i = 0; i < exchange->countVectors(); ++i) {
    auto [owner, number] = exchange->getPlace(i);
    Value other = math.add(math.sub(item, workItem), owner);
    locate(other, isBelow(b, other, access.getCount(countItems())));
    Value inRow = math.mul(number, part);
    targets.emplace_back();
    for (int64_t token = 0; token < tokens; ++token)
      targets.back().push_back(
          {math.add(getKernelOffset(result, token), inRow), isInside(token)});
  }
  for (int64_t token = 0; token < tokens; ++token) {
    SmallVector<Value> vectors;
    for (int64_t i = 0; i < exchange->countVectors(); ++i)
      vectors.push_back(vector::FromElementsOp::create(
          b, type, ArrayRef(results[token]).slice(i * part, part)));
    for (auto [target, stored] :
         llvm::zip(targets, exchange->exchange(vectors)))
      createGuardedStore(b, stored, result.buffer, target[token].first,
                         target[token].second);
  }
}
