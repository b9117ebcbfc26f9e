//===- FormSpace.cpp - operand forms that are worth ranking ---------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few forms are worth ranking: channels innermost, with the result in the
// caller's layout or also channels innermost, and channels padded to 16 bytes
// or, in narrow or unaligned groups, merged. Weight gradients of
// 32 and 8 bits can have positions or images innermost. Depthwise weight
// gradients whose channels are not whole vectors can have positions innermost,
// as can small groups on the host. Results of few channels can be unfolded.
// Operands that are 8-bit floats can also be multiplied as f16.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/FormSpace.h"

#include "SearchLimits.h"

#include "conv/Chip/HostProcessor.h"
#include "conv/Dialect/Conv/IR/ConvShape.h"
#include "conv/Dialect/Conv/IR/LayoutOrder.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"
#include "conv/Numerics/ErrorBound.h"
#include "conv/Plan/Im2col.h"
#include "conv/Plan/MergedDimensions.h"
#include "conv/Schedule/Schedule.h"

using namespace mlir;
using namespace mlir::conv;

/// A filter with output channels innermost, over which backward data sums:
/// loads along the reduction are then wide.
static LayoutsAttr getFilterByOutput(LayoutsAttr layouts) {
  std::string order(layouts.getFilter());
  std::swap(order[order.find('K')], order[order.find('C')]);
  return withOrder(layouts, TensorRole::Filter, order);
}

/// Whether positions are innermost in input and output.
static bool hasChannelsFirst(ConvolutionOpInterface op) {
  return op.getGroups() == 1 && op.getLayouts().getInput().starts_with("NC") &&
         op.getLayouts().getOutput().starts_with("NK");
}

/// Dimension orders of the filter of a window of one element. The reduction is
/// innermost, or the copy engine transposes tiles.
static SmallVector<StringRef> getFlatFilters(ConvolutionOpInterface op,
                                             const ::conv::ChipInfo &chip) {
  switch (op.getDirection()) {
  case Direction::Forward:
    return {"KSC"};
  case Direction::BackwardData:
    return hasWarpgroups(chip) ? SmallVector<StringRef>{"KSC", "CSK"}
                               : SmallVector<StringRef>{"CSK"};
  case Direction::BackwardWeight:
    return hasWarpgroups(chip) ? SmallVector<StringRef>{"KSC"}
                               : SmallVector<StringRef>{};
  }
  llvm_unreachable("every direction has filters");
}

/// The input channels of as many neighbouring groups as fill a row of a tensor
/// copy, or 1 if merging them is not worth it.
static int64_t computeMergedChannels(ConvolutionOpInterface op,
                                     const ::conv::ChipInfo &chip) {
  int64_t groups = op.getGroups(), merged = 1;
  int64_t channels = ConvolutionShape::get(op).c / groups;
  while (groups % (2 * merged) == 0 && 2 * merged * channels <= kMergedChannels)
    merged *= 2;
  bool isWorth =
      merged > 1 && channels >= kFewestChannels && hasWarpgroups(chip);
  return isWorth ? merged * channels : 1;
}

/// The input channels of as few neighbouring groups as have whole vectors of
/// input and output channels, which tensor copies require; 1 if each group has
/// them, or if that takes so many groups that too much would be zero.
static int64_t computeAlignedChannels(ConvolutionOpInterface op,
                                      const ::conv::ChipInfo &chip,
                                      int64_t bytes) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  int64_t c = shape.c / shape.groups, k = shape.k / shape.groups;
  int64_t vector = ::conv::kVectorBytes / bytes, merged = 1;
  while (merged * c % vector != 0 || merged * k % vector != 0)
    ++merged;
  bool isWorth = merged > 1 && merged <= kMostAlignedGroups &&
                 shape.groups % merged == 0 && c >= kFewestChannels &&
                 hasWarpgroups(chip);
  return isWorth ? merged * c : 1;
}

/// Channel multiples that make a difference, the smallest first: what a tensor
/// copy requires, and whole sectors, which the copy engine moves faster.
static SmallVector<int64_t>
enumerateChannelMultiples(ConvolutionOpInterface op,
                          const ::conv::ChipInfo &chip, int64_t bytes) {
  if (op.getGroups() > 1) {
    int64_t aligned = computeAlignedChannels(op, chip, bytes);
    int64_t merged = computeMergedChannels(op, chip);
    return {1, std::min(aligned, merged), std::max(aligned, merged)};
  }
  ConvolutionShape shape = ConvolutionShape::get(op);
  auto pad = [&](int64_t multiple) {
    bool padsInput = op.getDirection() != Direction::BackwardData;
    bool padsOutput = op.getDirection() != Direction::Forward;
    return std::pair(llvm::alignTo(shape.c, padsInput ? multiple : 1),
                     llvm::alignTo(shape.k, padsOutput ? multiple : 1));
  };
  SmallVector<int64_t> multiples = {1};
  for (int64_t alignment : {::conv::kVectorBytes, int64_t(chip.sectorBytes)}) {
    int64_t multiple = alignment / bytes;
    bool isUsed = alignment == ::conv::kVectorBytes || hasWarpgroups(chip);
    if (isUsed && multiple > 1 && pad(multiple) != pad(multiples.back()))
      multiples.push_back(multiple);
  }
  return multiples;
}

/// Whether only lanes, not matrix units, can multiply the f32 operands. Lanes
/// load either operand along the reduction.
static bool isForLanes(ConvolutionOpInterface op) {
  int64_t reduction = computeReduction(op);
  return getOperandElementType(op).isF32() &&
         (op.getArithmetic() == Arithmetic::Exact ||
          !::conv::is3xTF32WithinBound(
              reduction, llvm::divideCeil(reduction, ::conv::k3xTF32Step),
              /*splits=*/1));
}

/// Whether a filter with output channels innermost is worth ranking. Warpgroups
/// multiply either order, but a tile with few columns then has fewer channel
/// rows, 8-bit operands must have the reduction innermost, lanes transpose
/// those of tf32, and no tensor copy reads rows that are not whole vectors.
static bool turnsFilter(ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
                        int64_t bytes) {
  if (op.getDirection() != Direction::BackwardData)
    return false;
  bool isTF32 = op.getArithmetic() == Arithmetic::TF32;
  ConvolutionShape shape = ConvolutionShape::get(op);
  return !hasWarpgroups(chip) || isForLanes(op) || bytes == 1 || isTF32 ||
         (shape.groups == 1 && (shape.c < PlanOptions::kRowSize ||
                                shape.c * bytes % ::conv::kVectorBytes != 0));
}

/// Whether unfolding the last `dims` dimensions does no more than leave out
/// positions: windows have one tap there, and move by more than 1. Dimensions
/// before these are not skipped. Gradients of tf32 filters read such positions
/// where the reduction is innermost, which is faster
/// (bench/results/kernels.md, positions that windows leave out).
static bool leavesOutPositions(ConvolutionOpInterface op, int64_t dims) {
  if (op.getDirection() == Direction::BackwardWeight &&
      op.getArithmetic() == Arithmetic::TF32)
    return false;
  ConvolutionShape shape = ConvolutionShape::get(op);
  auto isOne = [](int64_t value) { return value == 1; };
  Im2col im2col(op, dims);
  return im2col.countTaps() == 1 && !im2col.unfoldsResult() &&
         !llvm::all_of(ArrayRef(shape.strides).take_back(dims), isOne) &&
         llvm::all_of(ArrayRef(shape.strides).drop_back(dims), isOne);
}

/// Whether what is unfolded has fewer positions than the tensor, or channels
/// fill less than a row of a tensor copy, and unfolding does not make too many.
static bool isWorthUnfolding(ConvolutionOpInterface op,
                             const OperandForm &form) {
  Im2col im2col(op, form.im2col);
  ConvolutionShape shape = ConvolutionShape::get(op);
  int64_t own = im2col.getRole() == TensorRole::Input ? shape.c : shape.k;
  double elements = 0;
  for (TensorRole role :
       {TensorRole::Input, TensorRole::Filter, TensorRole::Output})
    elements += double(op.getTensor(role).getType().getNumElements());
  int64_t multiple = form.channelMultiple;
  return !im2col.isTrivial() &&
         (leavesOutPositions(op, form.im2col) ||
          (own < PlanOptions::kRowSize &&
           im2col.countChannels(multiple) <= kMaxUnfoldedChannels)) &&
         im2col.countElements(multiple) <= kMaxUnfoldedShare * elements;
}

/// Whether a weight gradient is one matrix in the form, with more input than
/// output channels. 3xTF32 splits the right operand anew for each tile, so the
/// right operand should have the shorter side.
static bool hasLongRows(ConvolutionOpInterface op, const OperandForm &form) {
  if (op.getDirection() != Direction::BackwardWeight ||
      !getOperandElementType(op).isF32() || op.getGroups() > 1)
    return false;
  ConvolutionShape shape = ConvolutionShape::get(op);
  Im2col im2col(op, form.im2col);
  bool unfoldsInput = im2col.getRole() == TensorRole::Input;
  int64_t unfolded = im2col.countChannels(form.channelMultiple);
  return llvm::product_of(shape.filter) == im2col.countTaps() &&
         llvm::all_of(ArrayRef(shape.strides).drop_back(form.im2col),
                      [](int64_t stride) { return stride == 1; }) &&
         (unfoldsInput ? unfolded > shape.k : shape.c > unfolded);
}

/// The layouts in which windows are unfolded. Terms of a result are added where
/// neighbouring positions are neighbours in memory.
static LayoutsAttr getUnfoldedLayouts(ConvolutionOpInterface op, int64_t dims) {
  LayoutsAttr last = OperandForm::getChannelsLast(op).layouts;
  if (op.getDirection() == Direction::BackwardData)
    last = getFilterByOutput(last);
  Im2col im2col(op, dims);
  if (!im2col.unfoldsResult())
    return last;
  std::string order(getOrder(last, im2col.getRole()));
  std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return withOrder(last, im2col.getRole(), order);
}

/// Whether the first of the unfolded dimensions has taps, or unfolding it
/// changes nothing.
static bool addsTaps(ConvolutionOpInterface op, int64_t dims) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  int64_t first = shape.getRank() - dims;
  return shape.filter[first] != 1 || shape.strides[first] != 1;
}

/// Forms in which window elements become channels of a tensor that has few
/// channels.
static SmallVector<OperandForm>
enumerateUnfoldedForms(ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
                       Type operandType, int64_t bytes) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  if (!hasWarpgroups(chip) || op.getGroups() > 1 || bytes < 2)
    return {};
  SmallVector<OperandForm> forms;
  for (int64_t dims = 1; dims <= shape.getRank(); ++dims) {
    LayoutsAttr last = getUnfoldedLayouts(op, dims);
    OperandForm form{last, ::conv::kVectorBytes / bytes};
    form.im2col = dims;
    form.operandType = operandType;
    if (!addsTaps(op, dims) || !form.findObstacle(op).empty() ||
        !isWorthUnfolding(op, form))
      continue;
    forms.push_back(form);
    if (Im2col(op, dims).unfoldsResult())
      continue;
    form.layouts = hasLongRows(op, form) ? getFilterByOutput(last)
                                         : withOrder(last, op.getResultRole(),
                                                     op.getResultOrder());
    if (form.layouts != last && form.findObstacle(op).empty())
      forms.push_back(form);
  }
  return forms;
}

/// Whether a depthwise weight gradient has channels that are not whole vectors.
/// Tiles of channels do not cross from one split-K slice to the next, so a
/// work-item then has the few channels of a vector that divide the slice's.
static bool splitsVectors(ConvolutionOpInterface op, int64_t bytes) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  return op.getDirection() == Direction::BackwardWeight && op.getGroups() > 1 &&
         shape.c == op.getGroups() &&
         shape.c * bytes % ::conv::kVectorBytes != 0;
}

/// Input and output with positions innermost, and the filter as for channels
/// innermost.
static LayoutsAttr getPositionsLast(ConvolutionOpInterface op) {
  LayoutsAttr last = OperandForm::getChannelsLast(op).layouts;
  for (TensorRole role : {TensorRole::Input, TensorRole::Output}) {
    std::string order(getOrder(last, role));
    size_t spatial = ConvolutionShape::get(op).getRank();
    std::rotate(order.begin() + 1, order.begin() + 1 + spatial, order.end());
    last = withOrder(last, role, order);
  }
  return last;
}

/// Layouts in which the reduction of a weight gradient is innermost in both
/// operands: positions or images. Warpgroups multiply no other operands of 32
/// or 8 bits without lanes that transpose them.
static SmallVector<LayoutsAttr> getReductionLast(ConvolutionOpInterface op,
                                                 const ::conv::ChipInfo &chip,
                                                 int64_t bytes) {
  if (op.getDirection() != Direction::BackwardWeight || !hasWarpgroups(chip) ||
      bytes == ::conv::WarpgroupTile::kElementBytes || isForLanes(op) ||
      op.getLayouts().getInput().contains('G'))
    return {};
  // Smaller groups are merged, and most of what is multiplied is zero.
  constexpr int64_t kSmallGroup = 16;
  if (op.getGroups() > 1 &&
      ConvolutionShape::get(op).c / op.getGroups() < kSmallGroup)
    return {};
  LayoutsAttr positions = getPositionsLast(op), images = positions;
  for (TensorRole role : {TensorRole::Input, TensorRole::Output}) {
    // A tile has rows of many channels. With images of megabytes between them,
    // each needs an address translation of its own, so there are lines between
    // them: HCWN.
    StringRef order = getOrder(positions, role);
    std::string lines = order.drop_front(2).drop_back().str();
    images = withOrder(images, role,
                       lines + order[1] + order.back() + order.front());
  }
  SmallVector<LayoutsAttr> layouts;
  for (LayoutsAttr one : {positions, images}) {
    layouts.push_back(one);
    layouts.push_back(withOrder(one, op.getResultRole(), op.getResultOrder()));
  }
  return layouts;
}

/// How many strips of an image are worth ranking where images are innermost:
/// as many as fill an access of the copy engine, or a row of it.
static SmallVector<int64_t> enumerateStrips(ConvolutionOpInterface op,
                                            int64_t bytes) {
  int64_t images = ConvolutionShape::get(op).n;
  int64_t access = ::conv::kVectorBytes / bytes;
  SmallVector<int64_t> strips;
  for (int64_t least : {access, ::conv::WarpgroupTile::kRowBytes / bytes}) {
    int64_t count = llvm::divideCeil(least, images);
    while (images * count % access != 0)
      ++count;
    if (count > 1 && !llvm::is_contained(strips, count))
      strips.push_back(count);
  }
  return strips;
}

/// Forms with operands of a type, or of their own if that is null.
static SmallVector<OperandForm>
enumerateFormsOfType(ConvolutionOpInterface op, const ::conv::ChipInfo &chip,
                     Type operandType) {
  Type multiplied = operandType ? operandType : getOperandElementType(op);
  int64_t bytes = getElementBytes(multiplied);
  LayoutsAttr last = OperandForm::getChannelsLast(op).layouts;
  SmallVector<LayoutsAttr> layouts = {
      last, withOrder(last, op.getResultRole(), op.getResultOrder())};
  if (turnsFilter(op, chip, bytes)) {
    layouts.push_back(getFilterByOutput(last));
    layouts.push_back(
        withOrder(layouts.back(), TensorRole::Input, op.getResultOrder()));
  }
  if (hasWarpgroups(chip) && hasLongRows(op, {last}))
    layouts.push_back(getFilterByOutput(last));
  // Lines then have whole vectors.
  if (splitsVectors(op, bytes))
    layouts.push_back(withOrder(getPositionsLast(op), op.getResultRole(),
                                op.getResultOrder()));
  SmallVector<LayoutsAttr> reductionLast = getReductionLast(op, chip, bytes);
  llvm::append_range(layouts, reductionLast);
  // Kernels know two dimensions best.
  std::optional<MergedDimensions> merged = MergedDimensions::find(op);
  SmallVector<OperandForm> forms;
  auto add = [&](OperandForm form) {
    form.operandType = operandType;
    if (LayoutsAttr both = merged ? merged->merge(form.layouts) : nullptr)
      form.layouts = both;
    bool isKnown = llvm::any_of(forms, [&](const OperandForm &known) {
      return known.layouts == form.layouts &&
             known.channelMultiple == form.channelMultiple &&
             known.im2col == form.im2col &&
             known.spaceToBatch == form.spaceToBatch;
    });
    if (!isKnown && form.findObstacle(op).empty() && !form.isFormOf(op))
      forms.push_back(form);
  };
  if (merged)
    add({op.getLayouts()});
  for (int64_t multiple : enumerateChannelMultiples(op, chip, bytes))
    for (LayoutsAttr one : layouts)
      add({one, multiple});
  if (hasChannelsFirst(op))
    for (StringRef filter : getFlatFilters(op, chip))
      add(OperandForm::getFlat(op, filter));
  for (LayoutsAttr one : reductionLast)
    if (one.getInput().ends_with("N"))
      for (int64_t strips : enumerateStrips(op, bytes)) {
        OperandForm form{one};
        form.spaceToBatch = strips;
        add(form);
      }
  for (const OperandForm &form :
       enumerateUnfoldedForms(op, chip, operandType, bytes))
    add(form);
  return forms;
}

/// Whether 8-bit floats are worth converting to f16: warpgroups multiply 8-bit
/// floats themselves only where sums may be narrow.
static bool isWorthWidening(ConvolutionOpInterface op,
                            const ::conv::ChipInfo &chip) {
  return hasWarpgroups(chip) && isFloat8(getOperandElementType(op));
}

/// Whether the channels of a group leave much of the host's vectors empty.
static bool wastesVectors(int64_t channels, const ::conv::ChipInfo &chip) {
  return channels <= kMostHostChannels ||
         (channels < kMostPartialHostChannels &&
          channels % chip.processor->vectorLanes != 0);
}

/// Forms whose result is unfolded, for few channels: a product with a row for
/// each of their taps instead of one for each channel, which reads its wide
/// operand as it is, and once.
static SmallVector<OperandForm> enumerateHostFolds(ConvolutionOpInterface op) {
  SmallVector<OperandForm> forms;
  for (int64_t dims = 1; dims <= ConvolutionShape::get(op).getRank(); ++dims) {
    if (!Im2col(op, dims).unfoldsResult())
      continue;
    TensorRole wide = op.getDirection() == Direction::Forward
                          ? TensorRole::Input
                          : TensorRole::Output;
    OperandForm form = {
        withOrder(getUnfoldedLayouts(op, dims), wide, op.getOrder(wide)),
        1,
        {},
        dims};
    if (addsTaps(op, dims) && form.findObstacle(op).empty() &&
        isWorthUnfolding(op, form))
      forms.push_back(form);
  }
  return forms;
}

/// The host packs its operands in any case. But vectors of products are along
/// positions where a group has few channels: it pays to have them innermost
/// before each group gathers its own. So it does for filter gradients, which
/// then copy lines. Many channels are best innermost: products read them in
/// place, and a filter with output channels innermost is copied to panels as
/// it is.
static SmallVector<OperandForm>
enumerateHostForms(ConvolutionOpInterface op, const ::conv::ChipInfo &chip) {
  ConvolutionShape shape = ConvolutionShape::get(op);
  if (shape.c == shape.groups && shape.groups > 1)
    return {};
  int64_t channels = std::max(shape.c, shape.k) / shape.groups;
  bool isFilter = op.getDirection() == Direction::BackwardWeight;
  SmallVector<LayoutsAttr> layouts;
  if (shape.groups > 1 && (isFilter ? channels <= kMostHostChannels
                                    : wastesVectors(channels, chip)))
    layouts.push_back(withOrder(getPositionsLast(op), TensorRole::Filter,
                                op.getLayouts().getFilter()));
  if (channels > kMostHostChannels && (shape.groups == 1 || !isFilter)) {
    LayoutsAttr last = OperandForm::getChannelsLast(op).layouts;
    if (op.getDirection() == Direction::Forward)
      last = getFilterByOutput(last);
    layouts.push_back(last);
    layouts.push_back(withOrder(last, op.getResultRole(), op.getResultOrder()));
  }
  SmallVector<OperandForm> forms;
  for (LayoutsAttr one : layouts) {
    OperandForm form{one};
    bool isKnown = llvm::any_of(
        forms, [&](const OperandForm &known) { return known.layouts == one; });
    if (!isKnown && form.findObstacle(op).empty() && !form.isFormOf(op))
      forms.push_back(form);
  }
  llvm::append_range(forms, enumerateHostFolds(op));
  return forms;
}

SmallVector<OperandForm>
mlir::conv::enumerateForms(ConvolutionOpInterface op,
                           const ::conv::ChipInfo &chip) {
  if (chip.isProcessor())
    return enumerateHostForms(op, chip);
  SmallVector<OperandForm> forms = enumerateFormsOfType(op, chip, Type());
  if (isWorthWidening(op, chip))
    forms.append(
        enumerateFormsOfType(op, chip, Float16Type::get(op.getContext())));
  return forms;
}

std::string mlir::conv::explainNoForms(ConvolutionOpInterface op,
                                       const ::conv::ChipInfo &chip) {
  if (chip.isProcessor())
    return "a tile copies its operands from any layout";
  std::string obstacle = OperandForm::getChannelsLast(op).findObstacle(op);
  return obstacle.empty() ? "the operands have channels innermost, as kernels "
                            "read them"
                          : obstacle;
}
