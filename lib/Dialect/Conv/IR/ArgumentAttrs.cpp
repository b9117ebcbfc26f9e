//===- ArgumentAttrs.cpp - attributes of arguments and results --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies N1 to N4, N6, N7 and X7 of the dialect's description. MLIR verifies
// one attribute at a time, so each name is compared with those before it.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/Prepack.h"
#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

namespace {
/// An argument or a result of a function.
struct Position {
  bool isResult;
  unsigned index;

  std::string describe() const {
    return (isResult ? "result " : "argument ") + std::to_string(index);
  }
  Type getType(FunctionOpInterface function) const {
    return isResult ? function.getResultTypes()[index]
                    : function.getArgumentTypes()[index];
  }
  Attribute getName(FunctionOpInterface function) const {
    return isResult
               ? function.getResultAttr(index, ConvDialect::kNameAttr)
               : Attribute(function.getArgAttr(index, ConvDialect::kNameAttr));
  }
  /// Results have no location of their own.
  Location getLoc(FunctionOpInterface function) const {
    return isResult || function.isExternal()
               ? function.getLoc()
               : function.getArgument(index).getLoc();
  }
};
} // namespace

static SmallVector<Position> listPositions(FunctionOpInterface function) {
  SmallVector<Position> positions;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    positions.push_back({false, i});
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    positions.push_back({true, i});
  return positions;
}

static LogicalResult verifyName(FunctionOpInterface function, Position position,
                                Attribute attribute) {
  constexpr size_t kMaxLength = 4096;
  auto emit = [&] {
    return emitError(position.getLoc(function))
           << "expects " << ConvDialect::kNameAttr << " of "
           << position.describe() << " to be ";
  };
  // N1.
  auto name = dyn_cast<StringAttr>(attribute);
  if (!name)
    return emit() << "a string, but got " << attribute;
  StringRef text = name.getValue();
  if (text.empty() || text.size() > kMaxLength)
    return emit() << "1 to " << kMaxLength << " bytes long, but got "
                  << text.size();
  if (!llvm::json::isUTF8(text) ||
      llvm::any_of(text, [](unsigned char c) { return c < 32 || c == 127; }))
    return emit() << "UTF-8 without control characters, but got " << name;
  // N2.
  for (Position earlier : listPositions(function)) {
    if (earlier.isResult == position.isResult &&
        earlier.index == position.index)
      break;
    if (earlier.getName(function) != name)
      continue;
    InFlightDiagnostic diagnostic = emit();
    diagnostic << "a name of its own, but got " << name << " of "
               << earlier.describe() << " again";
    diagnostic.attachNote(earlier.getLoc(function)) << "the first is here";
    return diagnostic;
  }
  return success();
}

/// Checks N4 for positive strides. A dynamic dimension must be outermost: no
/// other stride may be outside of it.
static bool isApart(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  constexpr int64_t kAny = int64_t(1) << 31;
  SmallVector<std::pair<int64_t, int64_t>> steps; // Stride, size.
  for (auto [size, stride] : llvm::zip(shape, strides))
    if (size > 1 || ShapedType::isDynamic(size))
      steps.push_back({stride, ShapedType::isDynamic(size) ? kAny : size});
  llvm::sort(steps);
  int64_t span = 1; // No overflow: N3 was checked before.
  for (auto [stride, size] : steps) {
    int64_t step;
    if (stride < span || llvm::MulOverflow(size - 1, stride, step) ||
        llvm::AddOverflow(span, step, span))
      return false;
  }
  return true;
}

std::optional<int64_t> mlir::conv::computeExtent(ArrayRef<int64_t> shape,
                                                 ArrayRef<int64_t> strides) {
  int64_t extent = 1, step;
  for (auto [size, stride] : llvm::zip(shape, strides))
    if (ShapedType::isDynamic(size))
      continue; // Callers' sizes are checked when they are known.
    else if (llvm::MulOverflow(size - 1, stride, step) ||
             llvm::AddOverflow(extent, step, extent))
      return std::nullopt;
  return extent;
}

SmallVector<int64_t>
mlir::conv::computeContiguousStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] =
        ShapedType::isDynamic(strides[d]) || ShapedType::isDynamic(shape[d])
            ? ShapedType::kDynamic
            : strides[d] * shape[d];
  return strides;
}

static LogicalResult verifyStrides(FunctionOpInterface function,
                                   Position position, Attribute attribute) {
  auto emit = [&] {
    return emitError(position.getLoc(function))
           << "expects " << ConvDialect::kStridesAttr << " of "
           << position.describe() << " to be ";
  };
  auto type = dyn_cast<RankedTensorType>(position.getType(function));
  auto strides = dyn_cast<DenseI64ArrayAttr>(attribute);
  // N3.
  if (!type || !type.getElementType().isIntOrFloat() || !strides ||
      static_cast<int64_t>(strides.size()) != type.getRank() ||
      llvm::any_of(strides.asArrayRef(), [](int64_t s) { return s <= 0; }))
    return emit() << "one positive stride for each dimension of a tensor of "
                     "numbers, but got "
                  << attribute << " for " << position.getType(function);
  std::optional<int64_t> extent = computeExtent(type.getShape(), strides);
  int64_t bytes;
  if (!extent ||
      llvm::MulOverflow<int64_t>(*extent, getElementBytes(type), bytes))
    return emit() << "fewer than 2^63 bytes apart, but got " << attribute;
  // N4.
  if (!isApart(type.getShape(), strides))
    return emit() << "strides of elements that do not overlap, but got "
                  << attribute << " for " << type;
  return success();
}

SmallVector<int64_t> mlir::conv::getArgumentStrides(Attribute attribute,
                                                    Type type) {
  if (auto strides = dyn_cast_if_present<DenseI64ArrayAttr>(attribute))
    return llvm::to_vector(strides.asArrayRef());
  return computeContiguousStrides(cast<RankedTensorType>(type).getShape());
}

/// Checks N6.
static LogicalResult verifyConstant(FunctionOpInterface function,
                                    Position position, Attribute attribute) {
  constexpr size_t kDigits = 64; // Of SHA-256.
  if (auto digest = dyn_cast<StringAttr>(attribute))
    if (digest.getValue().size() == kDigits &&
        digest.getValue().find_first_not_of("0123456789abcdef") ==
            StringRef::npos)
      return success();
  Type type = position.getType(function);
  if (auto elements = dyn_cast<ElementsAttr>(attribute);
      elements && elements.getType() == type)
    return success();
  InFlightDiagnostic diagnostic =
      emitError(position.getLoc(function))
      << "expects " << ConvDialect::kConstantAttr << " of "
      << position.describe() << " to be elements of type " << type
      << " or a digest of " << kDigits << " hex digits, but got ";
  if (auto elements = dyn_cast<ElementsAttr>(attribute))
    return diagnostic << "elements of type " << elements.getType();
  return diagnostic << "another attribute";
}

/// Checks N7.
static LogicalResult verifyInPlace(FunctionOpInterface function,
                                   Position position, Attribute attribute) {
  auto emit = [&] {
    return emitError(position.getLoc(function))
           << "expects " << ConvDialect::kInPlaceAttr << " of "
           << position.describe() << " to be ";
  };
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || !number.getType().isInteger(64) || number.getInt() < 0 ||
      number.getInt() >= function.getNumResults())
    return emit() << "the number of one of " << function.getNumResults()
                  << " results, but got " << attribute;
  auto result = unsigned(number.getInt());
  Type type = position.getType(function);
  if (function.getResultTypes()[result] != type)
    return emit() << "a result of its type " << type << ", but got "
                  << function.getResultTypes()[result];
  if (!function.getResultAttrs(result).empty())
    return emit() << "a result without attributes, but got some on result "
                  << result;
  if (function.getArgAttr(position.index, ConvDialect::kConstantAttr))
    return emit() << "on an argument that callers pass, but got a constant";
  for (unsigned i = 0; i < position.index; ++i)
    if (function.getArgAttr(i, ConvDialect::kInPlaceAttr) == number)
      return emit() << "a result of no other argument, but got " << result
                    << " of argument " << i << " again";
  return success();
}

/// N9.
static LogicalResult verifyPrepack(FunctionOpInterface function,
                                   Position position, Attribute attribute) {
  bool isPassed =
      isa<RankedTensorType>(position.getType(function)) &&
      !function.getArgAttr(position.index, ConvDialect::kConstantAttr) &&
      !function.getArgAttr(position.index, ConvDialect::kInPlaceAttr);
  if (isa<UnitAttr>(attribute) && isPassed)
    return success();
  return emitError(position.getLoc(function))
         << "expects " << kPrepackAttr << " of " << position.describe()
         << " to be without a value, on a tensor that callers pass and that is "
            "only read, but got "
         << attribute << " on " << position.getType(function);
}

/// N10.
static LogicalResult verifyPackedBy(FunctionOpInterface function,
                                    Position position, Attribute attribute) {
  if (isa<FlatSymbolRefAttr>(attribute))
    return success();
  return emitError(position.getLoc(function))
         << "expects " << kPackedByAttr << " of " << position.describe()
         << " to be the name of a function, but got " << attribute;
}

std::optional<unsigned>
mlir::conv::getResultInPlace(FunctionOpInterface function, unsigned argument) {
  auto number = dyn_cast_if_present<IntegerAttr>(
      function.getArgAttr(argument, ConvDialect::kInPlaceAttr));
  if (!number)
    return std::nullopt;
  return unsigned(number.getInt());
}

std::optional<unsigned>
mlir::conv::getArgumentInPlace(FunctionOpInterface function, unsigned result) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (getResultInPlace(function, i) == result)
      return i;
  return std::nullopt;
}

ArgumentPlace mlir::conv::getArgumentPlace(FunctionOpInterface function,
                                           unsigned argument) {
  auto isConstant = [&](unsigned i) {
    return bool(function.getArgAttr(i, ConvDialect::kConstantAttr));
  };
  int64_t constants = llvm::count_if(llvm::seq(argument), isConstant);
  if (isConstant(argument))
    return {true, constants};
  return {false, int64_t(argument) - constants};
}

namespace {
/// An attribute of this dialect on arguments of functions, or on both arguments
/// and results.
struct KnownAttribute {
  StringRef name;
  bool isOnResults;
  LogicalResult (*verify)(FunctionOpInterface, Position, Attribute);
};
} // namespace

static constexpr KnownAttribute kKnownAttributes[] = {
    {ConvDialect::kNameAttr, true, verifyName},
    {ConvDialect::kStridesAttr, true, verifyStrides},
    {ConvDialect::kConstantAttr, false, verifyConstant},
    {ConvDialect::kInPlaceAttr, false, verifyInPlace},
    {kPrepackAttr, false, verifyPrepack},
    {kPackedByAttr, false, verifyPackedBy},
};

/// Verifies `attribute`, one of this dialect's, at `position` of `op`.
static LogicalResult verify(Operation *op, Position position,
                            NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError("expects ")
           << attribute.getName() << " on functions only, but got "
           << op->getName();
  SmallVector<StringRef> names;
  for (const KnownAttribute &known : kKnownAttributes) {
    if (position.isResult && !known.isOnResults)
      continue;
    if (known.name == attribute.getName())
      return known.verify(function, position, attribute.getValue());
    names.push_back(known.name);
  }
  return op->emitOpError("expects ")
         << llvm::join(names, ", ") << " as the only attributes of "
         << position.describe() << ", but got " << attribute.getName();
}

/// Checks X7.
static LogicalResult verifyTensorMapArgument(Operation *op, unsigned index) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function ? function.getArgumentTypes()[index] : Type();
  if (isa_and_nonnull<LLVM::LLVMPointerType>(type))
    return success();
  return op->emitOpError("expects ")
         << TensorMapAttr::kArgumentName
         << " on an argument of a function that is a pointer, but got " << type;
}

LogicalResult ConvDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned index,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == TensorMapAttr::kArgumentName)
    return verifyTensorMapArgument(op, index);
  return verify(op, {/*isResult=*/false, index}, attribute);
}

LogicalResult ConvDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  return verify(op, {/*isResult=*/true, index}, attribute);
}
