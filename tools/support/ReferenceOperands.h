//===- ReferenceOperands.h - tensors and epilogues of steps -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common fields of the JSON of every kind of step: references to tensors,
// and the operations of its epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_REFERENCEOPERANDS_H
#define CONV_TOOLS_SUPPORT_REFERENCEOPERANDS_H

#include "ReferenceFields.h"

namespace conv::reference {

/// The state of reading steps.
struct Context {
  const artifact::Entry &entry;
  const std::vector<Step> &steps;
};

/// An argument, a constant, or the result of an earlier step.
TensorRef readTensorRef(const Json &json, const Context &context);

/// The number of elements of the tensor.
int64_t elementsOf(TensorRef ref, const Context &context);

/// Refuses a tensor with another number of elements.
void expectElements(TensorRef ref, int64_t count, const Context &context,
                    const char *what);

/// A tensor that an epilogue reads, per element or per channel.
EpilogueOperand readEpilogueOperand(const Json &json, const Context &context);

/// Reads the epilogue of `step`; its first `numValues` values are inputs.
void readEpilogue(const Json &json, int64_t numValues, Step &step);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_REFERENCEOPERANDS_H
