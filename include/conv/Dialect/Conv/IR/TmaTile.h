//===- TmaTile.h - what a workgroup of the tma main loop has ----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work-items, registers and shared memory that follow from the tile of a `tma`
// schedule: asked by the schedule's verifier, by the cost model and by the
// kernel. Plain numbers, nothing of the IR.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_DIALECT_CONV_IR_TMATILE_H
#define CONV_DIALECT_CONV_IR_TMATILE_H

#include "conv/Support/IntegerMath.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace conv {

/// The rows of a tile of the gradient of a filter whose rows are taps: those of
/// a line of taps, each with 64 channels, then those of the next line. All of
/// them see one halo tile of a block of positions.
struct TapRows {
  static constexpr int64_t kBlockSize = 8, kAtomRows = 64, kRowBytes = 128;
  static constexpr int64_t kAlignment = 1024;

  int64_t lines = 0;    ///< Of the filter; 0 if taps are no rows.
  int64_t taps = 1;     ///< Of a line.
  int64_t dilation = 1; ///< From line to line, in lines of positions.
  int64_t pitch = 0;    ///< Elements of a line of the halo tile.

  bool areRows() const { return lines > 0; }
  /// Lines of taps of a tile with so many rows; 0 if those are not lines that
  /// divide the filter's.
  int64_t countLines(int64_t rows) const {
    int64_t own = rows / (taps * kAtomRows);
    return own > 0 && rows % (taps * kAtomRows) == 0 && lines % own == 0 ? own
                                                                         : 0;
  }
  /// Lines of the halo tile, the bytes that are copied of it, and those up to
  /// where the next tile can start.
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

/// A pipeline of operand tiles that one warpgroup fills and `consumers` others
/// multiply, or one of halo tiles of the left operand and one of right tiles.
/// Right tiles may be halo tiles too. Elements of operands have two bytes, but
/// may have others if the reduction is innermost.
struct TmaTile {
  static constexpr int64_t kWarpgroupSize = 128;
  static constexpr int64_t kWarps = 4; ///< Of a warpgroup.
  static constexpr int64_t kMaxConsumers = 3;
  static constexpr int64_t kElementBytes = 2;
  static constexpr int64_t kSumBytes = 4;
  /// Of an operand's element that is converted to parts, an f32.
  static constexpr int64_t kConvertedBytes = 4;
  /// What strides in memory and widths of rows are multiples of, in bytes and
  /// in elements.
  static constexpr int64_t kGranuleBytes = 16;
  static constexpr int64_t kGranule = kGranuleBytes / kElementBytes;
  /// A row of a tile of an operand: elements of the reduction, and their bytes,
  /// which is as far as a swizzle reaches.
  static constexpr int64_t kRowElements = 64;
  static constexpr int64_t kRowBytes = kRowElements * kElementBytes;
  /// What an instruction reads of a row, whatever its elements are.
  static constexpr int64_t kAtomBytes = 32;
  static constexpr int64_t kAtomsPerRow = kRowBytes / kAtomBytes;
  /// The least row of a result that is copied, and that is swizzled if others
  /// are longer.
  static constexpr int64_t kMinChunkRowBytes = 32;
  static constexpr int64_t kMinSwizzledRowBytes = 64;
  /// Rows of the result that one instruction computes.
  static constexpr int64_t kAtomRows = 64;
  /// Most rows that a workgroup has: the box of one copy, or several halo
  /// tiles.
  static constexpr int64_t kMaxRows = 256;
  static constexpr int64_t kMaxRowsOfHaloTiles = 512;
  static constexpr int64_t kMaxRowsOfTaps = 576;
  /// Of halo tiles, those rows are blocks of so many positions a side. So are
  /// the steps of a reduction over positions.
  static constexpr int64_t kBlockSize = 8;
  /// Halo tiles of one slot are multiplied while those of the other one arrive.
  static constexpr int64_t kHaloTileSlots = 2;
  /// Converted parts of one stage are multiplied while the next ones are made.
  static constexpr int64_t kConvertedStages = 2;
  /// Bytes of a mbarrier.
  static constexpr int64_t kBarrierBytes = 8;
  /// Shared memory starts at a multiple of this, for the swizzle.
  static constexpr int64_t kAlignment = 1024;

  int64_t rows = 0, columns = 0; ///< Of the workgroup.
  int64_t stages = 0;
  int64_t consumers = 0;
  /// Of the halo tiles that have the left operand of all taps, and are in slots
  /// of their own; 0 if stages have the left operand of each tap.
  int64_t haloTileBytes = 0;
  /// Of the halo tile that has the columns of a line of taps, and is in a
  /// stage; 0 if that has the right operand of each tap.
  int64_t rightHaloTileBytes = 0;
  /// The same of the halo tile that has the rows of several taps.
  int64_t leftHaloTileBytes = 0;
  /// Whether results may leave by copies, from shared memory, and the bytes of
  /// an element of them.
  bool isStaged = true;
  int64_t resultBytes = kElementBytes;
  /// Warpgroups that write tiles of the right operand, if copies do not.
  int64_t im2colWarps = 0;
  /// Rows of the right operand's tiles are of columns, not of the reduction.
  bool isRightTransposed = false;
  /// Workgroups that share the reduction of the tile, each with its own
  /// pipeline, and then its columns.
  int64_t cluster = 1;
  /// Parts of the right operand that warps beside the producer's write for each
  /// stage, with the reduction innermost: tf32 of an f32, and of what that
  /// leaves. The left operand's parts are in registers. 0 if instructions read
  /// both operands as they were copied.
  int64_t convertedParts = 0;
  /// Instructions take rows of 16-bit elements along the reduction or across
  /// it, others only along it.
  static constexpr int64_t
  countConvertedParts(bool is3xTF32, int64_t elementBytes, bool isTransposed) {
    return is3xTF32                                          ? 2
           : elementBytes == kConvertedBytes && isTransposed ? 1
                                                             : 0;
  }
  /// Products that instructions add up before their sum is added to the others
  /// in f32: one, two or four instructions of 8-bit floats. 0 if instructions
  /// add to all sums before.
  int64_t promotion = 0;
  static constexpr int64_t kMaxPromotion = 128;
  bool promotes() const { return promotion > 0; }
  /// Whether copies bring an operand of the epilogue, chunk by chunk, to where
  /// the results that it becomes leave from.
  bool isEpilogueCopied = false;

  /// Warpgroups beside the one that copies.
  int64_t workers() const { return consumers + im2colWarps; }
  int64_t workItems() const { return (1 + workers()) * kWarpgroupSize; }
  int64_t consumerWarps() const { return kWarps * consumers; }
  /// Instructions along the rows that a consumer issues for each step of k.
  int64_t atomsPerConsumer() const { return rows / consumers / kAtomRows; }
  /// Registers of a lane that hold sums.
  int64_t accumulators() const { return atomsPerConsumer() * columns / 2; }
  /// Sums of converted parts, and promoted sums, are added to those of the
  /// steps before in f32: there are two of each.
  int64_t maxAccumulators() const {
    if (isConverted())
      return workers() > 2 ? 48 : 80;
    int64_t registers = workers() > 2 ? 128 : 192;
    return promotes() ? registers / 2 : registers;
  }
  /// Columns of an instruction that assembles with `launchRegisters`.
  int64_t maxColumns() const {
    return isConverted() ? 160 : workers() == 2 ? 256 : 192;
  }
  /// What tiles of columns innermost need if columns are taps and channels.
  bool hasWholeRowsOfColumns() const { return columns % kRowElements == 0; }
  /// Columns of the right operand's tiles: transposed ones have whole rows.
  int64_t rightColumns() const {
    return isRightTransposed ? roundUp(columns, kRowElements) : columns;
  }

  /// Columns of which an instruction gives a lane whole pieces of sums: what a
  /// workgroup's share of the columns is a multiple of.
  static constexpr int64_t kPieceColumns = 8;
  bool hasWholeShares() const {
    return cluster == 1 ||
           (columns % cluster == 0 && columns / cluster % kPieceColumns == 0);
  }
  /// The part of the tile that one workgroup of a cluster stores.
  TmaTile share() const {
    TmaTile part = *this;
    part.columns /= cluster;
    part.cluster = 1;
    return part;
  }
  /// Sums of a share, and those that a workgroup of a cluster gets: one of
  /// each.
  int64_t shareBytes() const { return rows * share().columns * kSumBytes; }
  int64_t exchangeBytes() const {
    return cluster > 1 ? cluster * shareBytes() : 0;
  }

  /// Registers of a work-item at launch, and what producers and consumers
  /// change that to. More than one lane copies if the epilogue's operand is
  /// copied.
  int64_t launchRegisters() const {
    return workers() == 2 ? 168 : workers() == 1 && hasHelpers() ? 144 : 128;
  }
  int64_t producerRegisters() const {
    if (workers() == 2)
      return isConverted() ? 72 : 40;
    return hasHelpers() ? 56 : workers() == 1 ? 24 : 32;
  }
  int64_t consumerRegisters() const {
    if (workers() == 3)
      return hasHelpers() ? 152 : 160;
    return workers() == 2 && isConverted() ? 216 : 232;
  }

  int64_t leftBytes() const {
    return leftHaloTileBytes > 0 ? leftHaloTileBytes : rows * kRowBytes;
  }
  int64_t rightBytes() const {
    return rightHaloTileBytes > 0 ? rightHaloTileBytes
                                  : rightColumns() * kRowBytes;
  }
  /// Whether slots have the left operand.
  bool hasSlots() const { return haloTileBytes > 0; }
  bool isConverted() const { return convertedParts > 0; }
  /// Whether warps beside the producer's work.
  bool hasHelpers() const { return isEpilogueCopied || isConverted(); }
  int64_t stageBytes() const {
    return hasSlots() ? rightBytes() : leftBytes() + rightBytes();
  }
  int64_t haloTileSlots() const { return hasSlots() ? kHaloTileSlots : 0; }
  /// Where the first slot is, and tiles of both operands of the first stage.
  int64_t haloTileOffset() const { return stages * stageBytes(); }
  int64_t leftOffset() const { return hasSlots() ? haloTileOffset() : 0; }
  int64_t rightOffset() const { return hasSlots() ? 0 : leftBytes(); }

  /// A pipeline of the right operand's parts, after the stages in memory: rows
  /// of columns.
  int64_t convertedOffset() const { return stages * stageBytes(); }
  /// What a warp converts at a time.
  static constexpr int64_t kConvertedColumns = 32;
  bool hasWholeConvertedColumns() const {
    return columns % kConvertedColumns == 0;
  }
  int64_t convertedPartBytes() const { return columns * kRowBytes; }
  int64_t convertedBytes() const {
    return convertedParts * convertedPartBytes();
  }
  int64_t convertedStages() const {
    return isConverted() ? kConvertedStages : 0;
  }

  /// Whether rows of so many bytes are swizzled: 32, 64 or 128.
  static constexpr bool isSwizzled(int64_t rowBytes) {
    return kRowBytes % rowBytes == 0;
  }
  /// Columns that one copy to the result takes: a swizzled row, or all, in rows
  /// that are not swizzled, if the swizzled ones would be short. Less than the
  /// shortest row has are not copied.
  int64_t chunkColumns() const {
    int64_t swizzled = std::gcd(columns, kRowBytes / resultBytes);
    return swizzled * resultBytes < kMinSwizzledRowBytes ? columns : swizzled;
  }
  int64_t chunkRowBytes() const { return chunkColumns() * resultBytes; }
  bool hasChunks() const {
    return chunkRowBytes() >= kMinChunkRowBytes &&
           chunkRowBytes() % kGranuleBytes == 0;
  }
  int64_t chunkBytes() const { return kAtomRows * chunkRowBytes(); }
  /// Columns of an atom's rows that are staged at a time: about half of them if
  /// elements are twice as long, for which stages would have to go.
  int64_t stagedColumns() const {
    if (isEpilogueCopied || resultBytes <= kElementBytes)
      return columns;
    int64_t fit = ceilDiv(columns * kElementBytes, resultBytes);
    return std::min(columns, roundUp(fit, chunkColumns()));
  }
  /// Where a consumer puts the rows of one atom before they are copied; of all
  /// its atoms, if the epilogue's operand comes there while it multiplies.
  int64_t stagingBytes() const {
    int64_t atoms = isEpilogueCopied ? atomsPerConsumer() : 1;
    int64_t rowBytes = share().stagedColumns() * resultBytes;
    return isStaged ? atoms * kAtomRows * rowBytes : 0;
  }
  /// Chunks of a consumer's operand of the epilogue: those of all its atoms.
  int64_t countEpilogueChunks() const {
    return isEpilogueCopied ? stagingBytes() / chunkBytes() : 0;
  }
  /// Whether an operand of the epilogue can be copied. Of a cluster's tile,
  /// lanes load the few columns of a share as early.
  bool canCopyEpilogue() const {
    return cluster == 1 && isStaged && hasChunks() && !isConverted();
  }
  /// Copies it if it fits so much shared memory.
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

  /// One barrier for "full" and one for "empty" of each stage, then of each
  /// slot or stage of converted parts.
  int64_t barrierOffset() const {
    return stagingOffset() + consumers * stagingBytes();
  }
  int64_t haloTileBarrierOffset() const {
    return barrierOffset() + 2 * stages * kBarrierBytes;
  }
  /// Of a cluster, one for the sums of each consumer.
  int64_t exchangeBarrierOffset() const {
    return haloTileBarrierOffset() +
           2 * (haloTileSlots() + convertedStages()) * kBarrierBytes;
  }
  /// Of the epilogue's operand, one for "full" and one for "empty" of each
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

#endif // CONV_DIALECT_CONV_IR_TMATILE_H
