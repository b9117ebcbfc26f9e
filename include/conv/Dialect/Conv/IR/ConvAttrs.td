//===- ConvAttrs.td - attributes of the conv dialect ------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_ATTRS_TD
#define CONV_ATTRS_TD

include "conv/Dialect/Conv/IR/ConvDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Conv_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Conv_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Conv_WindowAttr : Conv_Attr<"Window", "window"> {
  let summary = "How the filter moves over the input, per spatial dimension";
  let description = [{
    One entry per spatial dimension, outermost first. `low` and `high` are the
    elements of padding before and after the input.

    Constraints:
      * (W1) All four lists have the same length, 1 to 3.
      * (W2) `strides` and `dilations` are positive.
      * (W3) `low` and `high` are non-negative.

    Example: `#conv.window<strides = [2, 2], dilations = [1, 1], low = [3, 3], high = [3, 3]>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$strides,
    ArrayRefParameter<"int64_t">:$dilations,
    ArrayRefParameter<"int64_t">:$low,
    ArrayRefParameter<"int64_t">:$high
  );
  let assemblyFormat = [{
    `<` `strides` `=` `[` $strides `]` `,` `dilations` `=` `[` $dilations `]` `,`
        `low` `=` `[` $low `]` `,` `high` `=` `[` $high `]` `>`
  }];
  let extraClassDeclaration = [{
    /// Number of spatial dimensions.
    int64_t getRank() const { return getStrides().size(); }
  }];
}

def Conv_PaddingMode : I32EnumAttr<"PaddingMode", "what reads outside of the input give", [
    I32EnumAttrCase<"Zeros", 0, "zeros">,
    I32EnumAttrCase<"Reflect", 1, "reflect">,
    I32EnumAttrCase<"Replicate", 2, "replicate">,
    I32EnumAttrCase<"Circular", 3, "circular">
  ]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_PaddingModeAttr : EnumAttr<Conv_Dialect, Conv_PaddingMode, "padding">;

def Conv_Arithmetic : I32EnumAttr<"Arithmetic", "what is multiplied", [
    I32EnumAttrCase<"F32", 0, "f32">,
    I32EnumAttrCase<"TF32", 1, "tf32">,
    I32EnumAttrCase<"Exact", 2, "exact">,
    I32EnumAttrCase<"Promoted", 3, "promoted">
  ]> {
  let cppNamespace = "::mlir::conv";
  let genSpecializedAttr = 0;
}

def Conv_ArithmeticAttr : EnumAttr<Conv_Dialect, Conv_Arithmetic, "arithmetic">;

def Conv_LayoutsAttr : Conv_Attr<"Layouts", "layouts"> {
  let summary = "Order of the dimensions of input, filter and output";
  let description = [{
    Each order string names the dimensions of one operand from the outermost
    (largest stride) to the innermost:

    | operand | letters | usual (2-D) |
    | --- | --- | --- |
    | input | `N C D H W`, `G` | `NHWC` |
    | filter | `K C T R S`, `G` | `KRSC` |
    | output | `N K Z P Q`, `G` | `NPQK` |

    With 2 spatial dimensions `D`, `T` and `Z` are absent; with 1, `H`, `R` and
    `P` too. With `G`, groups are a dimension of their own, and `C` and `K` then
    count channels of one group.

    Constraints:
      * (L1) Each string has every letter of its operand once and no other.
      * (L2) The three strings have the same number of spatial dimensions, 1 to 3.
      * (L3) Either all three strings have `G`, or none has.
  }];
  let parameters = (ins
    StringRefParameter<"order of the input">:$input,
    StringRefParameter<"order of the filter">:$filter,
    StringRefParameter<"order of the output">:$output
  );
  let assemblyFormat = "`<` $input `,` $filter `,` $output `>`";
}

def Conv_TensorMapAttr : Conv_Attr<"TensorMap", "tensor_map"> {
  let summary = "How copies of boxes see a tensor in global memory";
  let description = [{
    Lists have the innermost dimension first. `strides` are in bytes, of all
    dimensions but the innermost, whose elements are contiguous. A copy moves
    `box` elements of each dimension, every `element_strides`-th of them, to or
    from shared memory; what is outside of the tensor reads as zero and is not
    written. Rows in shared memory have `swizzle` bytes at most, whose 16-byte
    vectors are permuted; a swizzle of 16 permutes nothing, and rows may be
    longer. With `arithmetic = tf32`, copies to shared memory round f32, to
    nearest, to what `wgmma` multiplies.

    With `lower` and `upper`, copies are im2col: dimensions are channels, spatial
    ones and images; the box is `[channels, pixels]`, and goes over the pixels
    between the corners, `lower` from the first and `upper` from the last element
    of each spatial dimension, and from image to image.

    Constraints:
      * (X1) `sizes` has 1 to 5 entries, 3 to 5 for im2col, of 1 to 2^32;
        `strides` has one entry less, multiples of 16 below 2^40.
      * (X2) `box` and `element_strides` have an entry for each dimension, 1 to
        256 and 1 to 8; for im2col, `box` is up to 256 channels and up to 1024
        pixels.
      * (X3) `swizzle` is 16, 32, 64 or 128.
      * (X4) `lower` and `upper` have an entry for each spatial dimension, in
        16 bits for one, 8 for two and 5 for three of them, with sign.

    Example: `#conv.tensor_map<sizes = [64, 3136], strides = [128], box = [64, 64], element_strides = [1, 1], swizzle = 128>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$sizes,
    ArrayRefParameter<"int64_t">:$strides,
    ArrayRefParameter<"int64_t">:$box,
    ArrayRefParameter<"int64_t">:$elementStrides,
    OptionalArrayRefParameter<"int64_t">:$lower,
    OptionalArrayRefParameter<"int64_t">:$upper,
    "int64_t":$swizzle,
    DefaultValuedParameter<"Arithmetic", "Arithmetic::F32">:$arithmetic
  );
  let assemblyFormat = [{
    `<` `sizes` `=` `[` $sizes `]` `,` `strides` `=` `[` $strides `]` `,`
        `box` `=` `[` $box `]` `,` `element_strides` `=` `[` $elementStrides `]` `,`
        (`lower` `=` `[` $lower^ `]` `,` `upper` `=` `[` $upper `]` `,`)?
        `swizzle` `=` $swizzle (`,` `arithmetic` `=` $arithmetic^)? `>`
  }];
  let extraClassDeclaration = [{
    /// Name of the attribute on arguments of kernels that are tensor maps.
    static constexpr ::llvm::StringLiteral kArgumentName = "conv.tensor_map";
    bool isIm2col() const { return !getLower().empty(); }
  }];
}

def Conv_TargetAttr : Conv_Attr<"Target", "target"> {
  let summary = "The chip that a module is compiled for";
  let description = [{
    Set once on the module, as `conv.target`, before the first pipeline runs.

    Constraints:
      * (T1) `chip` is a row of the chip table.

    Example: `module attributes {conv.target = #conv.target<"gfx942">}`
  }];
  let parameters = (ins StringRefParameter<"name in the chip table">:$chip);
  let assemblyFormat = "`<` $chip `>`";
  let extraClassDeclaration = [{
    /// Name of the attribute on the module.
    static constexpr ::llvm::StringLiteral kName = "conv.target";
    /// The facts about the chip, which exist because of T1.
    const ::conv::ChipInfo &getInfo() const;
    /// The target of the module around `op`, or null.
    static TargetAttr lookup(::mlir::Operation *op);
  }];
}

#endif // CONV_ATTRS_TD
