//===- OptionSyntax.cpp - optional parameters of attributes -----*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionSyntax.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

using namespace mlir;
using namespace mlir::conv;

using ValueParser = std::function<ParseResult()>;

/// Parses options, each at most once, until no comma follows.
static ParseResult parseOptions(AsmParser &parser,
                                llvm::StringMap<ValueParser> options) {
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    auto option = options.find(name);
    if (option == options.end()) {
      SmallVector<StringRef> names = llvm::to_vector(options.keys());
      llvm::sort(names);
      return parser.emitError(location)
             << "expects one of " << llvm::join(names, ", ")
             << ", each at most once, but got " << name;
    }
    if (parser.parseEqual() || option->second())
      return failure();
    options.erase(option);
  }
  return success();
}

/// Parses a value of an enumeration by its name.
template <typename T>
static ParseResult parseField(AsmParser &parser, T &value) {
  FailureOr<T> parsed = FieldParser<T>::parse(parser);
  if (succeeded(parsed))
    value = *parsed;
  return success(succeeded(parsed));
}

/// Parses a list of integers in brackets.
static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

ParseResult mlir::conv::parseKernel(AsmParser &parser,
                                    KernelAttrInterface &kernel) {
  SMLoc location = parser.getCurrentLocation();
  Attribute attribute;
  if (parser.parseAttribute(attribute))
    return failure();
  kernel = dyn_cast<KernelAttrInterface>(attribute);
  if (kernel)
    return success();
  return parser.emitError(location)
         << "expects kernel to be the attribute of a family of kernels, such "
            "as #conv.staged_gemm, but got "
         << attribute;
}

void mlir::conv::printKernel(AsmPrinter &printer, KernelAttrInterface kernel) {
  printer << Attribute(kernel);
}

ParseResult mlir::conv::parseScheduleOptions(
    AsmParser &parser, SmallVector<int64_t> &outputTile, int64_t &mergedGroups,
    int64_t &splits, bool &transposed, LayoutsAttr &layouts,
    int64_t &channelMultiple, int64_t &im2col, int64_t &spaceToBatch,
    Type &operandType, ChosenBy &chosenBy) {
  im2col = 0;
  mergedGroups = splits = channelMultiple = spaceToBatch = 1;
  transposed = false;
  chosenBy = ChosenBy::User;
  return parseOptions(
      parser,
      {{"output_tile", [&] { return parseIntegers(parser, outputTile); }},
       {"merged_groups", [&] { return parser.parseInteger(mergedGroups); }},
       {"splits", [&] { return parser.parseInteger(splits); }},
       {"transposed", [&] { return parseField(parser, transposed); }},
       {"layouts", [&] { return parseField(parser, layouts); }},
       {"channel_multiple",
        [&] { return parser.parseInteger(channelMultiple); }},
       {"im2col", [&] { return parser.parseInteger(im2col); }},
       {"space_to_batch", [&] { return parser.parseInteger(spaceToBatch); }},
       {"operand_type", [&] { return parser.parseType(operandType); }},
       {"chosen_by", [&] { return parseField(parser, chosenBy); }}});
}

void mlir::conv::printScheduleOptions(AsmPrinter &printer,
                                      ArrayRef<int64_t> outputTile,
                                      int64_t mergedGroups, int64_t splits,
                                      bool transposed, LayoutsAttr layouts,
                                      int64_t channelMultiple, int64_t im2col,
                                      int64_t spaceToBatch, Type operandType,
                                      ChosenBy chosenBy) {
  if (!outputTile.empty())
    printer << ", output_tile = [" << outputTile << "]";
  if (mergedGroups != 1)
    printer << ", merged_groups = " << mergedGroups;
  if (splits != 1)
    printer << ", splits = " << splits;
  if (transposed)
    printer << ", transposed = true";
  if (layouts) {
    printer << ", layouts = ";
    printer.printStrippedAttrOrType(layouts);
  }
  if (channelMultiple != 1)
    printer << ", channel_multiple = " << channelMultiple;
  if (im2col != 0)
    printer << ", im2col = " << im2col;
  if (spaceToBatch != 1)
    printer << ", space_to_batch = " << spaceToBatch;
  if (operandType)
    printer << ", operand_type = " << operandType;
  if (chosenBy != ChosenBy::User)
    printer << ", chosen_by = " << stringifyChosenBy(chosenBy);
}

static ParseResult parseProducer(AsmParser &parser, Producer &producer) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  for (auto [each, name] : ::conv::kProducers)
    if (keyword == StringRef(name)) {
      producer = each;
      return success();
    }
  return parser.emitError(location)
         << "expects producer to be tma, cp_async or registers, but got "
         << keyword;
}

ParseResult mlir::conv::parseWarpgroupOptions(AsmParser &parser,
                                              SmallVector<int64_t> &haloTile,
                                              int64_t &cluster,
                                              int64_t &promotion,
                                              Producer &producer) {
  cluster = 1;
  promotion = 0;
  producer = Producer::CopyEngine;
  return parseOptions(
      parser, {{"halo_tile", [&] { return parseIntegers(parser, haloTile); }},
               {"cluster", [&] { return parser.parseInteger(cluster); }},
               {"promotion", [&] { return parser.parseInteger(promotion); }},
               {"producer", [&] { return parseProducer(parser, producer); }}});
}

void mlir::conv::printWarpgroupOptions(AsmPrinter &printer,
                                       ArrayRef<int64_t> haloTile,
                                       int64_t cluster, int64_t promotion,
                                       Producer producer) {
  if (!haloTile.empty())
    printer << ", halo_tile = [" << haloTile << "]";
  if (cluster != 1)
    printer << ", cluster = " << cluster;
  if (promotion != 0)
    printer << ", promotion = " << promotion;
  if (producer != Producer::CopyEngine)
    printer << ", producer = " << ::conv::getName(producer);
}

/// Parses a size, and the role before it or an empty role.
static ParseResult parseDigit(AsmParser &parser, SmallVector<int64_t> &sizes,
                              SmallVector<DigitRole> &roles) {
  SMLoc location = parser.getCurrentLocation();
  StringRef name;
  roles.emplace_back();
  if (succeeded(parser.parseOptionalKeyword(&name))) {
    std::optional<DigitRole> role = DigitRole::parse(name);
    if (!role)
      return parser.emitError(location)
             << "expects the role of a digit, such as n, p or p.tile, but got "
             << name;
    roles.back() = *role;
    if (parser.parseEqual())
      return failure();
  }
  return parser.parseInteger(sizes.emplace_back());
}

ParseResult mlir::conv::parseDigits(AsmParser &parser,
                                    SmallVector<int64_t> &batch,
                                    SmallVector<int64_t> &rows,
                                    SmallVector<int64_t> &columns,
                                    SmallVector<DigitRole> &roles) {
  auto parseList = [&](StringRef name,
                       SmallVector<int64_t> &sizes) -> ParseResult {
    return failure(
        parser.parseKeyword(name) || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parseDigit(parser, sizes, roles);
        }));
  };
  if (parseList("batch", batch) || parser.parseComma() ||
      parseList("rows", rows) || parser.parseComma() ||
      parseList("columns", columns))
    return failure();
  if (llvm::none_of(roles, [](DigitRole role) { return bool(role); }))
    roles.clear();
  return success();
}

void mlir::conv::printDigits(AsmPrinter &printer, ArrayRef<int64_t> batch,
                             ArrayRef<int64_t> rows, ArrayRef<int64_t> columns,
                             ArrayRef<DigitRole> roles) {
  auto print = [&](StringRef name, ArrayRef<int64_t> sizes) {
    printer << name << " = [";
    llvm::interleaveComma(sizes, printer, [&](int64_t size) {
      if (!roles.empty() && roles.front())
        printer << roles.front().str() << " = ";
      if (!roles.empty())
        roles = roles.drop_front();
      printer << size;
    });
    printer << "]";
  };
  print("batch", batch);
  printer << ", ";
  print("rows", rows);
  printer << ", ";
  print("columns", columns);
}

ParseResult mlir::conv::parseViewOptions(AsmParser &parser,
                                         SmallVector<int64_t> &limits,
                                         PaddingMode &padding) {
  padding = PaddingMode::Zeros;
  return parseOptions(
      parser, {{"limits", [&] { return parseIntegers(parser, limits); }},
               {"padding", [&] { return parseField(parser, padding); }}});
}

void mlir::conv::printViewOptions(AsmPrinter &printer, ArrayRef<int64_t> limits,
                                  PaddingMode padding) {
  if (!limits.empty())
    printer << ", limits = [" << limits << "]";
  if (padding != PaddingMode::Zeros)
    printer << ", padding = " << stringifyPaddingMode(padding);
}
