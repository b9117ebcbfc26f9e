//===- ReferenceOperands.h - tensors and epilogues of steps -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the JSON of every kind of step has: references to tensors, and the
// operations of its epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TOOLS_SUPPORT_REFERENCEOPERANDS_H
#define CONV_TOOLS_SUPPORT_REFERENCEOPERANDS_H

#include "ReferenceFields.h"

namespace conv::reference {

/// What is known while steps are read.
struct Context {
  const artifact::Entry &entry;
  const std::vector<Step> &steps;
};

/// An argument, a constant, or the result of an earlier step.
TensorRef readTensorRef(const Json &json, const Context &context);

/// How many elements the tensor has.
int64_t elementsOf(TensorRef ref, const Context &context);

/// Refuses a tensor of another number of elements.
void expectElements(TensorRef ref, int64_t count, const Context &context,
                    const char *what);

/// A tensor that an epilogue reads, for each element or each channel.
EpilogueOperand readEpilogueOperand(const Json &json, const Context &context);

/// Reads the epilogue of `step`, whose first `numValues` values are given.
void readEpilogue(const Json &json, int64_t numValues, Step &step);

} // namespace conv::reference

#endif // CONV_TOOLS_SUPPORT_REFERENCEOPERANDS_H
