//===- Generate.cpp - a problem as MLIR -*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The convolution's result is f32 if anything follows it; each step of the tail
// is a linalg.generic in f32, and the last one rounds.
//
//===----------------------------------------------------------------------===//

#include "Generate.h"

#include "Activations.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ::conv;
using tools::GenOptions;

static Error badInput(const Twine &message) {
  return {ErrorKind::BadInput, message.str()};
}

static Error unsupported(StringRef reason, const Twine &predicate) {
  return {ErrorKind::Unsupported,
          ("unsupported (" + reason + "): " + predicate).str()};
}

/// Whether anything is computed behind the convolution.
static bool hasTail(const GenOptions &options) {
  return options.bias || options.residual || options.scale ||
         !options.activation.empty();
}

/// What this version does not generate.
static std::optional<Error> checkSupported(const GenOptions &options) {
  if (options.mode != "conv")
    return unsupported("direction",
                       "expects --mode conv, but got '" + options.mode + "'");
  if (options.direction != 1)
    return unsupported("direction",
                       "expects --forw 1, but got " + Twine(options.direction));
  if (options.spatialRank > 3)
    return badInput("--spatial_dim expects 1, 2 or 3, but got " +
                    Twine(options.spatialRank));
  if (options.fnuz && options.command != "convfp8" &&
      options.command != "convbfp8")
    return badInput("--fnuz expects convfp8 or convbfp8, but got " +
                    options.command);
  if (options.outputType == "i32" &&
      (options.command != "convint8" || hasTail(options)))
    return badInput("--out_dtype expects i32 only for convint8 and without "
                    "scale, bias, residual and activation");
  return std::nullopt;
}

static Type parseType(Builder &builder, StringRef name, bool isFnuz) {
  MLIRContext *context = builder.getContext();
  if (isFnuz && name == "convfp8")
    return Float8E4M3FNUZType::get(context);
  if (isFnuz && name == "convbfp8")
    return Float8E5M2FNUZType::get(context);
  return llvm::StringSwitch<Type>(name)
      .Cases({"conv", "f32"}, builder.getF32Type())
      .Cases({"convfp16", "f16"}, builder.getF16Type())
      .Cases({"convbfp16", "bf16"}, builder.getBF16Type())
      .Cases({"convint8", "i8"}, builder.getI8Type())
      .Cases({"convfp8", "f8E4M3FN"}, Float8E4M3FNType::get(context))
      .Cases({"convbfp8", "f8E5M2"}, Float8E5M2Type::get(context))
      .Case("f8E4M3FNUZ", Float8E4M3FNUZType::get(context))
      .Case("f8E5M2FNUZ", Float8E5M2FNUZType::get(context))
      .Case("i32", builder.getI32Type())
      .Default(Type());
}

namespace {
/// One operand's layout flag: MIOpenDriver has the letters of an input for all
/// operands, the dialect has letters for each.
struct LayoutFlag {
  StringRef flag, value, driverLetters, letters;
};
} // namespace

/// The order string that a layout flag means, or an error.
static Result<std::string> parseLayout(LayoutFlag layout, int64_t rank) {
  StringRef spatial = StringRef("DHW").take_back(rank);
  std::string usual = ("N" + spatial + "C").str();
  std::string order = layout.value.empty() ? usual : layout.value.str();
  std::string sorted = order, expected = usual;
  llvm::sort(sorted);
  llvm::sort(expected);
  if (sorted != expected)
    return badInput(layout.flag + " expects the letters " + usual +
                    " in any order, but got '" + order + "'");
  for (char &letter : order)
    letter = layout.letters[layout.driverLetters.find(letter)];
  return order;
}

/// Order strings of input, filter and output.
static Result<std::array<std::string, 3>>
parseLayouts(const GenOptions &options) {
  std::array<std::string, 3> orders;
  const LayoutFlag flags[] = {
      {"--in_layout", options.inputLayout, "NCDHW", "NCDHW"},
      {"--fil_layout", options.filterLayout, "NCDHW", "KCTRS"},
      {"--out_layout", options.outputLayout, "NCDHW", "NKZPQ"}};
  for (size_t i = 0; i < 3; ++i) {
    Result<std::string> order = parseLayout(flags[i], options.spatialRank);
    if (!order)
      return order.error();
    orders[i] = *order;
  }
  return orders;
}

namespace {
/// Sizes by letter of all operands.
using Sizes = std::map<char, int64_t>;
} // namespace

/// Sizes of everything, or an error if the window does not fit.
static Result<Sizes> computeSizes(const GenOptions &options) {
  if (options.c % options.groups || options.k % options.groups)
    return badInput("--group_count expects a divisor of " + Twine(options.c) +
                    " input and " + Twine(options.k) +
                    " output channels, but got " + Twine(options.groups));
  Sizes sizes = {{'N', options.n}, {'K', options.k}};
  for (int64_t d = 3 - options.spatialRank; d < 3; ++d) {
    int64_t high = options.high[d] < 0 ? options.low[d] : options.high[d];
    std::optional<int64_t> output = mlir::conv::computeOutputSize(
        {options.input[d], options.filter[d], options.stride[d],
         options.dilation[d], options.low[d], high});
    if (!output)
      return badInput(
          Twine("expects the window to fit dimension ") + Twine("DHW"[d]) +
          ", but got filter " + Twine(options.filter[d]) + " with dilation " +
          Twine(options.dilation[d]) + " on input " + Twine(options.input[d]) +
          " padded by " + Twine(options.low[d]) + " and " + Twine(high));
    sizes["DHW"[d]] = options.input[d];
    sizes["TRS"[d]] = options.filter[d];
    sizes["ZPQ"[d]] = *output;
  }
  return sizes;
}

/// `conv2d_f16_n1_c64_56x56_k64_3x3_p1x1`; parts that are usual are left out.
static std::string makeName(const GenOptions &options, Type operandType) {
  std::string name;
  llvm::raw_string_ostream os(name);
  int64_t first = 3 - options.spatialRank;
  auto list = [&](StringRef prefix, const tools::PerDimension &values) {
    os << prefix;
    for (int64_t d = first; d < 3; ++d)
      os << (d == first ? "" : "x") << values[d];
  };
  auto unless = [&](StringRef prefix, const tools::PerDimension &values,
                    int64_t usual) {
    if (llvm::any_of(ArrayRef(values).drop_front(first),
                     [&](int64_t value) { return value != usual; }))
      list(prefix, values);
  };
  std::string type;
  llvm::raw_string_ostream(type) << operandType;
  os << "conv" << options.spatialRank << "d_" << StringRef(type).lower() << "_n"
     << options.n << "_c" << options.c;
  list("_", options.input);
  os << "_k" << options.k;
  list("_", options.filter);
  unless("_p", options.low, 0);
  unless("_s", options.stride, 1);
  unless("_d", options.dilation, 1);
  if (options.groups != 1)
    os << "_g" << options.groups;
  return name;
}

namespace {
/// Builds the function. Everything is checked before, except what the op's own
/// verifier checks.
class Generator {
public:
  Generator(MLIRContext &context, const GenOptions &options,
            const std::array<std::string, 3> &orders, Sizes sizes)
      : options(options), orders(orders), sizes(std::move(sizes)),
        builder(&context), loc(builder.getUnknownLoc()),
        operandType(parseType(builder, options.command, options.fnuz)) {
    outputType = !options.outputType.empty()
                     ? parseType(builder, options.outputType, /*isFnuz=*/false)
                 : operandType.isInteger(8) && !hasTail(options)
                     ? Type(builder.getI32Type())
                     : operandType;
  }

  OwningOpRef<ModuleOp> create();

private:
  RankedTensorType createType(StringRef order, int64_t channels, Type element);
  Value createForward(Value input, Value filter, Type element);
  Value createStep(ValueRange tensors, Type element,
                   function_ref<Value(OpBuilder &, ValueRange)> body);
  Value createTail(Value sum, ArrayRef<Value> extra);
  bool needsTail() const;

  const GenOptions &options;
  const std::array<std::string, 3> &orders;
  Sizes sizes;
  OpBuilder builder;
  Location loc;
  Type operandType, outputType;
};
} // namespace

/// The type of an operand. `channels` is the size of its dimension C, if any.
RankedTensorType Generator::createType(StringRef order, int64_t channels,
                                       Type element) {
  sizes['C'] = channels;
  SmallVector<int64_t> shape;
  for (char letter : order)
    shape.push_back(sizes.at(letter));
  return RankedTensorType::get(shape, element);
}

Value Generator::createForward(Value input, Value filter, Type element) {
  int64_t rank = options.spatialRank;
  auto takeBack = [&](const tools::PerDimension &values) {
    return llvm::to_vector(ArrayRef(values).take_back(rank));
  };
  SmallVector<int64_t> low = takeBack(options.low);
  SmallVector<int64_t> high = takeBack(options.high);
  for (auto [highSize, lowSize] : llvm::zip(high, low))
    highSize = highSize < 0 ? lowSize : highSize;
  auto window = mlir::conv::WindowAttr::get(
      builder.getContext(), takeBack(options.stride),
      takeBack(options.dilation), low, high);
  auto layouts = mlir::conv::LayoutsAttr::get(builder.getContext(), orders[0],
                                              orders[1], orders[2]);
  return mlir::conv::ForwardOp::create(
      builder, loc, createType(orders[2], 0, element), input, filter,
      ValueRange(), window, layouts, options.groups,
      mlir::conv::PaddingMode::Zeros,
      options.tf32 ? mlir::conv::Arithmetic::TF32
                   : mlir::conv::Arithmetic::Exact,
      /*schedule=*/nullptr);
}

/// A linalg.generic over the output; vectors are read by channel.
Value Generator::createStep(ValueRange tensors, Type element,
                            function_ref<Value(OpBuilder &, ValueRange)> body) {
  RankedTensorType type = createType(orders[2], 0, element);
  int64_t rank = type.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  AffineMap byChannel = AffineMap::get(
      rank, 0, builder.getAffineDimExpr(StringRef(orders[2]).find('K')));
  SmallVector<AffineMap> maps;
  for (Value tensor : tensors)
    maps.push_back(cast<RankedTensorType>(tensor.getType()).getRank() == 1
                       ? byChannel
                       : identity);
  maps.push_back(identity);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange(type), tensors, empty, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &inner, Location, ValueRange elements) {
        linalg::YieldOp::create(inner, loc, body(inner, elements));
      });
  return generic.getResult(0);
}

/// What follows the convolution; `extra` are bias and residual, as given.
Value Generator::createTail(Value sum, ArrayRef<Value> extra) {
  Type f32 = builder.getF32Type();
  auto extend = [&](OpBuilder &inner, Value value) -> Value {
    if (value.getType() == f32)
      return value;
    if (value.getType().isInteger())
      return arith::SIToFPOp::create(inner, loc, f32, value);
    return arith::ExtFOp::create(inner, loc, f32, value);
  };
  if (getElementTypeOrSelf(sum) != f32)
    sum = createStep(sum, f32, [&](OpBuilder &inner, ValueRange elements) {
      return extend(inner, elements[0]);
    });
  if (options.scale)
    sum = createStep(sum, f32, [&](OpBuilder &inner, ValueRange elements) {
      Value scale = tools::createF32(inner, loc, *options.scale);
      return arith::MulFOp::create(inner, loc, elements[0], scale);
    });
  for (Value tensor : extra)
    sum = createStep({sum, tensor}, f32,
                     [&](OpBuilder &inner, ValueRange elements) {
                       return arith::AddFOp::create(inner, loc, elements[0],
                                                    extend(inner, elements[1]));
                     });
  if (!options.activation.empty())
    sum = createStep(sum, f32, [&](OpBuilder &inner, ValueRange elements) {
      return tools::createActivation(inner, loc, options.activation,
                                     options.activationAlpha, elements[0]);
    });
  if (outputType != f32)
    sum =
        createStep(sum, outputType, [&](OpBuilder &inner, ValueRange elements) {
          return tools::createNarrowing(inner, loc, outputType, elements[0]);
        });
  return sum;
}

/// Whether the convolution itself does not give the output. It rounds to
/// floating types, but neither saturates nor converts integers.
bool Generator::needsTail() const {
  return hasTail(options) || outputType.getIntOrFloatBitWidth() == 8 ||
         (operandType.isInteger() && !outputType.isInteger());
}

OwningOpRef<ModuleOp> Generator::create() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  SmallVector<std::pair<StringRef, Type>> arguments = {
      {"input", createType(orders[0], options.c, operandType)},
      {"filter",
       createType(orders[1], options.c / options.groups, operandType)}};
  RankedTensorType result = createType(orders[2], 0, outputType);
  bool is8Bit = operandType.getIntOrFloatBitWidth() == 8;
  if (options.bias)
    arguments.push_back({"bias", RankedTensorType::get(
                                     {options.k}, is8Bit ? builder.getF32Type()
                                                         : operandType)});
  if (options.residual)
    arguments.push_back({"residual", result});

  builder.setInsertionPointToEnd(module->getBody());
  std::string name =
      options.name.empty() ? makeName(options, operandType) : options.name;
  auto function = func::FuncOp::create(
      builder, loc, name,
      builder.getFunctionType(
          llvm::to_vector(llvm::make_second_range(arguments)), result));
  Block *body = function.addEntryBlock();
  for (auto [index, argument] : llvm::enumerate(arguments))
    function.setArgAttr(index, "conv.name",
                        builder.getStringAttr(argument.first));
  function.setResultAttr(0, "conv.name", builder.getStringAttr("output"));

  builder.setInsertionPointToEnd(body);
  SmallVector<Value> extra(body->getArguments().drop_front(2));
  Value output = createForward(
      body->getArgument(0), body->getArgument(1),
      needsTail() ? mlir::conv::getAccumulatorType(operandType) : outputType);
  if (needsTail())
    output = createTail(output, extra);
  func::ReturnOp::create(builder, loc, output);
  return module;
}

Result<std::string> tools::generate(const GenOptions &options) {
  if (std::optional<Error> error = checkSupported(options))
    return *error;
  Result<std::array<std::string, 3>> orders = parseLayouts(options);
  if (!orders)
    return orders.error();
  Result<Sizes> sizes = computeSizes(options);
  if (!sizes)
    return sizes.error();

  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, mlir::conv::ConvDialect,
                      func::FuncDialect, linalg::LinalgDialect,
                      math::MathDialect, tensor::TensorDialect>();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module =
      Generator(context, options, *orders, *sizes).create();
  if (failed(verify(*module)))
    return badInput(message);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << '\n';
  return text;
}
