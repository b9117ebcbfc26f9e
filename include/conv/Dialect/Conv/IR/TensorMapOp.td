//===- TensorMapOp.td - tensor maps of the copy engine -----*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_TENSOR_MAP_OP_TD
#define CONV_TENSOR_MAP_OP_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Conv_TensorMapOp : Conv_Op<"tensor_map", [Pure]> {
  let summary = "The tensor map of a buffer, to be passed to a kernel";
  let description = [{
    Stands for the 128 bytes that describe `buffer` to the copy engine. The
    runtime encodes them when it launches the kernel, since they contain the
    address. The kernel's argument has the attribute `conv.tensor_map` and is
    passed by value.

    Constraints:
      * (X5) The first and the last element of `map` lie in `buffer`.
      * (X6) A row of the box has a multiple of 16 bytes, at most `swizzle`,
        or any if that is 16.
      * (X8) The elements of `buffer` are f32 if `arithmetic` is `tf32`.

    Example:
    ```mlir
    %map = conv.tensor_map %y <sizes = [64, 3136], strides = [128], box = [64, 64],
        element_strides = [1, 1], swizzle = 128> : memref<1x56x56x64xf16> -> !llvm.ptr
    ```
  }];
  let arguments = (ins Conv_Buffer:$buffer, Conv_TensorMapAttr:$map);
  let results = (outs LLVM_PointerInAddressSpace<0>:$result);
  let assemblyFormat = [{
    $buffer $map attr-dict `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // CONV_TENSOR_MAP_OP_TD
