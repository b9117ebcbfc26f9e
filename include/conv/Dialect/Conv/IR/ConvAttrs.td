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

class Conv_Attr<string name, string attrMnemonic> : AttrDef<Conv_Dialect, name> {
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
    I32EnumAttrCase<"Exact", 2, "exact">
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

def Conv_Algorithm : I32EnumAttr<"Algorithm", "how a convolution is computed", [
    I32EnumAttrCase<"ImplicitGemm", 0, "implicit_gemm">,
    I32EnumAttrCase<"Direct", 1, "direct">,
    I32EnumAttrCase<"Winograd", 2, "winograd">
  ]> {
  let cppNamespace = "::mlir::conv";
}

// Enums that code without IR has too: their names are in one place with them.
def Conv_AtomKindParameter : AttrParameter<"::conv::AtomKind", "class of matrix instruction">;
def Conv_MainLoopParameter : AttrParameter<"::conv::MainLoop", "how tiles travel to the matrix units">;

def Conv_Raster : I32EnumAttr<"Raster", "which tile index moves fastest over workgroups", [
    I32EnumAttrCase<"Rows", 0, "rows">,
    I32EnumAttrCase<"Columns", 1, "columns">
  ]> {
  let cppNamespace = "::mlir::conv";
}

def Conv_ChosenBy : I32EnumAttr<"ChosenBy", "who decided on a schedule", [
    I32EnumAttrCase<"Heuristic", 0, "heuristic">,
    I32EnumAttrCase<"Database", 1, "database">,
    I32EnumAttrCase<"User", 2, "user">
  ]> {
  let cppNamespace = "::mlir::conv";
}

def Conv_AtomAttr : Conv_Attr<"Atom", "atom"> {
  let summary = "Matrix instruction by class and size";
  let description = [{
    Names one row of the chip's table (`MatrixAtom` in `conv/Chip/Chip.h`):
    `m` columns by `n` rows by `k` of the reduction of a matrix product; for
    `wgmma`, `m` rows by `n` columns. Element types come from the operands.
    `wgmma_3xtf32` multiplies operands of f32 as sums of two parts in tf32,
    three products of parts for each one (docs/numerics.md).

    Constraints:
      * (A1) `m`, `n` and `k` are positive.

    Example: `#conv.atom<mfma 32 x 32 x 8>`
  }];
  let parameters = (ins
    Conv_AtomKindParameter:$kind, "int64_t":$m, "int64_t":$n, "int64_t":$k
  );
  let assemblyFormat = "`<` $kind $m `x` $n `x` $k `>`";
  let extraClassDeclaration = [{
    /// What of the result it computes.
    int64_t getRows() const { return isOfWarpgroup() ? getM() : getN(); }
    int64_t getColumns() const { return isOfWarpgroup() ? getN() : getM(); }
    /// Whether four subgroups execute it together.
    bool isOfWarpgroup() const {
      return getKind() == AtomKind::WGMMA ||
             getKind() == AtomKind::WGMMA3xTF32;
    }
  }];
}

def Conv_ScheduleAttr : Conv_Attr<"Schedule", "schedule"> {
  let summary = "Every decision about one convolution, made once";
  let description = [{
    Sizes are those of a batch of matrix products (see `ConvolutionPlan`):
    `[rows, columns]`, which are `N*P*Q` pixels by `K` channels for
    `conv.forward`. Groups are the batch; `merged_groups` of them are computed
    side by side in one product. `splits` parts of the reduction are computed
    as matrices of a batch, and added by a kernel of its own. `cluster`
    workgroups, which run at the same time and reach each other's shared memory,
    have the same tile: each computes a part of its reduction, and then adds up
    and stores its share of the columns.

    With `halo_tile`, positions are numbered halo tile by halo tile, each of
    that height and width, so that tiles are rectangles of them. A halo tile is
    copied once for all taps, together with the halo around it that they read.
    Of a volume, it is in one layer, and is copied for each layer of taps.
    For `conv.backward_weight`, whose reduction is over positions, a halo tile
    is one step of it, and is copied once for all taps of a line: columns are
    numbered so that a tile has 64 channels of each of them.

    With `transposed`, the transpose of the product is computed for each image:
    rows are channels of the result, and columns its positions, which in layouts
    such as `NCW` follow each other in memory, as results are stored.

    With `layouts`, the convolution is computed in these instead of its own:
    operands in another layout are transformed before it (`conv.transform`), and
    so is its result after it. With `channel_multiple`, operands also get zeros
    as further channels, up to that multiple; of several groups, neighbours are
    merged until one has as many input channels, and their filter becomes block
    diagonal. With `im2col = n`, the window's elements along the last `n`
    spatial dimensions become channels of one of the operands, for which each of
    its elements is written once for each window that sees it: the input, or
    the gradient of the output for `conv.backward_data` and, if that moves by 1
    and has fewer channels, for `conv.backward_weight`. All other fields are
    about the convolution of the transformed operands.

    `winograd` multiplies less and adds more: `output_tile` results at a time, in
    each spatial dimension, are computed from a tile of the input by transforms
    of few operations, with one product for each element of the transformed
    tile (`conv.block_transform`). These products are those of a convolution
    with a window of one element and a group for each of them, and all other
    fields but `layouts` and `channel_multiple` are about that one.

    `implicit_gemm` multiplies the matrices of the batch one by one. `direct` is
    for groups so small that those have next to no columns, above all depthwise
    convolutions: it computes many matrices at a time, with all their columns. A
    workgroup brings the part of both operands that its tile needs to shared
    memory, each byte once, and its work-items multiply from there. Sizes are
    then `[rows, matrices]`:
      * with the main loop `direct`, a work-item computes `m` matrices by `n` rows
        of `atom` at a time, summed over the whole reduction. `subgroup` has the
        share of a subgroup of the tile's rows, which interleave with those of
        the others;
      * with `direct_reduction`, tiles have all rows, and work-items share the
        reduction: each takes `k` values of its innermost digit at a time for `m`
        matrices, and at the end the sums are added up in a fixed order.
        `subgroup` has the share of a subgroup of `gemm_k` instead of rows. If
        `atom` is a matrix instruction, subgroups share the reduction instead:
        each has a vector of the rows' channels, and multiplies runs of 8
        positions (`DirectBlocks`), or some channels of depthwise filters, whose
        positions it brings side by side (`DirectDiagonals`). With 2 stages or
        more, the parts of the next steps arrive while one is multiplied;
      * with `direct_matrix`, `atom` is a matrix instruction, and a subgroup
        multiplies rows by blocks of the filter (`FilterBlocks`). `subgroup` is
        as for `direct`.
    For all of them, `raster = columns` has neighbouring workgroups compute
    neighbouring matrices.

    Constraints (those of the chip are checked where the target is known, by
    `verifyScheduleForChip`, but S6 of main loops of warpgroups where the
    convolution is; S2, S3, S6 and S8 are about `implicit_gemm`):
      * (S1) `workgroup` and `subgroup` have two positive entries; `gemm_k` and
        `stages` are positive.
      * (S2) `subgroup` divides `workgroup`.
      * (S3) For a subgroup of a GPU, the rows and columns of `atom` divide
        those of `subgroup`.
      * (S4) `gemm_k` is a multiple of `k` of `atom`; but see D8 and D9.
      * (S5) The chip has `atom` for the operands' element type, unless a direct
        schedule has none of matrix instructions.
      * (S6) `stages` tiles of both operands fit the chip's shared memory, for
        `tma` together with barriers and the tile that is being stored, on the
        host together with the sums. With `halo_tile`, these are stages of the
        right operand, and two slots have the halo tiles of a tile with their
        halos; or, of a reduction, stages have halo tiles with halos as right
        tiles. With `cluster`, the sums of a tile fit where these were. For
        `line_buffer`, `stages` times the lines that the windows of a tile see
        do, with the filter, barriers and the tile that is being stored; for
        `weight_stationary`, `stages` times 64 channels of the halo tiles of a
        tile.
      * (S7) The workgroup has no more work-items than the chip allows.
      * (S8) Every work-item copies the same number of 16-byte pieces of each
        operand's tile.
      * (S9) `main_loop` is one for the chip: `host_cache` on the host, another
        on a GPU. S7 and S8 are about work-items and do not concern the host.
      * (S10) `main_loop` is `tma`, `line_buffer` or `weight_stationary` if and
        only if `atom` is `wgmma`, and `tma` if it is `wgmma_3xtf32`. Then
        subgroups are warpgroups: 1 to 3 of them, side by side along the rows,
        each with all columns in one atom and at most 192 accumulators a lane,
        or 128 if they are 3. A workgroup has at most 256 rows, the box of
        one copy, or 512 for `tma` with halo tiles; `gemm_k` is the 128 bytes of
        a swizzled row; there are 2 stages or more. S8 is about copies by
        work-items and does not concern it.
      * (S11) `merged_groups` is positive and divides the groups.
      * (S12) `splits` is positive, and at most the size of the longest digit of
        the reduction, or the number of its halo tiles: `getSplittableSize`.
      * (S13) With `line_buffer`, a workgroup has all columns, and lines of
        images are multiples of 16 bytes. If positions are reduced, it may have
        a part of the columns: one warpgroup multiplies, columns are a multiple
        of 64, of which as many tiles have the result's columns as have these
        and those between groups, and stages of 2, as many as warpgroups gather.
      * (S14) `halo_tile` is for `tma` and `weight_stationary`, which needs one, and has two
        positive multiples of 8, the sides of the blocks of positions that one
        atom computes. There are two spatial dimensions, or, for `tma` and one
        group, three. The window moves by 1 along the last two, and halo tiles
        divide the rows of `workgroup`. Halo tiles of a reduction are `[8, 8]`,
        the padding is zeros, and `workgroup` has 64 columns for each tap of a
        line.
      * (S15) `main_loop` is `direct`, `direct_reduction` or `direct_matrix` just
        if the algorithm is `direct`. Then there is 1 stage, or more for
        `direct_reduction`; `merged_groups` is 1; `subgroup` has all matrices of
        `workgroup`. `atom` is `mma_sync 16 x 8 x 16` for `direct_matrix`, and
        may be for `direct_reduction`. Else it is an `fma` of at most 64
        multiplications, with `k` 1 for `direct` and `n` 1 for
        `direct_reduction`, and the matrices are whole atoms.
      * (S16) `async_staged`, and `direct_reduction` with 2 stages or more, are
        for chips that copy from global to shared memory without registers.
        `async_staged` has 2 stages or more, and at least one operand whose
        elements follow each other in memory along the reduction, at least 4
        bytes at a time. On chips whose lanes copy in their own order (gfx950)
        both operands are copied, each of less than 2 GiB: 16 bytes at a time
        along the reduction or, of 16-bit elements, along the rows.
        `register_staged` has 1 or 2 stages.
      * (S17) With `weight_stationary`, a workgroup has all columns. Dgrad
        phases of a gradient with strides are columns too, of one product: no
        strided dimension is dilated.
      * (S18) `cluster` is positive, at most the largest that the chip has, and 1
        for other main loops than `tma`. Shares of the columns are multiples of
        8. Each workgroup has at least one step of a loop over the reduction.

      * (S19) `layouts` have the letters of those of the convolution. For a
        window of one element that moves by 1, without padding, they may be those
        of one dimension: the spatial dimensions of each tensor, which are then
        neighbours in order, are one. `channel_multiple` is positive; of several
        groups, whose layouts have no `G` and whose filter is f32, f16 or bf16,
        it is 1 or so many times the input channels of one as divides the
        groups. `im2col` is at most the number of spatial dimensions. If it is
        positive, there is one group, padding is with zeros, layouts have as
        many dimensions as those of the convolution and no `G`, channels of the
        operand that is unfolded are innermost in them, and the window of a
        `conv.backward_data` moves by 1 along the unfolded dimensions. Channels
        are padded until those of all unfolded elements together are a
        multiple.
      * (S20) `transposed` is for one spatial dimension, a window as in S19, one
        group, and not for the gradient of a filter. There are no `halo_tile`,
        `splits`, `merged_groups` or `cluster`, and it is `implicit_gemm`.
      * (S21) `algorithm` is `winograd` if and only if there is an `output_tile`.
        Its sizes, one for each spatial dimension, are positive, and with the
        filter's size `r` a dimension has a tile of `output_tile + r - 1`, which
        is at most 8; all together have at most 64 elements. The filter has
        several elements. Layouts have no `G`. The convolution is `conv.forward` or `conv.backward_data` of f32, f16 or bf16, in exact
        arithmetic, with one group, strides and dilations of 1, and padding of
        zeros.

    A direct schedule also depends on the views of the operands
    (`DirectTiling`), for every product of the convolution:
      * (D1) The matrices and the rows of a tile, and the part of the reduction
        of a step, are boxes of digits: all values of some digits, innermost
        first, and some of one more; one value of each of the others. Boxes do
        not straddle: the number of that one digit's values divides its size, or
        all digits outside of it have one value. A part of the innermost digit
        is whole atoms.
      * (D2) `gemm_k` is at least the reduction for the main loops `direct` and
        `direct_matrix`.
      * (D3) `stages` boxes of both operands that a tile reads fit the chip's
        shared memory, together with four sums of each work-item for
        `direct_reduction`, and the sums that subgroups exchange for
        `direct_matrix`.
      * (D4) The operands are f16, bf16 or f32, and their views have no
        conditions.
      * (D5) For `direct_reduction`, a tile has all rows, `gemm_k` is a box whose
        sizes divide all digits of the reduction, and `k` of an `fma` atom divides
        the innermost one's. With such an atom, a work-item has all columns of
        their innermost digit, and a workgroup has at least as many work-items
        as there are such boxes.
      * (D6) Every kernel computes one part: no strided dimension of a gradient
        is dilated.
      * (D7) For `direct_matrix`, both operands are f16 or both bf16. Channels
        follow each other in memory, and a group has as many input as output
        channels: 1, 2, 4 or 8. The matrices of a tile are whole vectors of 8
        channels, the number of which divides that of subgroups.
      * (D8) For `direct_reduction` with a matrix instruction, rows are the
        channels of a group, and columns channels of the other operand at taps;
        both follow each other in memory. There are multiples of 8 of both, or
        1, 2 or 4 of each; and at most 72 vectors of 8 channels of columns, at
        all taps together. Tiles have whole vectors of 8 channels, and the number
        of those of the rows divides that of subgroups. A part of the innermost
        digit of the reduction is whole runs of 8; after its last value, the
        left operand is zero. `gemm_k` need not be a multiple of `k`.
      * (D9) Groups of one channel have diagonals of products instead of blocks
        (`DirectDiagonals`), and parts as in D8, if
          - the innermost digit of the reduction moves both operands along the
            dimension next to their channels, the left one by 1 and the right
            one by its step;
          - of the columns, at most one digit moves the right operand along
            that, by less than 8 steps in all: the taps;
          - a channel has at most 128 sums of a lane: 4 for each of the other
            columns and each of the taps that are different modulo the step.
        Tiles then have 1, 2, 4 or 8 vectors of 8 channels, which subgroups
        share evenly, each with at most 128 sums of a lane. Otherwise all of D8
        is about them.

    Example:
    ```mlir
    #conv.schedule<algorithm = implicit_gemm, workgroup = [128, 64],
                   subgroup = [64, 32], gemm_k = 32, stages = 2,
                   atom = <mfma 32 x 32 x 8>, main_loop = register_staged,
                   raster = columns, chosen_by = heuristic>
    ```
  }];
  let parameters = (ins
    EnumParameter<Conv_Algorithm>:$algorithm,
    ArrayRefParameter<"int64_t">:$workgroup,
    ArrayRefParameter<"int64_t">:$subgroup,
    "int64_t":$gemmK,
    "int64_t":$stages,
    "AtomAttr":$atom,
    Conv_MainLoopParameter:$mainLoop,
    EnumParameter<Conv_Raster>:$raster,
    OptionalArrayRefParameter<"int64_t">:$outputTile,
    OptionalArrayRefParameter<"int64_t">:$haloTile,
    DefaultValuedParameter<"int64_t", "1">:$mergedGroups,
    DefaultValuedParameter<"int64_t", "1">:$splits,
    DefaultValuedParameter<"int64_t", "1">:$cluster,
    DefaultValuedParameter<"bool", "false">:$transposed,
    OptionalParameter<"LayoutsAttr">:$layouts,
    DefaultValuedParameter<"int64_t", "1">:$channelMultiple,
    DefaultValuedParameter<"int64_t", "0">:$im2col,
    DefaultValuedParameter<"ChosenBy", "ChosenBy::User">:$chosenBy
  );
  let assemblyFormat = [{
    `<` `algorithm` `=` $algorithm `,` `workgroup` `=` `[` $workgroup `]` `,`
        `subgroup` `=` `[` $subgroup `]` `,` `gemm_k` `=` $gemmK `,`
        `stages` `=` $stages `,` `atom` `=` $atom `,`
        `main_loop` `=` $mainLoop `,` `raster` `=` $raster
        `` custom<ScheduleOptions>($outputTile, $haloTile, $mergedGroups, $splits,
                                    $cluster, $transposed, $layouts,
                                    $channelMultiple, $im2col, $chosenBy) `>`
  }];
  let extraClassDeclaration = [{
    /// The same for a convolution that is computed in other layouts.
    ScheduleAttr withForm(LayoutsAttr layouts, int64_t channelMultiple,
                          int64_t im2col = 0) const;
    /// The same for `winograd`, with so many results of a tile.
    ScheduleAttr withOutputTile(ArrayRef<int64_t> tile) const;
    /// What it says about the product of its convolution in the form that it
    /// asks for: without `output_tile`, and then without a form.
    ScheduleAttr getProductSchedule() const;
    /// The same, chosen by somebody else.
    ScheduleAttr withChosenBy(ChosenBy chosenBy) const;
    bool isDirect() const { return getAlgorithm() == Algorithm::Direct; }
    bool isWinograd() const { return getAlgorithm() == Algorithm::Winograd; }
    /// Whether `atom` is a row of the chip's table. Those of other direct
    /// schedules are boxes of multiplications.
    bool hasMatrixInstruction() const {
      return !isDirect() || getAtom().getKind() != AtomKind::FMA;
    }
    /// Whether matrix instructions reduce positions to blocks of channels.
    bool reducesBlocks() const {
      return getMainLoop() == MainLoop::DirectReduction &&
             getAtom().getKind() != AtomKind::FMA;
    }
    /// Subgroups of a workgroup.
    int64_t getNumSubgroups() const {
      int64_t shared = getMainLoop() == MainLoop::DirectReduction
                           ? getGemmK()
                           : getWorkgroup()[0];
      return ::llvm::divideCeil(shared, getSubgroup()[0]) *
             (getWorkgroup()[1] / getSubgroup()[1]);
    }
    /// Matrices, rows and columns of a workgroup's tile of a product with this
    /// many columns, or of tensors that are only added up.
    ::std::array<int64_t, 3> getTile(bool isProduct, int64_t columns) const {
      auto workgroup = getWorkgroup();
      if (isDirect() && isProduct)
        return {workgroup[1], workgroup[0], columns};
      return {1, workgroup[0], workgroup[1]};
    }
  }];
}

def Conv_TransformScheduleAttr : Conv_Attr<"TransformSchedule", "transform_schedule"> {
  let summary = "How a transform is computed";
  let description = [{
    The kernel of a `conv.transform` sees its source and its result as matrices
    with the same elements. `tile` has the rows and columns of one workgroup. If
    rows follow each other in the source, and columns in the result, the tile is
    turned in shared memory, so that both are accessed in whole cache lines.
    Otherwise `elements` are those of each matrix that a work-item of a GPU has
    at a time; without it, as many as the number of matrices leaves room for.

    Constraints:
      * (F3) `tile` has two powers of two.
      * (F4) `elements` is 0, for none, or a power of two up to 16.

    Example: `#conv.transform_schedule<tile = [64, 64]>`
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$tile,
                        DefaultValuedParameter<"int64_t", "0">:$elements);
  let assemblyFormat = [{
    `<` `tile` `=` `[` $tile `]` (`,` `elements` `=` $elements^)? `>`
  }];
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$tile), [{
      return $_get($_ctxt, tile, /*elements=*/0);
    }]>
  ];
}

def Conv_TensorMapAttr : Conv_Attr<"TensorMap", "tensor_map"> {
  let summary = "How copies of boxes see a tensor in global memory";
  let description = [{
    Lists have the innermost dimension first. `strides` are in bytes, of all
    dimensions but the innermost, whose elements are contiguous. A copy moves
    `box` elements of each dimension, every `element_strides`-th of them, to or
    from shared memory; what is outside of the tensor reads as zero and is not
    written. Rows in shared memory have `swizzle` bytes at most, whose 16-byte
    pieces are permuted; a swizzle of 16 permutes nothing, and rows may be
    longer. With `arithmetic = tf32`, copies to shared memory round f32, to
    nearest, to what `wgmma` multiplies.

    With `lower` and `upper`, copies are im2col: dimensions are channels, spatial
    ones and images; the box is `[channels, pixels]`, and walks over the pixels
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
    /// The facts about the chip. T1 makes sure there are some.
    const ::conv::ChipInfo &getInfo() const;
    /// The target of the module around `op`, or null.
    static TargetAttr lookup(::mlir::Operation *op);
  }];
}

#endif // CONV_ATTRS_TD
