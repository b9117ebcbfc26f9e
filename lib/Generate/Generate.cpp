//===- Generate.cpp - a problem as MLIR -------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The convolution's result is f32 if anything follows it; each step of the
// epilogue is a linalg.generic in f32, and the last one rounds.
//
//===----------------------------------------------------------------------===//

#include "conv/Generate/Generate.h"

#include "Activations.h"
#include "GenerateDynamic.h"
#include "Geometry.h"

#include "conv/Dialect/Conv/IR/ConvShape.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ::conv;
using mlir::conv::TensorRole;

static Error badInput(const Twine &message) {
  return {ErrorKind::BadInput, message.str()};
}

/// Whether anything is computed after the convolution.
static bool hasEpilogue(const GenOptions &options) {
  return options.bias || options.residual || options.scale ||
         !options.activation.empty();
}

/// Options that contradict each other.
static std::optional<Error> checkOptions(const GenOptions &options) {
  if (options.bias && options.direction == 4)
    return badInput("--bias expects a result with channels, but got --forw 4");
  if (options.tf32 && options.exact)
    return badInput("expects --tf32 or --exact, but got both");
  if (options.promoted && (options.tf32 || options.exact))
    return badInput("expects --promoted without --tf32 and --exact, but got "
                    "both");
  if (options.fnuz && options.command != "convfp8" &&
      options.command != "convbfp8")
    return badInput("--fnuz expects convfp8 or convbfp8, but got " +
                    options.command);
  if (options.outputType == "i32" &&
      (options.command != "convint8" || hasEpilogue(options)))
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

/// `conv2d_f16_n1_c64_56x56_k64_3x3_p1x1`; parts that are usual are left out.
static std::string makeName(const GenOptions &options, Type operandType) {
  std::string name;
  llvm::raw_string_ostream os(name);
  int64_t first = 3 - options.spatialRank;
  auto list = [&](StringRef prefix, const PerDimension &values) {
    os << prefix;
    for (int64_t d = first; d < 3; ++d)
      os << (d == first ? "" : "x") << values[d];
  };
  auto unless = [&](StringRef prefix, const PerDimension &values,
                    int64_t usual) {
    if (llvm::any_of(ArrayRef(values).drop_front(first),
                     [&](int64_t value) { return value != usual; }))
      list(prefix, values);
  };
  std::string type;
  llvm::raw_string_ostream(type) << operandType;
  StringRef direction = options.direction == 2   ? "_data"
                        : options.direction == 4 ? "_weight"
                                                 : "";
  os << "conv" << (options.mode == "trans" ? "_transposed" : "")
     << options.spatialRank << "d" << direction << '_'
     << StringRef(type).lower() << "_n" << options.n << "_c" << options.c;
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

auto ::conv::chooseName(ModuleOp module, const std::string &name)
    -> std::string {
  std::string chosen = name;
  for (int64_t number = 2; module.lookupSymbol(chosen); ++number)
    chosen = name + "_" + std::to_string(number);
  return chosen;
}

namespace {
/// Builds the function of a module. Everything is checked before, except what
/// the op's own verifier checks.
class Generator {
public:
  Generator(ModuleOp module, const GenOptions &options,
            const Geometry &geometry)
      : module(module), options(options), geometry(geometry),
        builder(module.getContext()), loc(builder.getUnknownLoc()),
        operandType(parseType(builder, options.command, options.fnuz)) {
    outputType = !options.outputType.empty()
                     ? parseType(builder, options.outputType, /*isFnuz=*/false)
                 : operandType.isInteger(8) && !hasEpilogue(options)
                     ? Type(builder.getI32Type())
                     : operandType;
  }

  func::FuncOp create();

private:
  RankedTensorType createType(TensorRole role, Type element);
  AffineMap createChannelMap();
  Value createConvolution(Value lhs, Value rhs, Type element);
  Value createStep(ValueRange tensors, Type element,
                   function_ref<Value(OpBuilder &, ValueRange)> body);
  Value createEpilogueOps(Value sum, ArrayRef<Value> extra);
  bool needsEpilogue() const;

  ModuleOp module;
  const GenOptions &options;
  const Geometry &geometry;
  OpBuilder builder;
  Location loc;
  Type operandType, outputType;
};
} // namespace

RankedTensorType Generator::createType(TensorRole role, Type element) {
  return RankedTensorType::get(geometry.getShape(role), element);
}

Value Generator::createConvolution(Value lhs, Value rhs, Type element) {
  auto takeBack = [&](const PerDimension &values) {
    return llvm::to_vector(ArrayRef(values).take_back(options.spatialRank));
  };
  auto window = mlir::conv::WindowAttr::get(
      builder.getContext(), takeBack(options.stride),
      takeBack(options.dilation), geometry.low, geometry.high);
  auto layouts = mlir::conv::LayoutsAttr::get(
      builder.getContext(), geometry.getOrder(TensorRole::Input),
      geometry.getOrder(TensorRole::Filter),
      geometry.getOrder(TensorRole::Output));
  auto convolution = mlir::conv::createConvolution(
      builder, loc, geometry.direction,
      createType(mlir::conv::getResultRole(geometry.direction), element), lhs,
      rhs, window, layouts, geometry.groups,
      *mlir::conv::symbolizePaddingMode(options.padding),
      options.tf32       ? mlir::conv::Arithmetic::TF32
      : options.exact    ? mlir::conv::Arithmetic::Exact
      : options.promoted ? mlir::conv::Arithmetic::Promoted
                         : mlir::conv::Arithmetic::F32);
  return convolution.getResultTensor();
}

/// From positions of the result to those in a vector of its channels.
AffineMap Generator::createChannelMap() {
  TensorRole role = mlir::conv::getResultRole(geometry.direction);
  StringRef order = geometry.getOrder(role);
  size_t channel = order.find(role == TensorRole::Input ? 'C' : 'K');
  AffineExpr position = builder.getAffineDimExpr(channel);
  if (size_t group = order.find('G'); group != StringRef::npos)
    position =
        builder.getAffineDimExpr(group) * geometry.getShape(role)[channel] +
        position;
  return AffineMap::get(order.size(), 0, position);
}

/// A linalg.generic over the result; vectors are read by channel.
Value Generator::createStep(ValueRange tensors, Type element,
                            function_ref<Value(OpBuilder &, ValueRange)> body) {
  RankedTensorType type =
      createType(mlir::conv::getResultRole(geometry.direction), element);
  int64_t rank = type.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<AffineMap> maps;
  for (Value tensor : tensors)
    maps.push_back(cast<RankedTensorType>(tensor.getType()).getRank() == 1
                       ? createChannelMap()
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
Value Generator::createEpilogueOps(Value sum, ArrayRef<Value> extra) {
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
      Value scale = createF32(inner, loc, *options.scale);
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
      return createActivation(inner, loc, options.activation,
                              options.activationAlpha, elements[0]);
    });
  if (outputType != f32)
    sum =
        createStep(sum, outputType, [&](OpBuilder &inner, ValueRange elements) {
          return createNarrowing(inner, loc, outputType, elements[0]);
        });
  return sum;
}

/// Whether the convolution itself does not give the output. It rounds to
/// floating types, but neither saturates nor converts integers.
bool Generator::needsEpilogue() const {
  return hasEpilogue(options) || outputType.getIntOrFloatBitWidth() == 8 ||
         (operandType.isInteger() && !outputType.isInteger());
}

func::FuncOp Generator::create() {
  TensorRole role = mlir::conv::getResultRole(geometry.direction);
  SmallVector<std::pair<StringRef, Type>> arguments;
  for (TensorRole operand : mlir::conv::getOperandRoles(geometry.direction))
    arguments.push_back(
        {geometry.getName(operand), createType(operand, operandType)});
  RankedTensorType result = createType(role, outputType);
  if (options.bias) {
    int64_t channels = geometry.sizes.at(role == TensorRole::Input ? 'C' : 'K');
    bool is8Bit = operandType.getIntOrFloatBitWidth() == 8;
    Type element = !options.biasType.empty()
                       ? parseType(builder, options.biasType, /*isFnuz=*/false)
                   : is8Bit ? Type(builder.getF32Type())
                            : operandType;
    arguments.push_back({"bias", RankedTensorType::get({channels}, element)});
  }
  if (options.residual)
    arguments.push_back({"residual", result});

  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(
      builder, loc,
      chooseName(module, options.name.empty() ? makeName(options, operandType)
                                              : options.name),
      builder.getFunctionType(
          llvm::to_vector(llvm::make_second_range(arguments)), result));
  Block *body = function.addEntryBlock();
  for (auto [index, argument] : llvm::enumerate(arguments))
    function.setArgAttr(index, mlir::conv::ConvDialect::kNameAttr,
                        builder.getStringAttr(argument.first));
  function.setResultAttr(0, mlir::conv::ConvDialect::kNameAttr,
                         builder.getStringAttr(geometry.getName(role)));

  builder.setInsertionPointToEnd(body);
  SmallVector<Value> extra(body->getArguments().drop_front(2));
  Value output = createConvolution(
      body->getArgument(0), body->getArgument(1),
      needsEpilogue() ? mlir::conv::getAccumulatorType(operandType)
                      : outputType);
  if (needsEpilogue())
    output = createEpilogueOps(output, extra);
  func::ReturnOp::create(builder, loc, output);
  return function;
}

struct GeneratedModule::Contents {
  Contents() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<arith::ArithDialect, mlir::conv::ConvDialect,
                        func::FuncDialect, linalg::LinalgDialect,
                        math::MathDialect, tensor::TensorDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

GeneratedModule::GeneratedModule() : contents(std::make_unique<Contents>()) {}
GeneratedModule::~GeneratedModule() = default;

/// What `create` adds to a module of this context, or why it is refused.
static Result<std::string> addVerified(MLIRContext &context,
                                       function_ref<func::FuncOp()> create) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  func::FuncOp function = create();
  if (succeeded(verify(function)))
    return function.getName().str();
  function.erase();
  return badInput(message);
}

Result<std::string> GeneratedModule::add(const GenProblem &problem) {
  ModuleOp module = *contents->module;
  if (auto *dynamic = std::get_if<DynamicGenOptions>(&problem)) {
    if (dynamic->initialState && dynamic->direction == "dynamic_backward_input")
      return badInput("--initial_state expects dynamic_forward or "
                      "dynamic_backward_kernel, but got " +
                      dynamic->direction);
    return addVerified(contents->context,
                       [&] { return generateDynamic(module, *dynamic); });
  }
  if (auto *state = std::get_if<StateGenOptions>(&problem))
    return addVerified(contents->context,
                       [&] { return generateState(module, *state); });
  const auto &options = std::get<GenOptions>(problem);
  if (std::optional<Error> error = checkOptions(options))
    return *error;
  Result<Geometry> geometry = computeGeometry(options);
  if (!geometry)
    return geometry.error();
  return addVerified(contents->context, [&] {
    return Generator(module, options, *geometry).create();
  });
}

void GeneratedModule::remove(const std::string &name) {
  contents->module->lookupSymbol(name)->erase();
}

static std::string printModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  os << '\n';
  return text;
}

std::string GeneratedModule::print() const {
  return printModule(*contents->module);
}

std::string GeneratedModule::print(const std::string &name) const {
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(UnknownLoc::get(&contents->context));
  module->push_back(contents->module->lookupSymbol(name)->clone());
  return printModule(*module);
}

auto ::conv::generate(const GenProblem &problem) -> Result<std::string> {
  GeneratedModule module;
  Result<std::string> name = module.add(problem);
  return name ? module.print() : name;
}
