//===- AssemblyTest.cpp - passes of LLVM that kernels skip ------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels in the LLVM and ROCDL dialects, and the instructions that are or are
// not in their assembly.
//
//===----------------------------------------------------------------------===//

#include "conv/Backend/AMDGPU.h"
#include "conv/Dialect/Conv/IR/Conv.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::conv;

namespace {

/// A kernel that multiplies matrices of `in`, and squares four
/// neighbours of a type. So many elements are put into a vector, one by one.
std::string writeKernel(StringRef multiply, StringRef type,
                        int movedElements = 0) {
  std::string text = R"mlir(
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    llvm.func @kernel(%in: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64},
                      %out: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64})
        attributes {gpu.kernel, rocdl.kernel} {
      %zero = llvm.mlir.constant(0 : i32) : i32
      %a = llvm.load %in : !llvm.ptr<1> -> vector<4xf16>
      %c = llvm.load %in : !llvm.ptr<1> -> vector<4xf32>
      %d = rocdl.mfma.f32.16x16x16f16 %a, %a, %c, %zero, %zero, %zero
          : (vector<4xf16>, vector<4xf16>, vector<4xf32>, i32, i32, i32)
          -> vector<4xf32>
      llvm.store %d, %out : vector<4xf32>, !llvm.ptr<1>
      %vector = llvm.mlir.zero : vector<4xi32>
      %id = rocdl.workitem.id.x : i32
      %from = llvm.getelementptr %in[%id]
          : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i64
)mlir";
  llvm::raw_string_ostream os(text);
  for (int place : {32, 33, 34, 35})
    os << llvm::formatv(R"mlir(
      %in{0} = llvm.getelementptr %from[{0}]
          : (!llvm.ptr<1>) -> !llvm.ptr<1>, {2}
      %out{0} = llvm.getelementptr %out[{0}]
          : (!llvm.ptr<1>) -> !llvm.ptr<1>, {2}
      %x{0} = llvm.load %in{0} : !llvm.ptr<1> -> {2}
      %y{0} = {1} %x{0}, %x{0} : {2}
      llvm.store %y{0}, %out{0} : {2}, !llvm.ptr<1>
)mlir",
                        place, multiply, type);
  for (int i = 0; i < movedElements; ++i)
    os << llvm::formatv("%v{0} = llvm.insertelement %id, %{1}[%zero : i32] : "
                        "vector<4xi32>\n",
                        i, i == 0 ? "vector" : "v" + std::to_string(i - 1));
  os << "llvm.return\n}\n}\n}\n";
  return text;
}

/// A kernel that multiplies three neighbouring numbers by another one, with
/// hundreds of addresses and so many groups besides.
std::string writeProducts(int groups) {
  std::string text = R"mlir(
module attributes {conv.target = #conv.target<"gfx942">} {
  gpu.module @kernels {
    llvm.func @kernel(%out: !llvm.ptr<1>, %by: i32)
        attributes {gpu.kernel, rocdl.kernel} {
      %id = rocdl.workitem.id.x : i32
)mlir";
  llvm::raw_string_ostream os(text);
  for (int i = 0; i < 3; ++i)
    os << llvm::formatv(R"mlir(
      %c{0} = llvm.mlir.constant({0} : i32) : i32
      %x{0} = llvm.add %id, %c{0} : i32
      %y{0} = llvm.mul %x{0}, %by : i32
      %at{0} = llvm.getelementptr %out[{0}]
          : (!llvm.ptr<1>) -> !llvm.ptr<1>, i64
      llvm.store volatile %y{0}, %at{0} : i32, !llvm.ptr<1>
)mlir",
                        i);
  for (int i = 3; i < 400; ++i)
    os << llvm::formatv(R"mlir(
      %at{0} = llvm.getelementptr %out[{0}]
          : (!llvm.ptr<1>) -> !llvm.ptr<1>, i64
      llvm.store volatile %id, %at{0} : i32, !llvm.ptr<1>
)mlir",
                        i);
  for (int i = 0; i < groups; ++i)
    os << "rocdl.sched.group.barrier 8, 1, 0\n";
  os << "llvm.return\n}\n}\n}\n";
  return text;
}

std::string compile(const std::string &text) {
  DialectRegistry registry;
  registry.insert<ConvDialect, LLVM::LLVMDialect, ROCDL::ROCDLDialect,
                  gpu::GPUDialect>();
  registerAMDGPUTranslations(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return "no module";
  FailureOr<std::string> assembly =
      compileToAssembly(*module->getOps<gpu::GPUModuleOp>().begin());
  return succeeded(assembly) ? *assembly : "no assembly";
}

bool contains(const std::string &text, StringRef part) {
  return StringRef(text).contains(part);
}

// Vectorizers find nothing in products of matrices, and take long.
TEST(Assembly, MatrixKernelsSkipVectorizers) {
  std::string assembly = compile(writeKernel("llvm.mul", "i16"));
  EXPECT_TRUE(contains(assembly, "v_mfma_f32_16x16x16_f16"));
  EXPECT_FALSE(contains(assembly, "v_pk_mul_lo_u16")) << assembly;
}

// Vectorizers transpose operands in another way, which may be faster.
TEST(Assembly, TransposingKernelsAreVectorized) {
  std::string assembly = compile(writeKernel("llvm.mul", "i16", 256));
  EXPECT_TRUE(contains(assembly, "v_pk_mul_lo_u16")) << assembly;
}

// Neighbours in memory are accessed together all the same.
TEST(Assembly, MatrixKernelsJoinAccesses) {
  std::string assembly = compile(writeKernel("llvm.mul", "i32"));
  EXPECT_TRUE(contains(assembly, "global_load_dwordx4")) << assembly;
  // The other one stores the matrix.
  EXPECT_EQ(StringRef(assembly).count("global_store_dwordx4"), 2u) << assembly;
}

// An epilogue multiplies two elements at a time.
TEST(Assembly, LaneArithmeticIsVectorized) {
  std::string assembly = compile(writeKernel("llvm.fmul", "f32"));
  EXPECT_TRUE(contains(assembly, "v_mfma_f32_16x16x16_f16"));
  EXPECT_TRUE(contains(assembly, "v_pk_mul_f32")) << assembly;
}

// Each product is the one before it and the other number, but to find that
// takes time with the square of the number of addresses.
TEST(Assembly, AddressesOfLongLoopsAreNotCompared) {
  auto countProducts = [](int groups) {
    return StringRef(compile(writeProducts(groups))).count("_mul_");
  };
  size_t compared = countProducts(400);
  EXPECT_GT(compared, 0u);
  EXPECT_GT(countProducts(500), compared);
}

} // namespace
