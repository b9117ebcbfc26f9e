//===- DirectAttr.td - kernels of small groups ------------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KernelAttrs.td includes this after the class of all families' attributes.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIRECT_ATTR_TD
#define CONV_DIRECT_ATTR_TD

def Conv_DirectLoopParameter : AttrParameter<"::conv::DirectLoop", "what work-items share">;

def Conv_DirectAttr : Conv_KernelAttr<"Direct", "direct",
    (ins Conv_DirectLoopParameter:$mainLoop)> {
  let summary = "Products of many small groups at a time";
  let description = [{
    For groups so small that their matrices have next to no columns, above all
    depthwise convolutions: many matrices are computed at a time, with all their
    columns. A workgroup brings the part of both operands that its tile needs to
    shared memory, each byte once, and its work-items multiply from there. Sizes
    are `[rows, matrices]`:
      * with `main_loop = direct`, a work-item computes `m` matrices by `n` rows
        of `atom` at a time, summed over the whole reduction. `subgroup` has the
        share of a subgroup of the tile's rows, which interleave with those of
        the others;
      * with `direct_reduction`, tiles have all rows, and a step has
        `gemm_k` of the reduction. Work-items share the step: each takes `k`
        values of its innermost digit at a time for `m` matrices, and at the end
        the sums are added up in a fixed order. `subgroup` has the share of a
        subgroup of `gemm_k` instead of rows. On the host, the one thread of a
        workgroup takes the whole step: `m` matrices at a time if these are
        adjacent in memory, else a vector of values of the innermost digit. If
        `atom` is a matrix instruction, subgroups share the reduction instead:
        each has a vector of the rows' channels, and multiplies runs of 8
        positions (`DirectBlocks`), or some channels of depthwise filters, whose
        positions it brings side by side (`BandedGradient`). With 2 stages or
        more, the next steps arrive while one is multiplied;
      * with `direct_matrix`, `atom` is a matrix instruction, and a subgroup
        multiplies rows by blocks of the filter (`FilterBlocks`). `subgroup` is
        as for `direct`.
    With `raster = columns`, neighbouring workgroups compute neighbouring
    matrices.

    Constraints, beside those of all families:
      * (S15) There is 1 stage, or more for `direct_reduction`; `subgroup` has
        all matrices of `workgroup`. `atom` is `mma_sync 16 x 8 x 16` for
        `direct_matrix`, and may be for `direct_reduction`. Else it is an `fma`
        of at most 128 multiplications, with `k` 1 for `direct` and `n` 1 for
        `direct_reduction`, and the matrices are whole atoms.
      * (S16) `direct_reduction` has 2 stages or more only on chips that copy
        from global to shared memory without registers.

    They also depend on the views of the operands (`DirectTiling`), for every
    product of the convolution:
      * (D1) The matrices and the rows of a tile, and a step of the reduction,
        are boxes of digits: all values of some digits, innermost
        first, and some of one more; one value of each of the others. A box must
        not wrap: the number of that one digit's values divides its size, or all
        digits outside of it have one value. A box of the innermost digit alone
        has whole atoms.
      * (D2) `gemm_k` is at least the reduction for the main loops `direct` and
        `direct_matrix`.
      * (D3) `stages` boxes of both operands that a tile reads fit the chip's
        shared memory, together with four sums of each work-item for
        `direct_reduction`, and the sums that subgroups exchange for
        `direct_matrix`; on the host, with the sums of the tile instead, each
        a vector if vectors are along the reduction: of as many lanes as cover
        a line of it, at least 4 and at most those of a register.
      * (D4) The operands are f16, bf16, f32 or i8. Conditions of their views
        are bounds of the left operand, after which it reads zeros: those of
        slices that do not divide the positions, for example.
      * (D5) For `direct_reduction`, a tile has all rows, and `gemm_k` is a box
        whose sizes divide all digits of the reduction: whole runs of `k` of an
        `fma` atom of the innermost one, after whose last value the left operand
        is zero. With such an atom, a work-item has vectors of matrices and all
        columns of their innermost digit, and a workgroup has a work-item for
        each such part of the columns, unless it is a thread of the host.
      * (D6) Every dgrad phase has a kernel of its own: no strided dimension of
        a gradient is dilated.
      * (D7) For `direct_matrix`, both operands are f16 or both bf16. Channels
        follow each other in memory, and a group has as many input as output
        channels: 1, 2, 4 or 8. The matrices of a tile are whole vectors of 8
        channels, the number of which divides that of subgroups.
      * (D8) For `direct_reduction` with a matrix instruction, rows are the
        channels of a group, and columns channels of the other operand at taps;
        both follow each other in memory. There are multiples of 8 of both, or
        1, 2 or 4 of each; and at most 72 vectors of 8 channels of columns, at
        all taps together. Tiles have whole vectors of 8 channels, and the number
        of those of the rows divides that of subgroups. A step has whole runs
        of 8 of the innermost digit of the reduction; after its last value, the
        left operand is zero. `gemm_k` need not be a multiple of `k`.
      * (D9) Groups of one channel have a banded product instead of blocks
        (`BandedGradient`), and steps as in D8, if
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
    #conv.direct<workgroup = [64, 32], subgroup = [16, 32], gemm_k = 9,
                 stages = 1, atom = <fma 8 x 2 x 1>, main_loop = direct,
                 raster = columns>
    ```
  }];
  let extraClassDeclaration = verifyForChip # [{
    StringRef getLoopName() const { return stringifyLoop(getMainLoop()); }
    int64_t getNumSubgroups() const;
    bool suits(const ::conv::ChipInfo &) const { return true; }
    bool joinsPhases() const { return true; }
    bool keepsDeadTaps() const { return true; }
    /// Whether matrix instructions reduce positions to blocks of channels.
    bool reducesBlocks() const {
      return getMainLoop() == DirectLoop::Reduction &&
             getAtom().getKind() != AtomKind::FMA;
    }
  }];
}

#endif // CONV_DIRECT_ATTR_TD
