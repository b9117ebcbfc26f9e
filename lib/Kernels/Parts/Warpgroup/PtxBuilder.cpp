//===- PtxBuilder.cpp - instructions of NVIDIA GPUs -------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file only spells out operations of the NVVM dialect.
//
//===----------------------------------------------------------------------===//

#include "PtxBuilder.h"

#include "../SharedNumber.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::conv;
using llvm::formatv;

/// Number of the cluster's shared address space in the LLVM dialect.
static constexpr unsigned kSharedCluster = 7;

Value PtxBuilder::constant64(int64_t value) const {
  return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

Value PtxBuilder::extend64(Value value) const {
  return b.createOrFold<arith::ExtUIOp>(b.getI64Type(), value);
}

Value PtxBuilder::add64(Value lhs, Value rhs) const {
  return b.createOrFold<arith::AddIOp>(lhs, rhs);
}

Value PtxBuilder::truncate16(Value value) const {
  return b.createOrFold<arith::TruncIOp>(b.getI16Type(), value);
}

Value PtxBuilder::equal(Value lhs, int64_t rhs) const {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, lhs,
                                       math.constant(rhs));
}

Value PtxBuilder::select(Value condition, int64_t yes, Value no) const {
  return b.createOrFold<arith::SelectOp>(condition, math.constant(yes), no);
}

Value PtxBuilder::getAddress(Value buffer) const {
  constexpr unsigned kGlobal = 1;
  return AddressOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kGlobal), buffer);
}

Value PtxBuilder::offset(Value pointer, Value bytes) const {
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value PtxBuilder::offset(Value pointer, int64_t bytes) const {
  return bytes == 0 ? pointer
                    : LLVM::GEPOp::create(
                          b, pointer.getType(), b.getI8Type(), pointer,
                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)})
                          .getResult();
}

void PtxBuilder::createIf(Value condition, function_ref<void()> body) const {
  scf::IfOp::create(b, condition, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(b);
  });
}

SmallVector<Value> PtxBuilder::createFor(
    Value lower, Value upper, int64_t step, ValueRange initial,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) const {
  auto loop = scf::ForOp::create(
      b, lower, upper, math.constant(step), initial,
      [&](OpBuilder &, Location, Value index, ValueRange carried) {
        SmallVector<Value> results = body(index, carried);
        scf::YieldOp::create(b, results);
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> PtxBuilder::createSwitch(
    Value number, int64_t count,
    function_ref<SmallVector<Value>(int64_t)> create) const {
  return mlir::conv::createSwitch(
      b, number, llvm::to_vector(llvm::seq<int64_t>(1, count + 1)), create);
}

/// Each lane exchanges the value with itself, which neither LLVM nor ptxas
/// sees: the distance is 0 for any number of ones in `other`.
Value PtxBuilder::computeAfter(Value value, Value other) const {
  return LLVM::InlineAsmOp::create(
             b, b.getI32Type(), ValueRange{value, other},
             "{\n"
             ".reg .b32 distance;\n"
             "popc.b32 distance, $2;\n"
             "shr.u32 distance, distance, 6;\n"
             "shfl.sync.bfly.b32 $0, $1, distance, 31, 0xffffffff;\n"
             "}",
             "=r,r,r,~{memory}", /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

Value PtxBuilder::uniform(Value value) const {
  return NVVM::ShflOp::create(b, b.getI32Type(), math.constant(-1), value,
                              math.constant(0), math.constant(31),
                              NVVM::ShflKind::idx, UnitAttr());
}

Value PtxBuilder::fromPreviousLane(Value value) const {
  Value number = arith::ExtUIOp::create(b, b.getI32Type(), value);
  Value previous = NVVM::ShflOp::create(
      b, b.getI32Type(), math.constant(-1), number, math.constant(1),
      math.constant(0), NVVM::ShflKind::up, UnitAttr());
  return equal(previous, 1);
}

Value PtxBuilder::elect() const {
  return NVVM::ElectSyncOp::create(b, b.getI1Type(), Value());
}

void PtxBuilder::synchronizeWarp() const {
  NVVM::SyncWarpOp::create(b, math.constant(-1));
}

void PtxBuilder::barrier(Value id, int64_t workItems) const {
  NVVM::BarrierOp::create(b, TypeRange(), id, math.constant(workItems),
                          NVVM::BarrierReductionAttr(), Value());
}

void PtxBuilder::synchronizeCluster() const {
  NVVM::ClusterArriveRelaxedOp::create(b, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
}

Value PtxBuilder::locateInCluster(Value shared, Value rank) const {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kSharedCluster);
  return NVVM::MapaOp::create(b, type, shared, rank);
}

void PtxBuilder::storeInCluster(Value destination, ArrayRef<Value> elements,
                                Value barrier) const {
  SmallVector<Value> operands = {destination};
  llvm::append_range(operands, elements);
  operands.push_back(barrier);
  LLVM::InlineAsmOp::create(
      b, /*res=*/TypeRange(), operands,
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 "
      "[$0], {$1, $2, $3, $4}, [$5];",
      "l,f,f,f,f,l,~{memory}", /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

void PtxBuilder::fenceSharedForCopies() const {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

void PtxBuilder::startNextKernel() const {
  NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::launch_dependents);
}

void PtxBuilder::waitForKernels() const {
  NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::wait);
}

/// Copies take shared memory as an address in the cluster's address space.
static Value castToCluster(ImplicitLocOpBuilder &b, Value shared) {
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kSharedCluster);
  return LLVM::AddrSpaceCastOp::create(b, type, shared);
}

Value PtxBuilder::load(Value source, int64_t bytes, Value guard) const {
  int64_t words = std::max<int64_t>(bytes / 4, 1);
  bool isWord = bytes >= 4;
  // Registers have two bytes or more.
  Type loaded = isWord ? b.getI32Type() : b.getI16Type();
  std::string zeros, registers, outputs;
  for (int64_t i = 0; i < words; ++i) {
    zeros += formatv("mov.b{0} ${1}, 0;\n", isWord ? 32 : 16, i);
    registers += formatv("{0}${1}", i == 0 ? "" : ", ", i);
    outputs += isWord ? "=&r," : "=&h,";
  }
  std::string instruction =
      words == 1 ? formatv("ld.global.b{0} {1}", 8 * bytes, registers).str()
                 : formatv("ld.global.v{0}.b32 {{{1}}", words, registers).str();
  std::string assembly =
      formatv("{0}@${1} {2}, [${3}];", zeros, words + 1, instruction, words);
  Type result = words == 1 ? loaded
                           : LLVM::LLVMStructType::getLiteral(
                                 b.getContext(), SmallVector(words, loaded));
  Value values =
      LLVM::InlineAsmOp::create(
          b, result, ValueRange{source, guard ? guard : math.yes()}, assembly,
          outputs + "l,b", /*has_side_effects=*/true, /*is_align_stack=*/false,
          LLVM::TailCallKind::None,
          LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
          /*operand_attrs=*/ArrayAttr())
          .getResult(0);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < words; ++i)
    elements.push_back(words == 1 ? values
                                  : LLVM::ExtractValueOp::create(b, values, i));
  if (bytes == 1)
    elements = {arith::TruncIOp::create(b, b.getI8Type(), values)};
  return vector::FromElementsOp::create(
      b, VectorType::get({words}, elements.front().getType()), elements);
}

void PtxBuilder::startCopy(Value destination, Value source, int64_t bytes,
                           bool isShared, Value guard) const {
  constexpr int64_t kUncachedBytes = 16;
  Value readBytes = guard ? select(guard, bytes, math.constant(0)) : Value();
  NVVM::CpAsyncOp::create(b, destination, source, static_cast<uint32_t>(bytes),
                          bytes == kUncachedBytes && !isShared
                              ? NVVM::LoadCacheModifierKind::CG
                              : NVVM::LoadCacheModifierKind::CA,
                          readBytes);
}

void PtxBuilder::signalCopies(Value barrier) const {
  NVVM::CpAsyncMBarrierArriveOp::create(b, barrier, /*noinc=*/true);
}

void PtxBuilder::loadBytes(Value destination, Value source, Value barrier,
                           Value bytes) const {
  NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
      b, castToCluster(b, destination), source, barrier, bytes,
      /*multicastMask=*/Value(), /*l2CacheHint=*/Value());
}

void PtxBuilder::loadBox(Value destination, Value map, Value barrier,
                         ArrayRef<Value> coordinates,
                         ArrayRef<Value> offsets) const {
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, castToCluster(b, destination), map, coordinates, barrier, offsets,
      /*multicastMask=*/Value(), /*l2CacheHint=*/Value(),
      offsets.empty() ? NVVM::TMALoadMode::TILE : NVVM::TMALoadMode::IM2COL,
      /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

void PtxBuilder::prefetchMap(Value map) const {
  NVVM::PrefetchOp::create(b, /*cacheLevel=*/{}, /*evictPriority=*/{}, map,
                           /*predicate=*/Value(), /*tensormap=*/true,
                           /*uniform=*/false, /*in_param_space=*/false);
}

void PtxBuilder::prefetchToL2(Value pointer) const {
  auto level = NVVM::PrefetchCacheLevelAttr::get(b.getContext(),
                                                 NVVM::PrefetchCacheLevel::L2);
  NVVM::PrefetchOp::create(b, level, /*evictPriority=*/{}, pointer,
                           /*predicate=*/Value(), /*tensormap=*/false,
                           /*uniform=*/false, /*in_param_space=*/false);
}

void PtxBuilder::prefetchToL2(Value buffer, Value first, Value bytes) const {
  Value start = offset(getAddress(buffer), first);
  Value aligned = LLVM::PtrMaskOp::create(b, start.getType(), start,
                                          constant64(-kPrefetchUnit));
  NVVM::CpAsyncBulkPrefetchOp::create(b, aligned, bytes,
                                      /*l2CacheHint=*/Value());
}

void PtxBuilder::storeBox(Value map, Value source, ArrayRef<Value> coordinates,
                          bool isIm2col) const {
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      b, map, source, coordinates, /*l2CacheHint=*/Value(),
      isIm2col ? NVVM::TMAStoreMode::IM2COL : NVVM::TMAStoreMode::TILE,
      /*predicate=*/Value());
}

void PtxBuilder::commitStores() const {
  NVVM::CpAsyncBulkCommitGroupOp::create(b);
}

void PtxBuilder::waitForStores(int64_t pending) const {
  NVVM::CpAsyncBulkWaitGroupOp::create(b, pending, b.getUnitAttr());
}
