//===- KernelAttrs.td - kernel attributes of all families --*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These are attributes of the dialect, whose library registers them. They are
// therefore here, and not in the folders of the kernel families.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_KERNEL_ATTRS_TD
#define CONV_KERNEL_ATTRS_TD

include "conv/Dialect/Conv/IR/ConvAttrs.td"
include "conv/Dialect/Conv/IR/KernelAttrInterface.td"

// Enums that code without IR uses too: one place defines their names.
def Conv_AtomKindParameter : AttrParameter<"::conv::AtomKind", "class of matrix instruction">;
def Conv_StagedLoopParameter : AttrParameter<"::conv::StagedLoop", "how tiles travel to shared memory">;

def Conv_Raster : I32EnumAttr<"Raster", "which tile index moves fastest over workgroups", [
    I32EnumAttrCase<"Rows", 0, "rows">,
    I32EnumAttrCase<"Columns", 1, "columns">
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
    /// The rows and columns of the result that the atom computes.
    int64_t getRows() const { return isOfWarpgroup() ? getM() : getN(); }
    int64_t getColumns() const { return isOfWarpgroup() ? getN() : getM(); }
    /// Whether four subgroups execute it together.
    bool isOfWarpgroup() const {
      return getKind() == AtomKind::WGMMA ||
             getKind() == AtomKind::WGMMA3xTF32;
    }
  }];
}

// The constraints on the attributes of all families:
//   * (S1) `workgroup` and `subgroup` have two positive entries; `gemm_k` and
//     `stages` are positive.
//   * (S4) `gemm_k` is a multiple of `k` of `atom`; but see D5, D8 and D9.
//   * (S5) The chip has `atom` for the operands' element type, if `atom` is a
//     matrix instruction.
//   * (S7) On a GPU, the workgroup has no more work-items than the chip
//     allows.
//   * (S9) The family suits the chip: `host_gemm` on the host, `direct` anywhere,
//     any other family on a GPU.
class Conv_KernelAttr<string name, string mnemonic, dag loop = (ins), dag own = (ins)>
    : Conv_Attr<name, mnemonic, [Conv_KernelAttrInterface]> {
  let parameters = !con((ins
    ArrayRefParameter<"int64_t">:$workgroup,
    ArrayRefParameter<"int64_t">:$subgroup,
    "int64_t":$gemmK,
    "int64_t":$stages,
    "AtomAttr":$atom), loop, (ins EnumParameter<Conv_Raster>:$raster), own);
  string fields = [{
    `workgroup` `=` `[` $workgroup `]` `,` `subgroup` `=` `[` $subgroup `]` `,`
    `gemm_k` `=` $gemmK `,` `stages` `=` $stages `,` `atom` `=` $atom `,`
  }] # !if(!empty(loop), "", "`main_loop` `=` $mainLoop `,`")
     # " `raster` `=` $raster";
  let assemblyFormat = "`<`" # fields # "`>`";
  code verifyForChip = [{
    ::llvm::LogicalResult
    verifyForChip(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
                  const ::conv::ChipInfo &chip,
                  const ::conv::MatrixAtom *atom) const;
  }];
  let extraClassDeclaration = verifyForChip;
}

def Conv_StagedGemmAttr : Conv_KernelAttr<"StagedGemm", "staged_gemm",
    (ins Conv_StagedLoopParameter:$mainLoop),
    (ins DefaultValuedParameter<"int64_t", "0">:$lastRound)> {
  let summary = "Products of tiles that work-items stage in shared memory";
  let description = [{
    Sizes are those of a batch of matrix products: `[rows, columns]`. Each step,
    work-items bring a tile of both operands to shared memory, through registers
    (`register_staged`) or not (`async_staged`), and subgroups multiply it by
    `atom`.

    Of the workgroups that share a unit, the oldest one goes first. The last
    `last_round` workgroups of the launch lower their priority on their way
    through the reduction instead, so that those behind go first and none is
    alone at the end. With 0, the default, none takes turns; with the number of
    the launch's workgroups or more, all do. A ranking decides how many there
    are; schedules that were given or stored without `last_round` take no turns.

    Constraints, beside those of all families:
      * (S2) `subgroup` divides `workgroup`.
      * (S3) The rows and columns of `atom` divide those of `subgroup`.
      * (S6) `stages` tiles of both operands fit the chip's shared memory.
      * (S8) Every work-item copies the same number of 16-byte vectors of each
        operand's tile.
      * (S10) `atom` is an instruction of one subgroup.
      * (S16) `async_staged` is for chips that copy from global to shared memory
        without registers. It has 2 stages or more, and at least one operand
        whose elements follow each other in memory along the reduction, at
        least 4 bytes at a time. On chips whose lanes copy in their own order
        (gfx950) both operands are copied, each of less than 2 GiB: 16 bytes at
        a time along the reduction or, of 16-bit elements, along the rows.
        `register_staged` has 1 or 2 stages.
      * (S26) `last_round` is not negative. If it is positive, subgroups of the
        chip have priorities, and the launch has one product.

    Example:
    ```mlir
    #conv.staged_gemm<workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32,
                      stages = 1, atom = <mfma 32 x 32 x 8>,
                      main_loop = register_staged, raster = columns,
                      last_round = 288>
    ```
  }];
  let assemblyFormat = "`<`" # fields # " (`,` `last_round` `=` $lastRound^)? `>`";
  let extraClassDeclaration = verifyForChip # [{
    StringRef getLoopName() const { return stringifyLoop(getMainLoop()); }
    bool isAsync() const { return getMainLoop() == StagedLoop::Async; }
  }];
}

def Conv_HostGemmAttr : Conv_KernelAttr<"HostGemm", "host_gemm"> {
  let summary = "Products of tiles that threads of the host pack";
  let description = [{
    As `staged_gemm`, for a thread of the host: a workgroup's tiles are packed
    where the cache keeps them, and `atom` is one of vector registers.

    Constraints, beside those of all families:
      * (S2) `subgroup` divides `workgroup`.
      * (S6) `stages` tiles of both operands, together with the sums as whole
        register tiles, fit what the chip table has as shared memory.
      * (S10) `atom` is an instruction of one thread.

    Example:
    ```mlir
    #conv.host_gemm<workgroup = [64, 64], subgroup = [64, 64], gemm_k = 256,
                    stages = 1, atom = <fma 16 x 4 x 1>, raster = columns>
    ```
  }];
  let extraClassDeclaration = verifyForChip # [{
    bool suits(const ::conv::ChipInfo &chip) const { return chip.isProcessor(); }
  }];
}

def Conv_WarpgroupGemmAttr : Conv_KernelAttr<"WarpgroupGemm", "warpgroup_gemm", (ins), (ins
    OptionalArrayRefParameter<"int64_t">:$haloTile,
    DefaultValuedParameter<"int64_t", "1">:$cluster,
    DefaultValuedParameter<"int64_t", "0">:$promotion,
    DefaultValuedParameter<"::conv::Producer", "::conv::Producer::CopyEngine">:$producer)> {
  let summary = "Products of tiles that a producer brings to warpgroups";
  let description = [{
    Sizes are those of a batch of matrix products: `[rows, columns]`. One
    warpgroup has the copy engine fill `stages` tiles, which others, the
    subgroups, multiply. `cluster` workgroups, which run at the same time and
    reach each other's shared memory, have the same tile: each computes a part
    of its reduction, and then adds up and stores its share of the columns.

    With `producer = cp_async`, it is not the copy engine that brings operands:
    all lanes of that warpgroup copy a few bytes at a time to the same places,
    where boxes do not describe an operand, or the copy engine takes long for
    rows that start inside sectors.

    With `producer = registers`, those lanes load a few bytes of any alignment
    to registers, join them to 16 bytes along the reduction, and store these at
    the same places: for operands of which no 4 bytes are adjacent, and for
    elements that instructions read only along the reduction, where another
    index is innermost in memory. f32 is rounded to tf32, or split into its
    parts, on the way.

    With `halo_tile`, positions are numbered halo tile by halo tile, each of
    that height and width, so that tiles are rectangles of them. A halo tile is
    copied once for all taps, together with the halo around it that they read.
    Of a volume, it is in one layer, and is copied for each layer of taps.
    For `conv.backward_weight`, whose reduction is over positions, a halo tile
    is one step of it, and is copied once for all taps of a line: columns are
    numbered so that a tile has 64 channels of each of them.

    Instructions for 8-bit floats cut off what they add to 14 bits. Of
    `promotion` products they make a sum of its own, which is then promoted to
    f32: added to the others by lanes (docs/numerics.md).

    Constraints, beside those of all families; S6 is checked where the
    convolution is, on which the bytes of a result and of halo tiles depend:
      * (S2), (S3) as for `staged_gemm`.
      * (S6) `stages` tiles of both operands fit the chip's shared memory
        together with barriers and the tile that is being stored. With
        `halo_tile`, these are stages of the right operand, and two slots have
        the halo tiles of a tile with their halos; or, of a reduction, stages
        have halo tiles with halos as right tiles. With `cluster`, the sums of a
        tile fit where these were.
      * (S10) `atom` is `wgmma`, or `wgmma_3xtf32` without `halo_tile`.
        Subgroups are warpgroups: 1 to 3 of them, side by side along the rows,
        each with all columns in one atom and at most 192 accumulators a lane,
        or 128 if they are 3. A workgroup has at most 256 rows, the box of one
        copy, or 512 with halo tiles; `gemm_k` is the 128 bytes of a swizzled
        row; there are 2 stages or more.
      * (S14) `halo_tile` has two positive multiples of 8, the sides of the
        blocks of positions that one atom computes. There are two spatial
        dimensions or, for one group, three. The window moves by 1 along the
        last two, and halo tiles divide the rows of `workgroup`. Halo tiles of a
        reduction are `[8, 8]`, the padding is zeros, and `workgroup` has 64
        columns for each tap of a line.
      * (S18) `cluster` is positive, and at most the largest that the chip has.
        Shares of the columns are multiples of 8. Each workgroup has at least
        one step of a loop over the reduction.
      * (S22) `promotion` is for operands of 8-bit floats, which have one: 32, 64
        or 128, whole instructions of `wgmma` with a `k` of 32, and at most a
        step. There are two of each accumulator: a lane has at most 96, or 64 if
        there are 3 warpgroups. The arithmetic is `promoted`, since the bound of
        results is wider than that of sums in f32.
      * (S24) `producer = cp_async` is for 16-bit operands without `halo_tile`,
        of which 4 bytes or more are adjacent, and for products of 8 columns or
        more. Lanes have registers for the positions of the tile's rows and
        columns: there are at most 2 subgroups, and 128 accumulators a lane.
      * (S27) `producer = registers` is for operands of any type that the atom
        multiplies, without `halo_tile`, of less than 2^30 elements, and for
        products of 8 columns or more. Subgroups and accumulators are limited as
        with `cp_async`; two sets of accumulators count twice. A lane has
        registers for the positions of the rows that it loads of both operands,
        and of the reduced elements of a vector of 16 bytes, beside two rounds
        of 16 loads, their addresses, and 16 others.

    Example:
    ```mlir
    #conv.warpgroup_gemm<workgroup = [128, 128], subgroup = [64, 128],
                         gemm_k = 64, stages = 4, atom = <wgmma 64 x 128 x 16>,
                         raster = columns, cluster = 2>
    ```
  }];
  let assemblyFormat = "`<`" # fields # " `` custom<WarpgroupOptions>($haloTile, $cluster, $promotion, $producer) `>`";
  let extraClassDeclaration = verifyForChip # [{
    bool hasChannelRows() const { return true; }
  }];
}

def Conv_LineBufferAttr : Conv_KernelAttr<"LineBuffer", "line_buffer"> {
  let summary = "Products of pixels that are gathered from lines of the image";
  let description = [{
    As `warpgroup_gemm`, for few channels: the copy engine brings whole lines of
    the image, which warps gather the pixels of a tile's windows from.

    Constraints, beside those of all families:
      * (S2), (S3) as for `staged_gemm`, and (S10) as for `warpgroup_gemm`
        without `halo_tile` and with `wgmma` only.
      * (S6) `stages` times the lines that the windows of a tile see fit the
        chip's shared memory, with the filter, barriers and the tile that is
        being stored.
      * (S13) A workgroup has all columns, and windows at most 64 groups of 8
        elements next to each other. If positions are reduced, it may have a
        part of the columns: one warpgroup multiplies at most 192 of them, a
        multiple of 64, of which as many tiles have the result's columns as have
        these and those between groups, and stages of 2, as many as warpgroups
        gather.

    Example:
    ```mlir
    #conv.line_buffer<workgroup = [128, 64], subgroup = [64, 64], gemm_k = 64,
                      stages = 2, atom = <wgmma 64 x 64 x 16>, raster = rows>
    ```
  }];
}

def Conv_WeightStationaryAttr : Conv_KernelAttr<"WeightStationary", "weight_stationary", (ins), (ins
    ArrayRefParameter<"int64_t">:$haloTile)> {
  let summary = "Products of halo tiles with a filter that stays where it is";
  let description = [{
    As `warpgroup_gemm` with halo tiles, for filters that fit shared memory:
    a workgroup reads its filter once, for all of its tiles.

    Constraints, beside those of all families:
      * (S2), (S3) as for `staged_gemm`, and (S10) as for `warpgroup_gemm`
        without `halo_tile` and with `wgmma` only.
      * (S6) `stages` times 64 channels of the halo tiles of a tile fit the
        chip's shared memory beside the filter.
      * (S14) There is a `halo_tile`, as for `warpgroup_gemm`, and there are two
        spatial dimensions.
      * (S17) A workgroup has all columns. Dgrad phases of a gradient with
        strides are columns too, of one product: no strided dimension is
        dilated.

    Example:
    ```mlir
    #conv.weight_stationary<workgroup = [128, 64], subgroup = [64, 64],
                            gemm_k = 64, stages = 2,
                            atom = <wgmma 64 x 64 x 16>, raster = columns,
                            halo_tile = [8, 16]>
    ```
  }];
  let assemblyFormat = "`<`" # fields # " `,` `halo_tile` `=` `[` $haloTile `]` `>`";
  let extraClassDeclaration = verifyForChip # [{
    bool joinsPhases() const { return true; }
  }];
}

include "conv/Dialect/Conv/IR/DirectAttr.td"

#endif // CONV_KERNEL_ATTRS_TD
