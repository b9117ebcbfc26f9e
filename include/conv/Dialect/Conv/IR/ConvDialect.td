//===- ConvDialect.td - the conv dialect ------------------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_TD
#define CONV_DIALECT_TD

include "mlir/IR/OpBase.td"

def Conv_Dialect : Dialect {
  let name = "conv";
  let cppNamespace = "::mlir::conv";
  let summary = "Convolutions, from the operation to its tiles and atoms";
  let description = [{
    Three families of ops, one per stage that needs its own:

    * `conv.forward`, `conv.backward_data` and `conv.backward_weight` say what a
      convolution computes, with its element-wise tail attached;
      `#conv.schedule` says how.
    * `conv.gather` and `conv.scatter` see tensors as matrices, by a
      `#conv.view`, which turns it into matrix products.
    * `conv.guarded_load`, `conv.guarded_store` and `conv.mma` are what kernels
      need beyond upstream ops, before a back end chooses instructions.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

class Conv_Op<string mnemonic, list<Trait> traits = []>
    : Op<Conv_Dialect, mnemonic, traits>;

#endif // CONV_DIALECT_TD
