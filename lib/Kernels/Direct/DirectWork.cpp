//===- DirectWork.cpp - work of a step of a direct kernel -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectWork.h"

#include "DirectUnit.h"
#include "LaneReads.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

static const ::conv::DirectCalibration &fit(const ::conv::ChipInfo &chip) {
  return chip.calibration->direct;
}

static constexpr int64_t kBytesOfWord = 4;
/// Registers of a 16-byte vector.
static constexpr int64_t kWordsOfVector = 4;

/// The number of vectors of `together` elements that contain the elements at `i
/// * one + j * other`.
static int64_t countPlaces(int64_t ones, int64_t one, int64_t others,
                           int64_t other, int64_t together) {
  llvm::SmallSet<int64_t, 32> places;
  for (int64_t i = 0; i < ones; ++i)
    for (int64_t j = 0; j < others; ++j)
      places.insert((i * one + j * other) / together);
  return places.size();
}

/// Passes over shared memory per read of windows, where lanes have vectors of
/// neighbouring matrices, and the next group of lanes reads at `distance`
/// elements further. Vectors that are shorter than 16 bytes count like others.
static double countBatchPasses(const DirectTiling &tiling, int64_t distance) {
  if (tiling.batch.getRank() == 0)
    return 1;
  constexpr int64_t kLanes = 8; // Read 16 bytes each, from all banks.
  int64_t vector = tiling.batch.run;
  int64_t neighbours = tiling.batch.getPadded(tiling.batch.innermost) / vector;
  LaneReads reads{{kLanes, neighbours},
                  {distance / vector * ::conv::kVectorBytes,
                   int64_t(::conv::kVectorBytes)}};
  return double(reads.countPasses());
}

static double countMatrices(const DirectTiling &tiling) {
  return double(tiling.batch.getPadded(tiling.batch.innermost)) /
         double(tiling.batch.run);
}

namespace {
/// What a lane reads for a box: vectors of windows and of the other operand,
/// with as many elements as a product takes of each.
struct BoxReads {
  double windows, others;
  int64_t windowElements, otherElements;

  double countVectors() const { return windows + others; }
  double countElements() const {
    return windows * double(windowElements) + others * double(otherElements);
  }
};
} // namespace

/// Cycles of a compute unit for a box with this many products, reads whose
/// elements are all converted, and stored results.
static double getCycles(const DirectTiling &tiling, double products,
                        const BoxReads &reads, double stored,
                        const ::conv::ChipInfo &chip) {
  // The constants of measured chips were fitted with `batch.run` elements for
  // each vector.
  double elements = chip.isClocked()
                        ? reads.countElements()
                        : reads.countVectors() * double(tiling.batch.run);
  double converted = elements + reads.countVectors();
  return (products + converted + stored * fit(chip).instructionsPerStored +
          fit(chip).instructionsPerBox) /
         chip.fmaPerClock;
}

/// Registers of `elements` of a type with `bytes`. A single element takes a
/// whole register.
static double countWords(int64_t elements, int64_t bytes) {
  return std::max(1., double(elements * bytes) / double(kBytesOfWord));
}

/// Registers of the loads that a lane has in flight while it copies a box.
static double countCopiedWords(const TensorBox &box, int64_t bytes,
                               int64_t workItems) {
  int64_t loads = std::min(
      TensorBox::kLoadsInFlight,
      int64_t(llvm::divideCeil(box.numElements, box.copyWidth * workItems)));
  return double(loads) * countWords(box.copyWidth, bytes);
}

/// Registers of a lane that reads boxes like this one in sequence, of which
/// `together` follow each other in the code, and has `sums`.
static int64_t countRegisters(const DirectTiling &tiling, const BoxReads &reads,
                              double together, double sums, int64_t bytes,
                              int64_t workItems, const ::conv::ChipInfo &chip) {
  double words = reads.windows * countWords(reads.windowElements, bytes) +
                 reads.others * countWords(reads.otherElements, bytes);
  double vectors = std::min(reads.countVectors() * together,
                            double(DirectTiling::kVectorsAhead));
  return countDirectRegisters(
      chip,
      {.sums = sums,
       .ahead = words / reads.countVectors() * vectors,
       .copied = std::max(countCopiedWords(tiling.lhs, bytes, workItems),
                          countCopiedWords(tiling.rhs, bytes, workItems))});
}

/// A box has a run of rows, with all of the innermost digit of the reduction.
static DirectWork computeRowWork(const DirectTiling &tiling, int64_t bytes,
                                 const ::conv::ChipInfo &chip,
                                 int64_t subgroups) {
  DirectWork work;
  size_t firstRow = tiling.batch.getRank();
  size_t firstTap = firstRow + tiling.rows.getRank();
  ArrayRef<int64_t> distances = tiling.lhs.distances;
  int64_t taps = tiling.reduction.digits[tiling.reduction.innermost];
  double columns = double(llvm::product_of(tiling.columns.digits));
  work.boxes = countMatrices(tiling) / double(tiling.rows.run);
  for (size_t d = 0; d < tiling.rows.getRank(); ++d)
    work.boxes *= double(tiling.rows.getPadded(d));
  double lines = double(llvm::product_of(tiling.reduction.digits) / taps);
  work.boxes *= lines;
  work.boxesOfItem = lines;
  int64_t step = distances[firstRow + tiling.rows.innermost];
  double windows =
      double(countPlaces(tiling.rows.run, step, taps,
                         distances[firstTap + tiling.reduction.innermost],
                         tiling.isAlongBatch ? 1 : tiling.rows.run));
  double filter = double(taps) * columns;
  double elements = double(tiling.batch.run * tiling.rows.run) * columns;
  int64_t run = tiling.isAlongBatch ? tiling.batch.run : tiling.rows.run;
  BoxReads reads = {windows, filter, run, tiling.batch.run};
  if (tiling.isAlongBatch)
    work.conflicts = countBatchPasses(tiling, tiling.rows.run * step);
  else if (!chip.isClocked())
    work.conflicts =
        double(getRowReads(tiling, tiling.lhs, bytes).countPasses());
  work.vectors = reads.countVectors();
  work.cycles =
      fit(chip).countedCycles *
      getCycles(tiling, elements * double(taps), reads, elements / lines, chip);
  int64_t workItems = subgroups * chip.subgroupSize;
  work.registers =
      chip.asyncCopyBytes > 0
          ? fit(chip).queue.rowRegisters + int64_t(elements)
          : countRegisters(tiling, reads, tiling.unrollsLines(chip) ? lines : 1,
                           elements, bytes, workItems, chip);
  // A work-item that has nothing to do waits for the others.
  double cycles =
      double(llvm::alignTo(int64_t(work.boxes), workItems)) * work.cycles;
  work.unit =
      fit(chip).queue.rowSetupCycles + fit(chip).queue.rowUnitCycles * cycles;
  work.alone = fit(chip).queue.rowAloneCycles * cycles *
               double(chip.fmaPerClock) / double(workItems);
  return work;
}

/// A box has a run of the reduction, with all rows and all values of the
/// innermost digit of the columns.
static DirectWork computeSharedWork(const DirectTiling &tiling, int64_t bytes,
                                    const ::conv::ChipInfo &chip,
                                    int64_t subgroups, int64_t stages) {
  DirectWork work;
  work.stages = stages;
  size_t firstColumn = tiling.batch.getRank();
  size_t firstTerm = firstColumn + tiling.columns.getRank();
  ArrayRef<int64_t> distances = tiling.rhs.distances;
  int64_t taps = tiling.columns.digits[tiling.columns.innermost];
  int64_t run = tiling.reduction.run;
  int64_t together = tiling.isAlongBatch ? 1 : run;
  double rows = double(llvm::product_of(tiling.rows.digits));
  work.steps = double(tiling.reduction.getNumTiles());
  work.boxes = double(tiling.countSharedBoxes());
  for (size_t d = 0; d < tiling.reduction.getRank(); ++d)
    work.boxes *= double(tiling.reduction.countRuns(d));
  // The box of the next lane has the next matrices, then the next value of a
  // column digit other than the innermost, then the next run.
  int64_t step = distances[firstTerm + tiling.reduction.innermost];
  int64_t next = run * step;
  for (size_t d = 0; d < tiling.columns.getRank(); ++d)
    if (d != tiling.columns.innermost && tiling.columns.digits[d] > 1)
      next = distances[firstColumn + d];
  double windows = double(
      countPlaces(run, step, taps,
                  distances[firstColumn + tiling.columns.innermost], together));
  double others = rows * double(run) / double(together);
  // The measured time of lanes that read along positions includes conflicts.
  if (tiling.isAlongBatch)
    work.conflicts = countBatchPasses(tiling, next);
  int64_t elements = tiling.isAlongBatch ? tiling.batch.run : run;
  BoxReads reads = {windows, others, elements, elements};
  work.vectors = reads.countVectors();
  work.cycles = fit(chip).countedReductionCycles *
                getCycles(tiling, double(tiling.batch.run * run * taps) * rows,
                          reads, /*stored=*/0, chip);
  int64_t sums = tiling.batch.run * llvm::product_of(tiling.rows.digits) * taps;
  work.registers =
      chip.asyncCopyBytes > 0
          ? 2 * sums + fit(chip).fixedRegisters
          : countRegisters(tiling, reads, /*together=*/1, double(sums), bytes,
                           subgroups * chip.subgroupSize, chip);
  return work;
}

/// Number of window vectors that a lane reads for one box on all lines; taps
/// and lines share some of them. The taps have `sizes` values of the digits
/// from number `first` on.
static int64_t countLinePlaces(const DirectTiling &tiling, const TensorBox &box,
                               size_t firstPosition, size_t first,
                               ArrayRef<int64_t> sizes) {
  llvm::SmallSet<int64_t, 32> places;
  for (int64_t i = 0; i < llvm::product_of(sizes); ++i)
    for (int64_t line = 0; line < tiling.lines; ++line) {
      int64_t place = 0;
      if (size_t position = tiling.getPosition(); position > 0)
        place = line * box.distances[firstPosition + position - 1];
      int64_t rest = i;
      for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
        place += rest % sizes[d] * box.distances[first + d];
      places.insert(place);
    }
  return places.size();
}

/// Number of input vectors that a unit's lines read, for one value of a column
/// digit: of channels, or of the taps of a line.
static int64_t countInputPlaces(const DirectTiling &tiling,
                                std::optional<size_t> digit) {
  SmallVector<int64_t> sizes = tiling.columns.digits;
  if (digit)
    sizes[*digit] = 1;
  size_t firstColumn = tiling.batch.getRank();
  return countLinePlaces(tiling, tiling.rhs,
                         firstColumn + tiling.columns.getRank(), firstColumn,
                         sizes);
}

/// A box is the share of a lane in a unit of work.
static DirectWork computeBlockWork(const DirectTiling &tiling,
                                   const ::conv::MatrixAtom &atom,
                                   const ::conv::ChipInfo &chip,
                                   int64_t subgroups, int64_t stages) {
  const DirectBlocks &blocks = *tiling.blocks;
  DirectWork work;
  work.stages = stages;
  work.steps = double(tiling.reduction.getNumTiles());
  work.boxes =
      double(tiling.countVectors() * tiling.countUnits() * chip.subgroupSize);
  work.cycles = double(blocks.countAtoms() * tiling.lines * atom.cycles) /
                (chip.simdsPerComputeUnit * chip.subgroupSize);
  // A lane gets 4 bytes of each run.
  int64_t windows = countInputPlaces(tiling, blocks.column);
  double loads = double(tiling.lines + windows * blocks.columnVectors);
  work.vectors = loads * DirectBlocks::kRuns / kWordsOfVector;
  work.registers = blocks.countAtoms() * atom.m * atom.n / chip.subgroupSize +
                   DirectBlocks::kRuns * (tiling.lines + windows) +
                   fit(chip).fixedRegisters;
  int64_t slices = subgroups / tiling.countVectors();
  double rounds = double(llvm::divideCeil(tiling.countUnits(), slices));
  work.unit = work.steps * rounds * loads * fit(chip).blocks.loadCycles;
  work.waits = work.unit + work.steps * (fit(chip).blocks.stepCycles +
                                         rounds * fit(chip).blocks.unitCycles);
  return work;
}

/// Some units of the last round may have no positions.
static DirectWork computeMatrixWork(const DirectTiling &tiling,
                                    const ::conv::MatrixAtom &atom,
                                    const ::conv::ChipInfo &chip,
                                    int64_t subgroups) {
  DirectWork work;
  int64_t sums = tiling.lines * atom.m * atom.n / chip.subgroupSize;
  work.registers = tiling.countAtoms() * FilterBlocks::kTaps + sums +
                   fit(chip).fixedRegisters;
  int64_t slices = subgroups / tiling.countVectors();
  auto rounds = double(llvm::divideCeil(tiling.countUnits(), slices));
  // A kernel with a single unit reads the filter's blocks where it needs them.
  // ptxas takes seconds for twice as many unrolled atoms.
  constexpr int64_t kMostAtoms = 256;
  work.spills = rounds > 1 && work.registers > chip.registersPerLane;
  work.isLong = tiling.countAtoms() > kMostAtoms;
  auto atoms = double(tiling.countAtoms() * tiling.lines);
  double cycles = fit(chip).queue.atomCycles * atoms * double(atom.cycles) +
                  fit(chip).queue.lineCycles * double(tiling.lines);
  work.alone =
      rounds * (fit(chip).queue.matrixAloneCycles * double(subgroups) + cycles);
  work.unit = rounds * (fit(chip).queue.matrixUnitCycles + cycles) *
              double(subgroups) / double(chip.simdsPerComputeUnit);
  return work;
}

/// Both boxes are read and written once more in full, before channels are
/// multiplied.
static DirectWork computeBandedWork(const DirectTiling &tiling,
                                    const ::conv::ChipInfo &chip,
                                    int64_t subgroups, int64_t stages) {
  const BandedGradient &banded = *tiling.banded;
  constexpr int64_t kMatrix = BandedGradient::kVector * BandedGradient::kRun;
  DirectWork work;
  work.stages = stages;
  work.steps = double(tiling.reduction.getNumTiles());
  work.registers = tiling.countBandedRegisters();
  auto lhs = double(tiling.lhs.numElements / kMatrix);
  auto rhs = double(tiling.rhs.numElements / kMatrix);
  int64_t windows =
      countInputPlaces(tiling, banded.tap) * banded.countClasses();
  double loads = double(tiling.channels * (2 * tiling.lines + 4 * windows));
  double units = double(tiling.countUnits());
  double multiplied =
      units * loads * double(tiling.countShares()); // By all subgroups.
  // With strides, pairs of rows of a matrix have bank conflicts.
  double conflicts = banded.step > 1 ? 2 : 1;
  // Copies write each place; transposing reads and writes each matrix.
  double copied = (lhs + rhs) * 8 / double(tiling.lhs.blocks.vectors);
  work.shared = 4 * conflicts * (lhs + rhs) + multiplied + copied;
  work.waits = fit(chip).bands.stepCycles +
               std::max(work.shared, (lhs + rhs) / double(4 * subgroups) *
                                         fit(chip).bands.transposeCycles);
  work.ends = fit(chip).bands.sumCycles *
              double(llvm::divideCeil(tiling.channels * banded.countAtoms(),
                                      DirectTiling::kPartials));
  if (stages == 1)
    work.waits += fit(chip).bands.copyCycles;
  return work;
}

DirectWork mlir::conv::computeDirectWork(const DirectTiling &tiling,
                                         ScheduleAttr schedule,
                                         const ViewedProduct &product,
                                         const ::conv::ChipInfo &chip) {
  int64_t bytes = getElementBytes(product.lhs.type);
  switch (cast<DirectAttr>(schedule.getKernel()).getMainLoop()) {
  case DirectLoop::Reduction: {
    if (!schedule.reducesBlocks())
      return computeSharedWork(tiling, bytes, chip, schedule.getNumSubgroups(),
                               schedule.getStages());
    if (tiling.banded)
      return computeBandedWork(tiling, chip, schedule.getNumSubgroups(),
                               schedule.getStages());
    return computeBlockWork(tiling,
                            *lookupAtom(chip, schedule.getAtom(),
                                        product.rhs.type.getElementType()),
                            chip, schedule.getNumSubgroups(),
                            schedule.getStages());
  }
  case DirectLoop::Matrix:
    return computeMatrixWork(tiling,
                             *lookupAtom(chip, schedule.getAtom(),
                                         product.rhs.type.getElementType()),
                             chip, schedule.getNumSubgroups());
  case DirectLoop::Rows:
    return computeRowWork(tiling, bytes, chip, schedule.getNumSubgroups());
  }
  llvm_unreachable("every main loop has work");
}

double mlir::conv::getBandedCycles(const DirectWork &work, int64_t workgroups,
                                   int64_t resident,
                                   const ::conv::ChipInfo &chip) {
  auto getRound = [&](int64_t together) {
    // With several stages, only the first copy is waited for.
    return work.steps * std::max(work.waits, double(together) * work.shared) +
           (work.stages > 1 ? fit(chip).bands.copyCycles : 0) + work.ends;
  };
  int64_t atOnce = resident * chip.computeUnits, rest = workgroups % atOnce;
  double cycles = double(workgroups / atOnce) * getRound(resident);
  if (rest > 0)
    cycles += getRound(llvm::divideCeil(rest, chip.computeUnits));
  return cycles;
}
