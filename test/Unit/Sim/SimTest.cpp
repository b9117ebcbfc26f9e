//===- SimTest.cpp - kernels in, results out ------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles text to an object through the real compiler half.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include "conv/Backend/Sim.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Parser/Parser.h"

using namespace conv::test;
using namespace conv::runtime;

Compiled conv::test::compileKernels(const std::string &body,
                                    const std::string &chip) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
                  mlir::ROCDL::ROCDLDialect>();
  mlir::conv::registerSimulatorTranslations(registry);
  mlir::MLIRContext context(registry);
  Compiled result;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    result.error += d.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "module { gpu.module @kernels {\n" + body + "\n} }", &context);
  if (!module)
    return result;
  for (auto gpuModule : module->getOps<mlir::gpu::GPUModuleOp>()) {
    auto object = mlir::conv::compileForSimulator(gpuModule, chip);
    if (mlir::succeeded(object))
      result.object = *object;
  }
  return result;
}

std::string conv::test::kernelText(unsigned count, const std::string &body) {
  std::string text = "llvm.func @k(";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + ("%p" + std::to_string(i)) + ": !llvm.ptr<1>";
  return text +
         ") attributes {gpu.kernel, rocdl.kernel} {\n"
         "  %tid = rocdl.workitem.id.x : i32\n"
         "  %tid64 = llvm.sext %tid : i32 to i64\n" +
         body + "\n  llvm.return\n}\n";
}

SimRun::SimRun(std::string chip, const std::string &module,
               SimOptions options) {
  Compiled compiled = compileKernels(module, chip);
  EXPECT_EQ(compiled.error, "");
  auto created = SimMachine::create(chip, options);
  EXPECT_TRUE(bool(created));
  machine = std::move(*created);
  auto loaded = machine->load(compiled.object.data(), compiled.object.size());
  EXPECT_TRUE(bool(loaded)) << (loaded ? "" : loaded.error().message);
  if (loaded)
    object = *loaded;
  shape.kernel = "k";
}

SimRun &SimRun::addBuffer(void *address, size_t bytes) {
  machine->registerBuffer(address, bytes);
  arguments.push_back(std::make_unique<void *>(address));
  return *this;
}

SimRun &SimRun::grid(uint32_t x, uint32_t y) {
  shape.grid = {x, y, 1};
  return *this;
}

SimRun &SimRun::block(uint32_t x, uint32_t y, uint32_t z) {
  shape.block = {x, y, z};
  return *this;
}

SimRun &SimRun::dynamicShared(uint32_t bytes) {
  shape.dynamicSharedBytes = bytes;
  return *this;
}

std::optional<std::string> SimRun::launch() {
  if (!object)
    return "no object";
  std::vector<void *> parameters;
  for (auto &argument : arguments)
    parameters.push_back(argument.get());
  shape.parameters = parameters.data();
  shape.parameterCount = parameters.size();
  auto result = machine->launch(*object, shape);
  if (result)
    return std::nullopt;
  return result.error().message;
}

void SimRun::run() { EXPECT_EQ(launch().value_or(""), ""); }

const SimCounters &SimRun::counters() const { return machine->counters(); }
