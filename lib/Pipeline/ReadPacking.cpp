//===- ReadPacking.cpp - the function that packs filters ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the manifest says about filters that callers pack once: which arguments
// of a function are packed (`packed`), and the entry of the function that packs
// them, at the conv stage.
//
//===----------------------------------------------------------------------===//

#include "ReadEntry.h"

#include "ReadArguments.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/Prepack.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Numerics/TransformRoundings.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;

void mlir::conv::readPacked(func::FuncOp function, artifact::Entry &entry) {
  // N10.
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (auto packing =
            function.getArgAttrOfType<FlatSymbolRefAttr>(index, kPackedByAttr))
      entry.packed.push_back({getArgumentPlace(function, index).index,
                              packing.getValue().str(),
                              int64_t(entry.packed.size()), 0});
  }
  // Results come after all filters.
  for (artifact::PackedArgument &packed : entry.packed)
    packed.result = int64_t(entry.packed.size()) + packed.source;
}

/// The layout of the filter that `packed` holds; none if the convolution reads
/// a reshape of it.
static StringRef findLayout(BlockArgument packed) {
  auto unpack = cast<UnpackOp>(*packed.user_begin());
  auto reader =
      dyn_cast<ConvolutionOpInterface>(*unpack.getResult().user_begin());
  return reader ? reader.getOrder(TensorRole::Filter) : StringRef();
}

/// How often a term of a row of the matrix is rounded, at most. Its elements
/// are in f32.
static int64_t countRoundings(DenseElementsAttr matrix) {
  int64_t columns = cast<ShapedType>(matrix.getType()).getDimSize(1);
  ::conv::TransformRow row;
  int64_t most = 0;
  for (float value : matrix.getValues<float>()) {
    row.push_back(value);
    if (int64_t(row.size()) < columns)
      continue;
    most = std::max(most, ::conv::countTransformRoundings(row));
    row.clear();
  }
  return most;
}

static artifact::ErrorBound recordBound(func::FuncOp packing) {
  int64_t most = 0;
  for (auto transform : packing.getOps<BlockTransformOp>()) {
    int64_t roundings = 0;
    for (size_t d = 0; d < transform.getMatrices().size(); ++d)
      roundings += countRoundings(transform.getMatrix(d));
    most = std::max(most, roundings);
  }
  return {.accumulation = double(most), .outputUlp = 0};
}

void mlir::conv::readPacking(func::FuncOp packing, func::FuncOp reader,
                             const artifact::Entry &of,
                             artifact::Entry &entry) {
  entry.function = packing.getName().str();
  entry.problem = of.problem;
  entry.algorithm = of.algorithm;
  entry.schedule = of.schedule;
  entry.chosenBy = of.chosenBy;
  entry.errorBound = recordBound(packing);
  readArguments(packing, entry);
  auto source = entry.arguments.begin();
  for (BlockArgument argument : reader.getArguments())
    if (reader.getArgAttr(argument.getArgNumber(), kPackedByAttr))
      (source++)->layout = findLayout(argument).str();
}
