//===- HostProgram.cpp - compiles a function for the host and runs it -----===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"

#include "conv/Pipeline/Pipelines.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using ::conv::test::HostProgram;

/// Loads a shared library from memory.
static void *load(const std::string &bytes) {
  int file = memfd_create("host-object", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes.data(), bytes.size()) !=
                      static_cast<ssize_t>(bytes.size()))
    return nullptr;
  std::string path = "/proc/self/fd/" + std::to_string(file);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  return library;
}

static int64_t getConstant(Value value) {
  APInt constant;
  bool isConstant = matchPattern(value, m_ConstantInt(&constant));
  return isConstant ? constant.getSExtValue() : -1;
}

/// Reads the compiled module.
struct HostProgram::Reader {
  HostProgram &program;

  Operand readOperand(Value value) {
    int64_t offset = 0;
    if (auto view = value.getDefiningOp<memref::ViewOp>()) {
      offset = getConstant(view.getByteShift());
      value = view.getSource();
    }
    return {cast<BlockArgument>(value).getArgNumber(), offset};
  }

  void readLaunch(gpu::LaunchFuncOp op) {
    Launch launch;
    launch.kernel = reinterpret_cast<Kernel>(
        program.find(op.getKernelName().str().c_str()));
    launch.workgroups = static_cast<int32_t>(getConstant(op.getGridSizeX()));
    for (Value operand : op.getKernelOperands())
      launch.operands.push_back(readOperand(operand));
    program.launches.push_back(launch);
  }

  bool read(ModuleOp module) {
    module.walk([&](gpu::BinaryOp binary) {
      auto attribute = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
      program.object = attribute.getObject().getValue().str();
    });
    program.library = load(program.object);
    if (!program.library)
      return false;
    module.walk([&](gpu::LaunchFuncOp op) { readLaunch(op); });
    module.walk([&](func::FuncOp function) {
      if (auto bytes =
              function->getAttrOfType<IntegerAttr>("conv.workspace_bytes"))
        program.workspaceBytes = bytes.getInt();
    });
    return llvm::all_of(program.launches, [](const Launch &launch) {
      return launch.kernel && launch.workgroups > 0;
    });
  }
};

std::unique_ptr<HostProgram> HostProgram::compile(const std::string &source,
                                                  std::string &errors) {
  DialectRegistry registry;
  mlir::conv::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  auto module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    return nullptr;
  PassManager manager(&context);
  mlir::conv::LowerToBinaryOptions options;
  mlir::conv::buildLowerToLinalgPipeline(manager);
  mlir::conv::buildLowerToTiledPipeline(manager);
  mlir::conv::buildLowerToGpuPipeline(manager);
  mlir::conv::buildLowerToLlvmPipeline(manager);
  mlir::conv::buildLowerToBinaryPipeline(manager, options);
  if (failed(manager.run(*module)))
    return nullptr;
  auto program = std::make_unique<HostProgram>();
  if (Reader{*program}.read(*module))
    return program;
  const char *reason = dlerror();
  errors += reason ? reason : "a kernel is missing";
  return nullptr;
}

HostProgram::~HostProgram() {
  if (library)
    dlclose(library);
}

void *HostProgram::find(const char *symbol) const {
  return dlsym(library, symbol);
}

void HostProgram::run(const std::vector<void *> &arguments) const {
  for (const Launch &launch : launches) {
    std::vector<void *> values, parameters;
    for (const Operand &operand : launch.operands)
      values.push_back(static_cast<char *>(arguments[operand.argument]) +
                       operand.offset);
    for (void *&value : values)
      parameters.push_back(&value);
    for (int32_t x = 0; x < launch.workgroups; ++x) {
      const int32_t workgroup[3] = {x, 0, 0};
      launch.kernel(parameters.data(), workgroup);
    }
  }
}
