//===- WarpgroupTile.h - resources of a workgroup's tile --------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work-items, registers and shared memory that follow from the tile of a `tma`
// schedule: plain numbers. Models and kernels use them. The verifier of the
// schedule does, too, which is why they stand here and not in lib/Kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_WARPGROUPTILE_H
#define CONV_DIALECT_CONV_IR_WARPGROUPTILE_H

#include "conv/Dialect/Conv/IR/Producer.h"
#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace conv {

/// The rows of a tile of a weight gradient whose rows are taps: the taps of one
/// tap row, each with 64 channels, then those of the next tap row. All of them
/// read one halo tile of a block of positions.
struct TapRows {
  static constexpr int64_t kBlockSize = 8, kAtomRows = 64, kRowBytes = 128;
  static constexpr int64_t kAlignment = 1024;

  int64_t lines = 0;    ///< Tap rows of the filter; 0: rows are no taps.
  int64_t taps = 1;     ///< Taps of a tap row.
  int64_t dilation = 1; ///< From tap row to tap row, in position rows.
  int64_t pitch = 0;    ///< Elements of a halo tile's row.

  bool areRows() const { return lines > 0; }
  /// Tap rows of a tile with so many rows; 0 if these are not whole tap rows
  /// whose number divides the filter's.
  int64_t countLines(int64_t rows) const {
    int64_t own = rows / (taps * kAtomRows);
    return own > 0 && rows % (taps * kAtomRows) == 0 && lines % own == 0 ? own
                                                                         : 0;
  }
  /// Rows of the halo tile, the bytes of it that are copied, and the bytes up
  /// to where the next tile can start.
  int64_t haloLines(int64_t rows) const {
    return kBlockSize + (countLines(rows) - 1) * dilation;
  }
  int64_t copyBytes(int64_t rows) const {
    return haloLines(rows) * pitch * kRowBytes;
  }
  int64_t bytes(int64_t rows) const {
    return roundUp(copyBytes(rows), kAlignment);
  }
};

/// A pipeline of operand tiles that one producer warpgroup fills and
/// `consumers` others multiply; or one pipeline of halo tiles of the left
/// operand and one of right tiles. Right tiles may be halo tiles, too. Operand
/// elements have two bytes, or another size if the reduction is innermost.
struct WarpgroupTile {
  static constexpr int64_t kWarpgroupSize = 128;
  static constexpr int64_t kWarps = 4; ///< In a warpgroup.
  static constexpr int64_t kMaxConsumers = 3;
  static constexpr int64_t kElementBytes = 2;
  static constexpr int64_t kSumBytes = 4;
  /// Bytes of an operand element that is converted to tf32 parts: an f32.
  static constexpr int64_t kConvertedBytes = 4;
  /// The alignment of strides in memory and of row widths, in bytes and in
  /// elements.
  static constexpr int64_t kAccessBytes = 16;
  static constexpr int64_t kAccess = kAccessBytes / kElementBytes;
  /// A row of an operand tile: elements along the reduction, and their bytes,
  /// which is the widest swizzle.
  static constexpr int64_t kRowElements = 64;
  static constexpr int64_t kRowBytes = kRowElements * kElementBytes;
  /// Rows after which the swizzle repeats.
  static constexpr int64_t kSwizzledRows = 8;
  /// Bytes of a row that one instruction reads, for all element types.
  static constexpr int64_t kAtomBytes = 32;
  static constexpr int64_t kAtomsPerRow = kRowBytes / kAtomBytes;
  /// The shortest result row that can be copied, and the shortest that is
  /// swizzled if the whole row is longer.
  static constexpr int64_t kMinChunkRowBytes = 32;
  static constexpr int64_t kMinSwizzledRowBytes = 64;
  /// Rows of the result that one instruction computes.
  static constexpr int64_t kAtomRows = 64;
  /// The most rows of a workgroup's tile: the box of one copy, several halo
  /// tiles, or taps.
  static constexpr int64_t kMaxRows = 256;
  static constexpr int64_t kMaxRowsOfHaloTiles = 512;
  static constexpr int64_t kMaxRowsOfTaps = 576;
  /// With halo tiles, rows are blocks of this many positions a side. The steps
  /// of a reduction over positions are such blocks, too.
  static constexpr int64_t kBlockSize = 8;
  /// Halo tiles of one slot are multiplied while those of the other arrive.
  static constexpr int64_t kHaloTileSlots = 2;
  /// The most warps that convert: those beside the one that copies.
  static constexpr int64_t kMaxConverters = kWarps - 1;
  /// Bytes of an mbarrier.
  static constexpr int64_t kBarrierBytes = 8;
  /// Shared memory starts at a multiple of this, as the swizzle requires.
  static constexpr int64_t kAlignment = 1024;

  int64_t rows = 0, columns = 0; ///< The tile of a workgroup.
  int64_t stages = 0;
  int64_t consumers = 0;
  /// Bytes of the halo tiles that hold the left operand of all taps, in slots
  /// of their own; 0 if each stage holds the left operand of one tap.
  int64_t haloTileBytes = 0;
  /// Bytes of the halo tile that holds the columns of a tap row, in a stage; 0
  /// if a stage holds the right operand of one tap.
  int64_t rightHaloTileBytes = 0;
  /// Bytes of the halo tile in a stage that holds the rows of several taps.
  int64_t leftHaloTileBytes = 0;
  /// Whether results may be stored by tensor copies, from shared memory, and
  /// the bytes of a result element.
  bool isStaged = true;
  int64_t resultBytes = kElementBytes;
  /// What brings both operands: the copy engine, or all lanes of the producer's
  /// warpgroup.
  Producer producer = Producer::CopyEngine;
  bool isGathered() const { return producer != Producer::CopyEngine; }
  bool isLoaded() const { return producer == Producer::Registers; }
  static constexpr int64_t kMaxGatherConsumers = 2,
                           kMaxGatherAccumulators = 128;
  /// Warpgroups that write tiles of the right operand, if not by copies.
  int64_t im2colWarps = 0;
  /// Tiles of the right operand have rows along gemmN, not along gemmK.
  bool isRightTransposed = false;
  /// Workgroups that split the reduction of the tile, each with a pipeline of
  /// its own, and afterwards its columns.
  int64_t cluster = 1;
  /// Parts of the right operand that helper warps beside the producer write for
  /// each stage, with the reduction innermost: an f32 rounded to tf32, and the
  /// remainder as tf32. The left operand's parts are in registers. 0 if
  /// instructions read both operands as they were copied.
  int64_t convertedParts = 0;
  /// Instructions read rows of 16-bit elements along the reduction or across
  /// it, other elements only along it.
  static constexpr int64_t
  countConvertedParts(bool is3xTF32, int64_t elementBytes, bool isTransposed) {
    return is3xTF32                                          ? 2
           : elementBytes == kConvertedBytes && isTransposed ? 1
                                                             : 0;
  }
  /// How many products of 8-bit floats instructions sum up before that sum is
  /// added to the total in f32: those of one, two or four instructions. 0 if
  /// instructions accumulate into the total.
  int64_t promotion = 0;
  static constexpr int64_t kMaxPromotion = 128;
  bool promotes() const { return promotion > 0; }
  /// Whether tensor copies load an operand of the epilogue, chunk by chunk, to
  /// the place from which the results are stored.
  bool isEpilogueCopied = false;

  /// Warpgroups other than the one that copies.
  int64_t workers() const { return consumers + im2colWarps; }
  int64_t workItems() const { return (1 + workers()) * kWarpgroupSize; }
  int64_t consumerWarps() const { return kWarps * consumers; }
  /// Instructions along the rows that a consumer issues per gemmK step.
  int64_t atomsPerConsumer() const { return rows / consumers / kAtomRows; }
  /// Registers of a lane that hold accumulators.
  int64_t accumulators() const { return atomsPerConsumer() * columns / 2; }
  /// Whether the sums of a step are added to the total of the previous steps in
  /// f32, so that there are two sets of accumulators. Otherwise, instructions
  /// add up all steps.
  bool addsSteps() const { return convertedParts == 2 || promotes(); }
  int64_t maxAccumulators() const {
    if (convertedParts == 2)
      return workers() > 2 ? 48 : 80;
    int64_t registers = workers() > 2 ? 128 : 192;
    return promotes() ? registers / 2 : registers;
  }
  /// The most columns of an instruction that assembles with `launchRegisters`.
  int64_t maxColumns() const {
    return isConverted() ? 160 : workers() == 2 ? 256 : 192;
  }
  /// Whether instructions and registers suffice for the tile (S10), of at most
  /// `maxRows` rows.
  bool fitsWorkgroup(int64_t maxRows = kMaxRows) const {
    return rows <= maxRows && columns <= maxColumns() &&
           accumulators() <= maxAccumulators();
  }
  /// Whether rows are whole halo tiles of so many positions (S14).
  bool hasWholeHaloTiles(int64_t positions) const {
    return rows % positions == 0;
  }
  /// Elements of a row of shared memory: of 16 bits, or f32 that are converted.
  int64_t rowElements() const {
    return isConverted() ? kRowBytes / kConvertedBytes : kRowElements;
  }
  /// Whether columns are whole rows, as columns of taps and channels must be.
  bool hasWholeRowsOfColumns() const { return columns % rowElements() == 0; }
  /// Columns of the right operand's tiles: transposed tiles have whole rows.
  int64_t rightColumns() const {
    return isRightTransposed ? roundUp(columns, rowElements()) : columns;
  }

  /// An instruction gives each lane whole vectors of accumulators per this many
  /// columns: a workgroup's share of the columns is a multiple.
  static constexpr int64_t kVectorColumns = 8;
  bool hasWholeShares() const {
    return cluster == 1 ||
           (columns % cluster == 0 && columns / cluster % kVectorColumns == 0);
  }
  /// The part of the tile that one workgroup of a cluster stores.
  WarpgroupTile share() const {
    WarpgroupTile part = *this;
    part.columns /= cluster;
    part.cluster = 1;
    return part;
  }
  /// The bytes of the sums of a share, and of those that a workgroup of a
  /// cluster receives: one share from each workgroup.
  int64_t shareBytes() const { return rows * share().columns * kSumBytes; }
  int64_t exchangeBytes() const {
    return cluster > 1 ? cluster * shareBytes() : 0;
  }

  /// Registers of a work-item at launch, and the numbers that producers and
  /// consumers change to. If the epilogue's operand is copied, more than one
  /// lane copies. Lanes that copy operands have registers for the positions of
  /// their rows; those that load have more, up to which ptxas starts loads
  /// early: it counts the registers at launch, and spills what producers lack.
  int64_t launchRegisters() const {
    if (isLoaded())
      return workers() == 1 ? 224 : 168;
    if (isGathered())
      return workers() == 1 ? 192 : 168;
    return workers() == 2 ? 168 : workers() == 1 && hasHelpers() ? 144 : 128;
  }
  int64_t producerRegisters() const {
    if (isLoaded())
      return workers() == 1 ? 208 : 136;
    if (isGathered())
      return workers() == 1 ? 152 : 104;
    if (workers() == 2)
      return isConverted() ? 56 : 40;
    return hasHelpers() ? 56 : workers() == 1 ? 24 : 32;
  }
  int64_t consumerRegisters() const {
    if (isLoaded())
      return workers() == 1 ? 240 : 184;
    if (workers() == 3)
      return hasHelpers() ? 152 : 160;
    if (workers() == 2 && isGathered())
      return 200;
    return workers() == 2 && isConverted() ? 224 : 232;
  }
  /// The most of a gathering lane's registers that positions of rows may take.
  int64_t positionRegisters() const { return workers() == 1 ? 64 : 32; }
  /// Whether consumers have registers for the sums, if lanes bring operands
  /// (S24, S27).
  bool fitsGatherAccumulators() const {
    return (addsSteps() ? 2 : 1) * accumulators() <= kMaxGatherAccumulators;
  }

  int64_t leftBytes() const {
    return leftHaloTileBytes > 0 ? leftHaloTileBytes : rows * kRowBytes;
  }
  int64_t rightBytes() const {
    return rightHaloTileBytes > 0 ? rightHaloTileBytes
                                  : rightColumns() * kRowBytes;
  }
  /// Whether slots hold the left operand.
  bool hasSlots() const { return haloTileBytes > 0; }
  bool isConverted() const { return convertedParts > 0; }
  /// Whether warps beside the producer work.
  bool hasHelpers() const { return isEpilogueCopied || isConverted(); }
  int64_t stageBytes() const {
    // Lanes that load the right operand store only its parts.
    return hasSlots()                    ? rightBytes()
           : isLoaded() && isConverted() ? leftBytes()
                                         : leftBytes() + rightBytes();
  }
  int64_t haloTileSlots() const { return hasSlots() ? kHaloTileSlots : 0; }
  /// Offsets of the first slot, and of both operands of the first stage.
  int64_t haloTileOffset() const { return stages * stageBytes(); }
  int64_t leftOffset() const { return hasSlots() ? haloTileOffset() : 0; }
  int64_t rightOffset() const { return hasSlots() ? 0 : leftBytes(); }

  /// The offset of the pipeline of the right operand's parts, which comes after
  /// the stages; its rows are columns of the product.
  int64_t convertedOffset() const { return stages * stageBytes(); }
  /// Columns that a warp converts at a time.
  static constexpr int64_t kConvertedColumns = 32;
  bool hasWholeConvertedColumns() const {
    return columns % kConvertedColumns == 0;
  }
  int64_t convertedPartBytes() const { return columns * kRowBytes; }
  int64_t convertedBytes() const {
    return convertedParts * convertedPartBytes();
  }
  /// Warps that convert stages in turn, each to a place of its own. A warp
  /// waits for a stage when its place is empty, so that consumers have
  /// multiplied what the stage held before: there are no more places than
  /// stages. With few stages, two places leave more shared memory to these.
  int64_t convertedStages() const {
    return !isConverted() ? 0 : stages > kMaxConverters ? kMaxConverters : 2;
  }

  /// Whether rows of so many bytes are swizzled: 32, 64 or 128.
  static constexpr bool isSwizzled(int64_t rowBytes) {
    return kRowBytes % rowBytes == 0;
  }
  /// Columns that one copy to the result takes: a swizzled row, or all columns
  /// in unswizzled rows if swizzled rows would be too short. Rows shorter than
  /// the shortest one are not copied.
  int64_t chunkColumns() const {
    int64_t swizzled = std::gcd(columns, kRowBytes / resultBytes);
    return swizzled * resultBytes < kMinSwizzledRowBytes ? columns : swizzled;
  }
  int64_t chunkRowBytes() const { return chunkColumns() * resultBytes; }
  bool hasChunks() const {
    return chunkRowBytes() >= kMinChunkRowBytes &&
           chunkRowBytes() % kAccessBytes == 0;
  }
  /// Atoms of a consumer whose rows are stored together if rows are innermost:
  /// two, if possible. Columns then have longer parts, and blocks of halo tiles
  /// their neighbours.
  int64_t atomsStoredTogether() const {
    bool haveRoom = stagedColumns() >= 2 * kVectorColumns;
    return haveRoom ? std::gcd(atomsPerConsumer(), int64_t(2)) : 1;
  }
  /// Whether results are transposed on their way to shared memory.
  static constexpr bool canTranspose(int64_t resultBytes) {
    return resultBytes == 2 || resultBytes == 4;
  }
  int64_t chunkBytes() const { return kAtomRows * chunkRowBytes(); }
  /// Columns of an atom's rows that are staged at a time: about half of them if
  /// elements are twice as long, because all would cost pipeline stages.
  int64_t stagedColumns() const {
    if (isEpilogueCopied || resultBytes <= kElementBytes)
      return columns;
    int64_t fit = ceilDiv(columns * kElementBytes, resultBytes);
    return std::min(columns, roundUp(fit, chunkColumns()));
  }
  /// Bytes that a consumer stages for the copy: the rows of one atom, or of all
  /// its atoms if the epilogue's operand arrives there during the main loop.
  int64_t stagingBytes() const {
    int64_t atoms = isEpilogueCopied ? atomsPerConsumer() : 1;
    int64_t rowBytes = share().stagedColumns() * resultBytes;
    return isStaged ? atoms * kAtomRows * rowBytes : 0;
  }
  /// Chunks of the epilogue's operand for all atoms of a consumer.
  int64_t countEpilogueChunks() const {
    return isEpilogueCopied ? stagingBytes() / chunkBytes() : 0;
  }
  /// Whether an operand of the epilogue can be copied. In a cluster, lanes load
  /// the few columns of a share equally early.
  bool canCopyEpilogue() const {
    return cluster == 1 && isStaged && hasChunks() && !isConverted();
  }
  /// Copies the epilogue's operand if it fits in so much shared memory.
  void copyEpilogue(int64_t availableBytes) {
    isEpilogueCopied = canCopyEpilogue();
    isEpilogueCopied &= sharedBytes() <= availableBytes;
  }
  /// Sums are exchanged where the operands were.
  int64_t stagingOffset() const {
    return std::max(haloTileOffset() + haloTileSlots() * haloTileBytes +
                        convertedStages() * convertedBytes(),
                    exchangeBytes());
  }

  /// One "full" and one "empty" barrier for each stage, then for each slot or
  /// each stage of converted parts.
  int64_t barrierOffset() const {
    return stagingOffset() + consumers * stagingBytes();
  }
  int64_t haloTileBarrierOffset() const {
    return barrierOffset() + 2 * stages * kBarrierBytes;
  }
  /// In a cluster, one barrier for the sums of each consumer.
  int64_t exchangeBarrierOffset() const {
    return haloTileBarrierOffset() +
           2 * (haloTileSlots() + convertedStages()) * kBarrierBytes;
  }
  /// For the epilogue's operand, one "full" and one "empty" barrier for each
  /// chunk.
  int64_t epilogueBarrierOffset() const {
    return exchangeBarrierOffset() +
           (cluster > 1 ? consumers * kBarrierBytes : 0);
  }
  int64_t sharedBytes() const {
    return epilogueBarrierOffset() +
           2 * consumers * countEpilogueChunks() * kBarrierBytes;
  }
};

} // namespace conv

#endif // CONV_DIALECT_CONV_IR_WARPGROUPTILE_H
