//===- PrepackFilter.cpp - steps that read only a filter ------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves the first steps of a plan, as far as they read nothing but a filter, to
// a function that callers run once. Which steps those are follows from their
// operands, whatever the plan's algorithm is.
//
//===----------------------------------------------------------------------===//

#include "conv/Plan/PrepackFilter.h"

#include "conv/Dialect/Conv/IR/ArgumentAttrs.h"
#include "conv/Dialect/Conv/IR/Prepack.h"
#include "conv/Dialect/Conv/IR/TiledForm.h"
#include "conv/Dialect/Conv/IR/Unsupported.h"
#include "conv/Plan/OperandForm.h"
#include "conv/Plan/Passes.h"

#include "mlir/IR/SymbolTable.h"

namespace mlir::conv {
#define GEN_PASS_DEF_PREPACKFILTERPASS
#include "conv/Plan/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

static std::string getPrepackName(func::FuncOp function) {
  return (function.getName() + ".prepack").str();
}

/// The argument that is the convolution's filter, if nothing else reads it.
static BlockArgument findFilter(ConvolutionOpInterface op) {
  Value filter = op.getTensor(TensorRole::Filter);
  if (filter == op.getResultTensor() || !filter.hasOneUse())
    return {};
  Value source = lookThroughReshapes(filter);
  return source.hasOneUse() ? dyn_cast<BlockArgument>(source) : BlockArgument();
}

LogicalResult mlir::conv::requestPrepacking(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  std::string name = getPrepackName(function);
  if (Operation *other = module.lookupSymbol(name))
    return other->emitError("expects another name than that of the function "
                            "that packs the filters of @")
           << function.getName() << ", but got @" << name;
  bool hasFilter = false;
  for (ConvolutionOpInterface op : function.getOps<ConvolutionOpInterface>()) {
    BlockArgument filter = findFilter(op);
    if (!filter)
      continue;
    unsigned index = filter.getArgNumber();
    if (function.getArgAttr(index, ConvDialect::kConstantAttr) ||
        getResultInPlace(function, index))
      continue;
    function.setArgAttr(index, kPrepackAttr,
                        UnitAttr::get(function.getContext()));
    hasFilter = true;
  }
  if (hasFilter)
    return success();
  return emitUnsupported(function.getLoc(), Reason::Prepack)
         << "expects an argument that is the filter of one convolution, but "
            "got none";
}

bool mlir::conv::isPrepacked(Operation *transform) {
  Value source = transform->getOperand(0);
  for (;;) {
    source = lookThroughReshapes(source);
    Operation *step = source.getDefiningOp();
    if (!isa_and_nonnull<TransformOp, BlockTransformOp>(step))
      break;
    source = step->getOperand(0);
  }
  if (source.getDefiningOp<UnpackOp>())
    return true;
  auto argument = dyn_cast<BlockArgument>(source);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  return function && function.getArgAttr(argument.getArgNumber(), kPrepackAttr);
}

namespace {
/// Moves the steps of one function that read only a filter.
class FilterPacker {
public:
  explicit FilterPacker(func::FuncOp function)
      : function(function), b(function.getContext()) {}

  LogicalResult run();

private:
  /// Creates the function that packs, still without arguments and results.
  void createPacking();
  /// Moves the steps from an argument to the filter in the convolution's form.
  LogicalResult pack(ConvolutionOpInterface op, BlockArgument filter);
  /// Lets the function read `type` in place of the filter.
  void readPacked(BlockArgument filter, Type type);
  /// "packed_NAME" for callers, if the filter has a name.
  StringAttr getPackedName(BlockArgument filter);

  func::FuncOp function, packing;
  OpBuilder b;
  SmallVector<Value> packed; ///< What `packing` returns.
};
} // namespace

/// The ops from `source` to `result`, in order, if they read nothing else and
/// some kernel is among them.
static SmallVector<Operation *> listSteps(Value source, Value result) {
  SmallVector<Operation *> steps;
  for (; result != source; result = steps.back()->getOperand(0)) {
    Operation *step = result.getDefiningOp();
    if (!step || step->getNumOperands() != 1)
      return {};
    steps.push_back(step);
  }
  std::reverse(steps.begin(), steps.end());
  bool hasKernel = llvm::any_of(steps, [](Operation *step) {
    return isa<TransformOp, BlockTransformOp>(step);
  });
  return hasKernel ? steps : SmallVector<Operation *>();
}

void FilterPacker::createPacking() {
  if (packing)
    return;
  b.setInsertionPointAfter(function);
  packing = func::FuncOp::create(b, function.getLoc(), getPrepackName(function),
                                 b.getFunctionType({}, {}));
  packing.addEntryBlock();
}

StringAttr FilterPacker::getPackedName(BlockArgument filter) {
  auto name = function.getArgAttrOfType<StringAttr>(filter.getArgNumber(),
                                                    ConvDialect::kNameAttr);
  return name ? b.getStringAttr("packed_" + name.getValue()) : name;
}

void FilterPacker::readPacked(BlockArgument filter, Type type) {
  unsigned index = filter.getArgNumber();
  SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr(kPackedByAttr, FlatSymbolRefAttr::get(packing))};
  if (StringAttr name = getPackedName(filter))
    attributes.push_back(b.getNamedAttr(ConvDialect::kNameAttr, name));
  function.setArgAttrs(index, attributes);
  b.setInsertionPointToStart(&function.front());
  auto unpack = UnpackOp::create(b, filter.getLoc(), filter.getType(), filter);
  filter.replaceAllUsesExcept(unpack.getResult(), unpack);
  filter.setType(type);
  function.setType(b.getFunctionType(function.front().getArgumentTypes(),
                                     function.getResultTypes()));
}

LogicalResult FilterPacker::pack(ConvolutionOpInterface op,
                                 BlockArgument filter) {
  auto refuse = [&] {
    return emitUnsupported(op.getLoc(), Reason::Prepack)
           << "expects a schedule with a step that reads only the filter, but "
              "got "
           << op.getScheduleAttr();
  };
  OperandForm form = OperandForm::get(op.getScheduleAttr());
  if (form.isFormOf(op))
    return refuse();
  TransformedConvolution transformed =
      TransformedConvolution::create(b, op, form);
  Value result = transformed.op.getTensor(TensorRole::Filter);
  Type type = result.getType();
  SmallVector<Operation *> steps = listSteps(filter, result);
  if (!steps.empty()) {
    createPacking();
    IRMapping mapping;
    mapping.map(filter,
                packing.front().addArgument(filter.getType(), filter.getLoc()));
    b.setInsertionPointToEnd(&packing.front());
    for (Operation *step : steps)
      b.clone(*step, mapping);
    packed.push_back(mapping.lookup(result));
  }
  transformed.erase();
  if (steps.empty())
    return refuse();
  unsigned number = packed.size() - 1;
  packing.setType(b.getFunctionType(packing.front().getArgumentTypes(),
                                    ValueRange(packed).getTypes()));
  NamedAttrList attributes(function.getArgAttrDict(filter.getArgNumber()));
  attributes.erase(kPrepackAttr);
  packing.setArgAttrs(number, attributes.getAttrs());
  if (StringAttr name = getPackedName(filter))
    packing.setResultAttr(number, ConvDialect::kNameAttr, name);
  readPacked(filter, type);
  return success();
}

LogicalResult FilterPacker::run() {
  for (BlockArgument argument : function.getArguments()) {
    if (!function.getArgAttr(argument.getArgNumber(), kPrepackAttr))
      continue;
    auto ops = function.getOps<ConvolutionOpInterface>();
    auto reader = llvm::find_if(ops, [&](ConvolutionOpInterface op) {
      return findFilter(op) == argument;
    });
    if (reader == ops.end())
      return emitUnsupported(argument.getLoc(), Reason::Prepack)
             << "expects an argument that is the filter of one convolution for "
             << kPrepackAttr << ", but got another one";
    if (failed(pack(*reader, argument)))
      return failure();
  }
  if (!packing)
    return success();
  b.setInsertionPointToEnd(&packing.front());
  func::ReturnOp::create(b, packing.getLoc(), packed);
  return success();
}

namespace {
struct PrepackFilterPass final
    : mlir::conv::impl::PrepackFilterPassBase<PrepackFilterPass> {
  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(FilterPacker(function).run()))
        return signalPassFailure();
  }
};
} // namespace
