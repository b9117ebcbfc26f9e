//===- ScheduleAttr.td - schedules of convolutions ---------*- tablegen -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SCHEDULE_ATTR_TD
#define CONV_SCHEDULE_ATTR_TD

include "conv/Dialect/Conv/IR/KernelAttrs.td"
include "conv/Dialect/Conv/IR/LaunchAttr.td"

def Conv_Algorithm : I32EnumAttr<"Algorithm", "how a convolution is computed", [
    I32EnumAttrCase<"ImplicitGemm", 0, "implicit_gemm">,
    I32EnumAttrCase<"Direct", 1, "direct">,
    I32EnumAttrCase<"Winograd", 2, "winograd">
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

def Conv_ScheduleAttr : Conv_Attr<"Schedule", "schedule"> {
  let summary = "Every decision about one convolution, made once";
  let description = [{
    A convolution is a plan of transforms, products and combines. Products are a
    batch of matrix products (see `ConvolutionPlan`): `N*P*Q` rows by `K`
    columns for `conv.forward`, and groups are the batch. `kernel`, the attribute
    of one family, says how they are computed; everything else is about the
    plan.

    `merged_groups` groups are computed side by side in one product. `splits`
    parts of the reduction are computed as matrices of a batch, and added in a
    fixed order by a kernel of its own. No kernel adds with atomics, so no field
    allows them.

    With `transposed`, the transpose of the product is computed for each image:
    rows are channels of the result, and columns its positions, which in layouts
    such as `NCW` follow each other in memory, as results are stored. The
    transposed gradient of a filter has rows of taps and of the channels of the
    operand that has more of them, whose windows these are, and columns of the
    other one's channels: one halo tile then serves all rows of a tile.

    With `layouts`, the convolution is computed in these instead of its own:
    operands in another layout are transformed before it (`conv.transform`), and
    so is its result after it. With `channel_multiple`, operands also get zeros
    as further channels, up to that multiple; of several groups, neighbours are
    merged until one has as many input channels, and their filter becomes block
    diagonal. With `im2col = n`, the window's elements along the last `n`
    spatial dimensions become channels of the input or of the output, of which
    each element is written once for each window that sees it. It is an operand:
    the input, or the gradient of the output for `conv.backward_data` and, if
    that moves by 1 and has fewer channels, for `conv.backward_weight`. Or, for
    operands of f32, it is the result if that has fewer channels, or if the
    window of a `conv.backward_data` moves by more than 1: the terms that windows
    write are added after the product. Windows of one tap have one term: of a
    `conv.forward` they unfold the input, without the positions that they leave
    out. With `space_to_batch = n`, each image of a
    `conv.backward_weight` becomes `n` images: strips of its longest spatial
    dimension, the last of which may end with zeros; those of the input have the
    lines that windows see beside theirs, too. With `operand_type`, operands are
    converted to that type, which has all of their values, so that products and
    their sum are the same. All other fields are about the convolution of the
    transformed operands.

    With `output_tile`, it is a Winograd convolution, which multiplies less and
    adds more: so many results in each spatial dimension are computed at a time
    from a tile of the input by transforms of few operations, with one product
    for each element of the transformed tile (`conv.block_transform`). For the
    gradient of a filter, so many gradients of the output in each dimension meet
    a tile of the input, products add up all tiles, and the filter is one block
    of results. These products are those of a convolution with a window of one
    element and a group for each of them, and all other fields but `layouts` and
    `channel_multiple` are about that one.

    Constraints (those of the chip are checked where the target is known, by
    `verifyScheduleForChip`):
      * (S11) `merged_groups` is positive and divides the groups. It is 1 for
        `direct`.
      * (S12) `splits` is positive, and at most the size of the longest digit of
        the reduction, or a number of equal slices of several digits, or at most
        the number of its halo tiles: `canSplit`.
      * (S19) `layouts` have the letters of those of the convolution. For a
        window of one element that moves by 1, without padding, they may be those
        of one dimension: the spatial dimensions of each tensor, which are then
        neighbours in order, are one. Of three dimensions, they may be those of
        two, if the window has one element along depth, or along lines and
        columns, moves by 1 along these, and has no padding there: images and
        depth are one, or else lines and columns; not with `output_tile`, nor
        for tensors with gaps. `channel_multiple` is positive; of several
        groups, whose layouts have no `G` and whose filter is f32, f16 or bf16,
        it is 1 or so many times the input channels of one as divides the
        groups. `im2col` is at most the number of spatial dimensions. If it is
        positive, there is one group, padding is with zeros, layouts have as
        many dimensions as those of the convolution and no `G`, channels of an
        operand that is unfolded are innermost in them, and the window of a
        `conv.backward_data` whose operand is unfolded moves by 1 along the
        unfolded dimensions. A result that is unfolded has at most 8 terms of a
        dimension and 64 in all, and strides of at most 8, where the window of a
        `conv.backward_data` is not dilated. The channels of all unfolded
        elements together are padded to the multiple.
      * (S20) `transposed` is for one spatial dimension, a window as in S19, and
        one group, without `halo_tile` and `splits`; or for the gradient of a
        filter with `halo_tile`, one group, strides of 1 and padding with zeros.
        There are no `merged_groups` or `cluster`, and `kernel` is not `direct`.
      * (S21) The sizes of `output_tile`, one for each spatial dimension, are
        positive, and with the filter's size `r` a dimension has a tile of
        `output_tile + r - 1`, which is at most 8; all together have at most 64
        elements. The filter has several elements. Layouts have no `G`. The
        convolution is one of f32, f16 or bf16, in exact arithmetic, with one
        group, strides and dilations of 1, and padding of zeros. `kernel` is not
        `direct`.
      * (S23) `operand_type` is f16, and operands are 8-bit floats.
      * (S25) `space_to_batch` is positive. If it is more than 1, the convolution
        is a `conv.backward_weight` with padding of zeros and operands of f32,
        f16 or bf16, whose output has as many positions along its longest
        dimension. `layouts` have more than one spatial dimension and no `G`,
        tensors have no gaps, and there is no `im2col` or `output_tile`.

    Example:
    ```mlir
    #conv.schedule<kernel = #conv.staged_gemm<
                       workgroup = [128, 64], subgroup = [64, 32], gemm_k = 32,
                       stages = 2, atom = <mfma 32 x 32 x 8>,
                       main_loop = register_staged, raster = columns>,
                   splits = 2, chosen_by = heuristic>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::mlir::conv::KernelAttrInterface", "how products are computed">:$kernel,
    OptionalArrayRefParameter<"int64_t">:$outputTile,
    DefaultValuedParameter<"int64_t", "1">:$mergedGroups,
    DefaultValuedParameter<"int64_t", "1">:$splits,
    DefaultValuedParameter<"bool", "false">:$transposed,
    OptionalParameter<"LayoutsAttr">:$layouts,
    DefaultValuedParameter<"int64_t", "1">:$channelMultiple,
    DefaultValuedParameter<"int64_t", "0">:$im2col,
    DefaultValuedParameter<"int64_t", "1">:$spaceToBatch,
    OptionalParameter<"Type">:$operandType,
    DefaultValuedParameter<"ChosenBy", "ChosenBy::User">:$chosenBy
  );
  let assemblyFormat = [{
    `<` `kernel` `=` custom<Kernel>($kernel)
        `` custom<ScheduleOptions>($outputTile, $mergedGroups, $splits,
                                    $transposed, $layouts, $channelMultiple,
                                    $im2col, $spaceToBatch, $operandType,
                                    $chosenBy) `>`
  }];
  let builders = [
    AttrBuilderWithInferredContext<(ins
        "KernelAttrInterface":$kernel, "int64_t":$mergedGroups,
        "int64_t":$splits, "bool":$transposed, "ChosenBy":$chosenBy), [{
      return $_get(kernel.getContext(), kernel,
                   /*outputTile=*/::llvm::ArrayRef<int64_t>(), mergedGroups,
                   splits, transposed, /*layouts=*/LayoutsAttr(),
                   /*channelMultiple=*/int64_t(1), /*im2col=*/int64_t(0),
                   /*spaceToBatch=*/int64_t(1), /*operandType=*/Type(),
                   chosenBy);
    }]>
  ];
  let extraClassDeclaration = [{
    /// This schedule for a convolution that is computed in another form.
    ScheduleAttr withForm(LayoutsAttr layouts, int64_t channelMultiple,
                          int64_t im2col = 0, int64_t spaceToBatch = 1,
                          Type operandType = {}) const;
    /// This schedule for `winograd`, with this output tile.
    ScheduleAttr withOutputTile(ArrayRef<int64_t> tile) const;
    /// The schedule of the convolution in this schedule's form: for `winograd`,
    /// without `output_tile` and form; otherwise this schedule itself.
    ScheduleAttr getProductSchedule() const;
    /// This schedule, marked as chosen by `chosenBy`.
    ScheduleAttr withChosenBy(ChosenBy chosenBy) const;
    /// The algorithm of the schedule, in the terms of MIOpen and cuDNN.
    Algorithm getAlgorithm() const;
    bool isDirect() const { return ::llvm::isa<DirectAttr>(getKernel()); }
    bool isWinograd() const { return !getOutputTile().empty(); }
    /// The fields of `kernel`.
    ::llvm::ArrayRef<int64_t> getWorkgroup() const {
      return getKernel().getWorkgroup();
    }
    ::llvm::ArrayRef<int64_t> getSubgroup() const {
      return getKernel().getSubgroup();
    }
    int64_t getGemmK() const { return getKernel().getGemmK(); }
    int64_t getStages() const { return getKernel().getStages(); }
    AtomAttr getAtom() const { return getKernel().getAtom(); }
    Raster getRaster() const { return getKernel().getRaster(); }
    ::llvm::ArrayRef<int64_t> getHaloTile() const {
      return getKernel().getHaloTile();
    }
    int64_t getCluster() const { return getKernel().getCluster(); }
    int64_t getPromotion() const { return getKernel().getPromotion(); }
    ::conv::Producer getProducer() const { return getKernel().getProducer(); }
    /// Whether `atom` is a row of the chip's table. The atoms of other direct
    /// schedules are blocks of multiplications.
    bool hasMatrixInstruction() const {
      return !isDirect() || getAtom().getKind() != AtomKind::FMA;
    }
    /// Whether the matrix instructions of a direct kernel reduce positions.
    bool reducesBlocks() const {
      auto direct = ::llvm::dyn_cast<DirectAttr>(getKernel());
      return direct && direct.reducesBlocks();
    }
    /// The number of subgroups of a workgroup.
    int64_t getNumSubgroups() const { return getKernel().getNumSubgroups(); }
    /// Matrices, rows and columns of a workgroup's tile, for a product with
    /// this many columns, or for tensors that are only added up.
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

#endif // CONV_SCHEDULE_ATTR_TD
