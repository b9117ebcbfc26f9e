//===- MovementToLoops.cpp - data movement to element-wise ops --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Movement is a list of positions for each dimension, whichever ops wrote it
// (DataMovement.h). If positions are equally spaced, an element-wise op reads
// the source there. If each position is repeated equally often, the dimension
// becomes two loops, and the result is reshaped.
//
//===----------------------------------------------------------------------===//

#include "MovementToLoops.h"

#include "DataMovement.h"
#include "RaiseUtils.h"

#include "conv/Dialect/Conv/IR/ElementwiseViews.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Position `i` is `first + i / repeat * stride`.
struct Steps {
  int64_t first, stride, repeat;
};
} // namespace

static std::optional<Steps> matchSteps(const MovedDimension &dimension) {
  int64_t size = dimension.size, repeat = 1;
  if (size == 0)
    return std::nullopt;
  Steps steps{dimension.getPosition(0), 0, 1};
  while (repeat < size && dimension.getPosition(repeat) == steps.first)
    ++repeat;
  steps.repeat = repeat;
  if (repeat < size)
    steps.stride = dimension.getPosition(repeat) - steps.first;
  for (int64_t i = 0; i < size; ++i)
    if (dimension.getPosition(i) == MovedDimension::kZero ||
        dimension.getPosition(i) != steps.first + i / repeat * steps.stride)
      return std::nullopt;
  return size % repeat == 0 ? std::optional(steps) : std::nullopt;
}

namespace {
/// The loops over a tensor that is read from a source.
class Loops {
public:
  explicit Loops(const Movement &movement)
      : sizes(movement.getSourceSizes()), isRead(sizes.size()) {}

  /// Adds the loops of one dimension of the tensor.
  LogicalResult add(const MovedDimension &dimension, MLIRContext *context);
  /// Whether all source dimensions of size > 1 are indexed.
  bool areKnown() const;

  SmallVector<int64_t> sizes; ///< Of the source.
  llvm::SmallBitVector isRead;
  SmallVector<AffineExpr> coordinates;             ///< Of the source.
  SmallVector<int64_t> shape;                      ///< Of the loops.
  SmallVector<ReassociationIndices> reassociation; ///< To the tensor's shape.
};
} // namespace

LogicalResult Loops::add(const MovedDimension &dimension,
                         MLIRContext *context) {
  coordinates.resize(sizes.size(), getAffineConstantExpr(0, context));
  std::optional<Steps> steps = matchSteps(dimension);
  if (!steps || (dimension.source && isRead[*dimension.source]))
    return failure();
  int64_t count = dimension.size / steps->repeat;
  int64_t loop = shape.size();
  if (dimension.source) {
    isRead.set(*dimension.source);
    int64_t size = sizes[*dimension.source];
    AffineExpr index = getAffineDimExpr(loop, context);
    bool isStart = steps->first == 0 && steps->stride == 1 && count < size;
    coordinates[*dimension.source] =
        count == 1 ? getAffineConstantExpr(steps->first, context)
        : isStart  ? index % size // See `computeReadCoordinates`.
                   : index * steps->stride + steps->first;
  }
  reassociation.push_back({loop});
  shape.push_back(count == 1 ? dimension.size : count);
  if (count != 1 && steps->repeat != 1) {
    reassociation.back().push_back(loop + 1);
    shape.push_back(steps->repeat);
  }
  return success();
}

bool Loops::areKnown() const {
  for (auto [d, size] : llvm::enumerate(sizes))
    if (!isRead[d] && size != 1)
      return false;
  return true;
}

/// Creates loops that read the elements of `tensor` at their source, or null.
static Value createLoops(OpBuilder &builder, Value tensor) {
  Movement movement = readMovement(tensor, kMaxMovementOps);
  if (!movement.source || movement.source == tensor)
    return nullptr;
  Loops loops(movement);
  for (const MovedDimension &dimension : movement.dimensions)
    if (failed(loops.add(dimension, builder.getContext())))
      return nullptr;
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!loops.areKnown() || loops.shape.empty() || loops.coordinates.empty())
    return nullptr;
  Location loc = tensor.getLoc();
  int64_t rank = loops.shape.size();
  Value source = movement.createSource(builder);
  Value empty =
      tensor::EmptyOp::create(builder, loc, loops.shape, type.getElementType());
  auto read = AffineMap::get(rank, 0, loops.coordinates, builder.getContext());
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{empty.getType()}, ValueRange{source},
      ValueRange{empty},
      ArrayRef<AffineMap>{read, builder.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [](OpBuilder &nested, Location loc, ValueRange elements) {
        linalg::YieldOp::create(nested, loc, elements.front());
      });
  if (rank == type.getRank())
    return generic.getResult(0);
  return tensor::CollapseShapeOp::create(
      builder, loc, type, generic.getResult(0), loops.reassociation);
}

namespace {
/// A tensor that is inserted into another one.
struct Part {
  Value tensor;
  SmallVector<int64_t> offsets;
};
} // namespace

/// The tensors that insertions put into an empty tensor, the last one first;
/// none if the tensor is not empty.
static SmallVector<Part> collectInsertions(tensor::InsertSliceOp last) {
  SmallVector<Part> parts;
  for (tensor::InsertSliceOp op = last; op;) {
    auto offsets = getConstantIntValues(op.getMixedOffsets());
    auto strides = getConstantIntValues(op.getMixedStrides());
    bool isPlain = strides && llvm::all_equal(*strides) &&
                   (strides->empty() || strides->front() == 1);
    if (!offsets || !isPlain || !op.getSourceType().hasStaticShape() ||
        op.getSourceType().getRank() != op.getType().getRank() ||
        (op != last && !op->hasOneUse()))
      return {};
    parts.push_back({op.getSource(), *offsets});
    if (op.getDest().getDefiningOp<tensor::EmptyOp>())
      return parts;
    op = op.getDest().getDefiningOp<tensor::InsertSliceOp>();
  }
  return {};
}

/// The dimension in which `part` is smaller than the whole, or none if there
/// are several.
static std::optional<int64_t> findDimension(const Part &part,
                                            ArrayRef<int64_t> shape) {
  std::optional<int64_t> found;
  ArrayRef<int64_t> own =
      cast<RankedTensorType>(part.tensor.getType()).getShape();
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (own[d] == size && part.offsets[d] == 0)
      continue;
    if (found)
      return std::nullopt;
    found = d;
  }
  return found;
}

/// Creates the concatenation equivalent to the insertions, or null.
static Value createConcatenation(OpBuilder &builder,
                                 tensor::InsertSliceOp last) {
  SmallVector<Part> parts = collectInsertions(last);
  if (parts.size() < 2)
    return nullptr;
  ArrayRef<int64_t> shape = last.getType().getShape();
  std::optional<int64_t> dimension = findDimension(parts.front(), shape);
  if (!dimension)
    return nullptr;
  llvm::sort(parts, [&](const Part &lhs, const Part &rhs) {
    return lhs.offsets[*dimension] < rhs.offsets[*dimension];
  });
  SmallVector<Value> tensors;
  int64_t end = 0;
  for (const Part &part : parts) {
    if (findDimension(part, shape) != dimension ||
        part.offsets[*dimension] != end)
      return nullptr;
    end += cast<RankedTensorType>(part.tensor.getType()).getDimSize(*dimension);
    tensors.push_back(part.tensor);
  }
  if (end != shape[*dimension])
    return nullptr;
  return tensor::ConcatOp::create(builder, last.getLoc(), last.getType(),
                                  builder.getI64IntegerAttr(*dimension),
                                  tensors);
}

/// Whether `op` moves elements in a way that no kernel supports.
static bool isMovement(Operation &op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic.getNumDpsInits() == 1 &&
           generic.getBody()
               ->getTerminator()
               ->getOperand(0)
               .getDefiningOp<tensor::ExtractOp>();
  return isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(op);
}

void mlir::conv::moveByLoops(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return;
  // Consumers first: their operands then often have no other use.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front()))) {
    if (!isMovement(op) || op.use_empty())
      continue;
    auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
    if (!type || !type.hasStaticShape())
      continue;
    OpBuilder builder(&op);
    Value moved = createLoops(builder, op.getResult(0));
    if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op);
        insertion && !moved)
      moved = createConcatenation(builder, insertion);
    if (moved)
      op.getResult(0).replaceAllUsesWith(moved);
  }
  eraseDeadOps(function);
}
