//===- KernelOps.cpp - verification of the ops inside kernels ---*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our own passes create guarded memory accesses and matrix instructions, so
// these checks are for developers and for hand-written tests.
//
//===----------------------------------------------------------------------===//

#include "conv/Dialect/Conv/IR/Conv.h"

#include "conv/Dialect/Conv/IR/TypeBytes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::conv;

/// Checks G1 and G2 for an access to `buffer`.
static LogicalResult verifyOffset(Operation *op, MemRefType buffer,
                                  Type offset) {
  // G1.
  if (!buffer.getLayout().isIdentity())
    return op->emitOpError("expects a contiguous buffer, but got ") << buffer;
  // G2.
  int64_t bytes = computeBytes(buffer);
  unsigned expected = bytes >= (int64_t(1) << 31) ? 64 : 32;
  if (!offset.isInteger(expected))
    return op->emitOpError("expects an i")
           << expected << " offset into " << bytes << " bytes, but got "
           << offset;
  return success();
}

/// Checks G1, G2 and G5 for an access of `value` to `buffer`.
static LogicalResult verifyGuardedAccess(Operation *op, MemRefType buffer,
                                         Type offset, Value value) {
  // G5.
  auto vector = cast<VectorType>(value.getType());
  int64_t width = computeBytes(vector);
  if (width > ::conv::kVectorBytes)
    return op->emitOpError("expects an access of at most ")
           << ::conv::kVectorBytes << " bytes, but got " << width;
  return verifyOffset(op, buffer, offset);
}

LogicalResult GuardedLoadOp::verify() {
  return verifyGuardedAccess(*this, getSource().getType(),
                             getOffset().getType(), getResult());
}

LogicalResult PlacedLoadOp::verify() {
  // G9.
  int64_t bytes = computeBytes(getSource().getType());
  int64_t lead = static_cast<int64_t>(getLead());
  if (lead < 0)
    return emitOpError("expects a lead that is not negative, but got ") << lead;
  if (bytes + lead >= (int64_t(1) << 31))
    return emitOpError("expects less than 2 GiB, but got ")
           << bytes << " bytes and a lead of " << lead;
  return verifyGuardedAccess(*this, getSource().getType(), getPlace().getType(),
                             getResult());
}

LogicalResult GuardedStoreOp::verify() {
  return verifyGuardedAccess(*this, getDestination().getType(),
                             getOffset().getType(), getValue());
}

/// Whether lanes can copy so many bytes to shared memory without registers.
static bool hasCopies(const ::conv::ChipInfo &chip, int64_t bytes) {
  const ::conv::LaneCopies *copies = chip.getLaneCopies();
  return copies ? copies->bytes == bytes : chip.copiesWithoutRegisters(bytes);
}

LogicalResult GuardedCopyOp::verify() {
  MemRefType source = getSource().getType();
  MemRefType destination = getDestination().getType();
  // G7.
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(destination) ||
      !destination.getLayout().isIdentity() ||
      destination.getElementType() != source.getElementType())
    return emitOpError("expects a contiguous destination of ")
           << source.getElementType() << " in shared memory, but got "
           << destination;
  // G8.
  TargetAttr target = TargetAttr::lookup(*this);
  int64_t bytes = int64_t(getElements()) * getElementBytes(source);
  if ((target && !hasCopies(target.getInfo(), bytes)) ||
      bytes > ::conv::kVectorBytes || !llvm::isPowerOf2_64(bytes))
    return emitOpError("expects a copy that the target has, but got ")
           << bytes << " bytes";
  return verifyOffset(*this, source, getOffset().getType());
}

LogicalResult AddressOp::verify() {
  // G6.
  if (!getBuffer().getType().getLayout().isIdentity())
    return emitOpError("expects a contiguous buffer, but got ")
           << getBuffer().getType();
  return success();
}

/// Checks that `value` has as many elements as a lane's fragment.
static LogicalResult verifyFragment(MmaOp op, StringRef name, Value value,
                                    int64_t expected) {
  int64_t elements = cast<VectorType>(value.getType()).getNumElements();
  if (elements == expected)
    return success();
  return op.emitOpError("expects ") << name << " to have " << expected
                                    << " elements, but got " << elements;
}

::conv::NumericType MmaOp::getMultipliedType() {
  const ::conv::ChipInfo &chip = TargetAttr::lookup(*this).getInfo();
  return lookupAtom(chip, getAtom(), getElementTypeOrSelf(getA()))->operand;
}

LogicalResult MmaOp::verify() {
  Type element = cast<VectorType>(getA().getType()).getElementType();
  // M2.
  Type elementOfB = cast<VectorType>(getB().getType()).getElementType();
  if (!areMultiplied(element, elementOfB))
    return emitOpError("expects a and b of one element type or one family of "
                       "8-bit floats, but got ")
           << getA().getType() << " and " << getB().getType();
  Type sum = cast<VectorType>(getAccumulator().getType()).getElementType();
  if (sum != getAccumulatorType(element))
    return emitOpError("expects an accumulator of ")
           << getAccumulatorType(element) << " for " << element << ", but got "
           << sum;
  TargetAttr target = TargetAttr::lookup(*this);
  if (!target)
    return success();
  // M1.
  const ::conv::ChipInfo &chip = target.getInfo();
  const ::conv::MatrixAtom *atom = lookupAtom(chip, getAtom(), element);
  if (!atom)
    return emitOpError("expects an atom of ")
           << target.getChip() << " for " << element << ", but got "
           << getAtom();
  // M2.
  if (failed(verifyFragment(*this, "a", getA(),
                            atom->kPerLane * atom->rowsOfA())) ||
      failed(verifyFragment(*this, "b", getB(), atom->kPerLane)))
    return failure();
  return verifyFragment(*this, "accumulator", getAccumulator(),
                        atom->m * atom->n / chip.subgroupSize);
}
