//===- ConvAttrs.cpp - verification of attributes ---------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies what attributes can check by themselves. `verifyScheduleForChip`
// checks a schedule against the chip, once the target is known.
//
//===----------------------------------------------------------------------===//

#include "OptionSyntax.h"

#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::conv;

#include "conv/Dialect/Conv/IR/ConvEnums.cpp.inc"
#include "conv/Dialect/Conv/IR/KernelAttrInterface.cpp.inc"

/// The name of a value in a list of values and names.
template <typename Enum, size_t N>
static StringRef lookupName(const std::pair<Enum, std::string_view> (&list)[N],
                            Enum value) {
  return llvm::find_if(list,
                       [&](const auto &one) { return one.first == value; })
      ->second;
}

/// Parses a name and returns its value.
template <typename Enum, size_t N>
static FailureOr<Enum>
parseName(AsmParser &parser, const std::pair<Enum, std::string_view> (&list)[N],
          StringRef what) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseKeyword(&keyword)))
    return failure();
  for (auto [value, name] : list)
    if (keyword == StringRef(name))
      return value;
  InFlightDiagnostic diagnostic = parser.emitError(loc)
                                  << "expects " << what << " to be one of ";
  llvm::interleaveComma(list, diagnostic, [&](const auto &one) {
    diagnostic << StringRef(one.second);
  });
  diagnostic << ", but got " << keyword;
  return failure();
}

StringRef mlir::conv::stringifyAtomKind(AtomKind kind) {
  return lookupName(::conv::kAtomKinds, kind);
}
StringRef mlir::conv::stringifyLoop(StagedLoop mainLoop) {
  return lookupName(::conv::kStagedLoops, mainLoop);
}
StringRef mlir::conv::stringifyLoop(DirectLoop mainLoop) {
  return lookupName(::conv::kDirectLoops, mainLoop);
}
FailureOr<AtomKind> mlir::FieldParser<AtomKind>::parse(AsmParser &parser) {
  return parseName(parser, ::conv::kAtomKinds, "the kind of atom");
}
FailureOr<StagedLoop> mlir::FieldParser<StagedLoop>::parse(AsmParser &parser) {
  return parseName(parser, ::conv::kStagedLoops, "main_loop");
}
FailureOr<DirectLoop> mlir::FieldParser<DirectLoop>::parse(AsmParser &parser) {
  return parseName(parser, ::conv::kDirectLoops, "main_loop");
}

#define GET_ATTRDEF_CLASSES
#include "conv/Dialect/Conv/IR/ConvAttrs.cpp.inc"

void ConvDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "conv/Dialect/Conv/IR/ConvAttrs.cpp.inc"
      >();
}

using EmitError = function_ref<InFlightDiagnostic()>;

static bool isPositive(int64_t value) { return value > 0; }
static bool isNegative(int64_t value) { return value < 0; }

LogicalResult WindowAttr::verify(EmitError emitError, ArrayRef<int64_t> strides,
                                 ArrayRef<int64_t> dilations,
                                 ArrayRef<int64_t> low,
                                 ArrayRef<int64_t> high) {
  // W1.
  if (strides.empty() || strides.size() > 3)
    return emitError() << "expects 1 to 3 spatial dimensions, but got "
                       << strides.size();
  for (auto [name, list] : {std::pair("dilations", dilations),
                            std::pair("low", low), std::pair("high", high)})
    if (list.size() != strides.size())
      return emitError() << "expects " << name << " to have " << strides.size()
                         << " entries like strides, but got " << list.size();
  // W2.
  for (auto [name, list] :
       {std::pair("strides", strides), std::pair("dilations", dilations)})
    if (!llvm::all_of(list, isPositive))
      return emitError() << "expects " << name << " to be positive, but got ["
                         << list << "]";
  // W3.
  for (auto [name, list] : {std::pair("low", low), std::pair("high", high)})
    if (llvm::any_of(list, isNegative))
      return emitError() << "expects " << name
                         << " to be non-negative, but got [" << list << "]";
  return success();
}

/// Checks L1 for one operand and returns its number of spatial dimensions.
static FailureOr<int64_t> verifyOrder(EmitError emitError, StringRef operand,
                                      StringRef order, StringRef channels,
                                      StringRef spatialLetters) {
  // L2, of one operand: the number of dimensions determines its letters.
  int64_t rank = static_cast<int64_t>(order.size() - channels.size()) -
                 order.contains('G');
  if (order.size() < channels.size() || rank < 1 || rank > 3)
    return emitError() << "expects the order of the " << operand
                       << " to have 1 to 3 spatial dimensions, but got \""
                       << order << '"';
  // L1.
  std::string letters = (channels + spatialLetters.take_back(rank)).str();
  if (order.contains('G'))
    letters += 'G';
  if (!std::is_permutation(order.begin(), order.end(), letters.begin(),
                           letters.end()))
    return emitError() << "expects the order of the " << operand
                       << " to be a permutation of \"" << letters
                       << "\", but got \"" << order << '"';
  return rank;
}

LogicalResult LayoutsAttr::verify(EmitError emitError, StringRef input,
                                  StringRef filter, StringRef output) {
  // L1.
  struct Operand {
    StringRef name, order, channels, spatialLetters;
  };
  SmallVector<int64_t, 3> ranks;
  for (const Operand &operand : {Operand{"input", input, "NC", "DHW"},
                                 Operand{"filter", filter, "KC", "TRS"},
                                 Operand{"output", output, "NK", "ZPQ"}}) {
    FailureOr<int64_t> rank =
        verifyOrder(emitError, operand.name, operand.order, operand.channels,
                    operand.spatialLetters);
    if (failed(rank))
      return failure();
    ranks.push_back(*rank);
  }
  // L2.
  if (!llvm::all_equal(ranks))
    return emitError() << "expects orders of one number of spatial dimensions, "
                          "but got "
                       << ArrayRef<int64_t>(ranks) << " in \"" << input
                       << "\", \"" << filter << "\" and \"" << output << '"';
  // L3.
  bool grouped = input.contains('G');
  if (grouped != filter.contains('G') || grouped != output.contains('G'))
    return emitError() << "expects all orders or none to have G, but got \""
                       << input << "\", \"" << filter << "\" and \"" << output
                       << '"';
  return success();
}

LogicalResult AtomAttr::verify(EmitError emitError, AtomKind, int64_t m,
                               int64_t n, int64_t k) {
  // A1.
  if (m <= 0 || n <= 0 || k <= 0)
    return emitError() << "expects positive sizes of an atom, but got " << m
                       << " x " << n << " x " << k;
  return success();
}

LogicalResult TargetAttr::verify(EmitError emitError, StringRef chip) {
  // T1.
  if (!::conv::lookupChip(chip))
    return emitError() << "expects one of the chips " << ::conv::chipNames()
                       << ", but got \"" << chip << "\"";
  return success();
}

const ::conv::ChipInfo &TargetAttr::getInfo() const {
  return *::conv::lookupChip(getChip());
}

TargetAttr TargetAttr::lookup(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(kName))
      return target;
  return nullptr;
}

std::optional<::conv::NumericType>
mlir::conv::getNumericType(Type elementType) {
  using enum ::conv::NumericType;
  return TypeSwitch<Type, std::optional<::conv::NumericType>>(elementType)
      .Case<Float32Type>([](auto) { return F32; })
      .Case<Float16Type>([](auto) { return F16; })
      .Case<BFloat16Type>([](auto) { return BF16; })
      .Case<Float8E4M3FNType, Float8E5M2Type>([](auto) { return F8; })
      .Case<Float8E4M3FNUZType, Float8E5M2FNUZType>([](auto) { return F8FNUZ; })
      .Case<IntegerType>(
          [](IntegerType type) -> std::optional<::conv::NumericType> {
            if (type.isSignlessInteger(8))
              return I8;
            if (type.isSignlessInteger(32))
              return I32;
            return std::nullopt;
          })
      .Default([](auto) { return std::nullopt; });
}

Type mlir::conv::getAccumulatorType(Type operand) {
  Builder builder(operand.getContext());
  return isa<IntegerType>(operand) ? Type(builder.getI32Type())
                                   : Type(builder.getF32Type());
}
