//===- TakeConstants.cpp - moves constants out of the IR --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights can be most of a program. They are copied once, out of the context
// that read them, before functions move to contexts of their own; the functions
// keep only the digest.
//
//===----------------------------------------------------------------------===//

#include "TakeConstants.h"

#include "conv/Dialect/Conv/IR/Conv.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::conv;
namespace artifact = ::conv::artifact;

/// The bytes of all elements, or of a splat's single one; empty if unknown.
static ArrayRef<char> getRawElements(Attribute elements) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? blob->getData() : ArrayRef<char>();
}

LogicalResult mlir::conv::takeConstants(func::FuncOp function,
                                        artifact::Artifact &artifact) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto elements = function.getArgAttrOfType<ElementsAttr>(
        index, ConvDialect::kConstantAttr);
    if (!elements)
      continue; // An argument, or already taken.
    auto type = cast<RankedTensorType>(argument.getType());
    size_t bytes = computeBytes(type);
    ArrayRef<char> raw = getRawElements(elements);
    bool isSplat = isa<SplatElementsAttr>(elements);
    if (raw.empty() || (isSplat ? bytes % raw.size() : bytes - raw.size()) != 0)
      return emitError(argument.getLoc())
             << "expects " << bytes << " bytes of elements for a constant of "
             << type << ", but got " << raw.size();
    std::string copy;
    copy.reserve(bytes);
    while (copy.size() < bytes)
      copy.append(raw.data(), raw.size());
    std::string path =
        artifact.addData(::conv::Blob::fromString(std::move(copy)));
    // "data/<sha256>.bin"
    StringRef digest = StringRef(path).drop_front(5).take_front(64);
    function.setArgAttr(index, ConvDialect::kConstantAttr,
                        StringAttr::get(function.getContext(), digest));
  }
  return success();
}

void mlir::conv::externalizeConstants(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, ConvDialect::kConstantAttr);
}
