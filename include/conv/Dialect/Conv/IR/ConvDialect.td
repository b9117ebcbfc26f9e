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
      convolution computes, with its element-wise epilogue attached;
      `#conv.schedule` says how.
    * `conv.gather` and `conv.scatter` see tensors as matrices, by a
      `#conv.view`, which turns it into matrix products.
    * `conv.guarded_load`, `conv.guarded_store` and `conv.mma` are what kernels
      need beyond upstream ops, before a back end chooses instructions, and
      `conv.tensor_map` what a launch passes to those that copy boxes.

    `conv.name` on an argument or a result of a function is the name that
    callers know it by:

    ```mlir
    func.func @f(%x: tensor<8xf16> {conv.name = "input"})
    ```

      * (N1) It is a string of 1 to 4096 bytes, in UTF-8 and without control
        characters.
      * (N2) The names of a function differ.

    `conv.tensor_map` on an argument of a kernel says that it is a tensor map,
    which is passed by value.

      * (X7) The argument is a pointer.

    `conv.strides` says how many elements neighbours along each dimension of the
    argument or result are apart in memory, where they are not contiguous:

    ```mlir
    func.func @f(%x: tensor<8x16xf16> {conv.strides = array<i64: 32, 1>})
    ```

      * (N3) It has one positive entry per dimension of a tensor of numbers, and
        the bytes from the first element to the last are below 2^63, as far as
        sizes are known.
      * (N4) Elements do not overlap: with dimensions of more than one element
        sorted by stride, each stride is larger than what the smaller ones span.
        One whose size is `?` has the largest stride.
      * (N5) The argument is used, and the result computed, without a reshape.

    `conv.constant` says that callers do not pass the argument: its elements are
    stored with the code.

    ```mlir
    func.func @f(%x: tensor<8xf16>, %w: tensor<2xf16> {conv.constant = dense<[1.0, 2.0]> : tensor<2xf16>})
    ```

      * (N6) It is the elements, of the argument's type, or the SHA-256 digest of
        their bytes in 64 lower-case hex digits, where they are kept elsewhere.

    `conv.in_place` on an argument says that callers get a result in the buffer
    of this argument, which the function changes:

    ```mlir
    func.func @f(%x: tensor<8x4x1xf16>, %w: tensor<4x4xf16>, %s: tensor<8x4x3xf16> {conv.in_place = 1})
        -> (tensor<8x4x1xf16>, tensor<8x4x3xf16>)
    ```

      * (N7) It is the number of a result, as an i64: of the argument's type, of
        no other argument, and without attributes. The argument is no constant.
      * (N8) The result is the new state that one op makes of the argument, which
        nothing else uses, and it is returned alone.

    `conv.launch` on an op that becomes a kernel says that the kernel overlaps
    with its neighbours on the stream: a `#conv.launch`.

    ```mlir
    %y = conv.scatter %t into %empty view = #view {conv.launch = #conv.launch<next = at_end>} ...
    ```

      * (P1) It is a `#conv.launch`, and the op is a `conv.scatter`, a
        `conv.count_neighbours`, an op on states or a dynamic convolution.
      * (P2) The target, where it is known, launches kernels in this way
        (`ChipInfo::hasDependentLaunch`).
      * (P3) `next = after_loads` is only for a `conv.causal_update`, whose
        work-items read before they write.
      * (P4) `prefetches` is only for a `conv.scatter`, and for a
        `conv.causal_update` without `indices` and `positions`, which addresses
        would depend on.

    Attributes that passes leave for those after them:

    | attribute | on | says |
    | --- | --- | --- |
    | `conv.target` | the module | the chip: a `#conv.target` |
    | `conv.schedule` | epilogues, tiled nests, launches | the convolution's schedule |
    | `conv.launch` | ops that become kernels | how the kernel overlaps with its neighbours on the stream |
    | `conv.workspace_bytes` | functions of launches | bytes of the workspace, the last argument |
    | `conv.resident_workgroups` | kernels | how many workgroups a compute unit should have room for |
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;    // P1 to P4
  let hasRegionArgAttrVerify = 1;    // N1 to N4, N6, N7
  let hasRegionResultAttrVerify = 1; // N1 to N4
  let extraClassDeclaration = [{
    /// Attribute of a constant argument, which callers do not pass.
    static constexpr ::llvm::StringLiteral kConstantAttr = "conv.constant";
    /// Attribute of an argument whose buffer also holds a result.
    static constexpr ::llvm::StringLiteral kInPlaceAttr = "conv.in_place";
    /// Attribute of an op that becomes a kernel, which overlaps with others.
    static constexpr ::llvm::StringLiteral kLaunchAttr = "conv.launch";
    /// Attribute with the name of an argument or a result for callers.
    static constexpr ::llvm::StringLiteral kNameAttr = "conv.name";
    /// Attribute with the strides of an argument or a result in memory.
    static constexpr ::llvm::StringLiteral kStridesAttr = "conv.strides";

    void registerAttributes();
  }];
}

/// Element types of tensors and of the values that kernels compute.
def Conv_Number : AnyTypeOf<[F32, F16, BF16, I8, I32, F8E4M3FN, F8E5M2,
                             F8E4M3FNUZ, F8E5M2FNUZ]>;
/// A tensor, or a part of a tensor, in memory.
def Conv_Buffer : StaticShapeMemRefOf<[Conv_Number, I64]>;

class Conv_Op<string mnemonic, list<Trait> traits = []>
    : Op<Conv_Dialect, mnemonic, traits>;

#endif // CONV_DIALECT_TD
