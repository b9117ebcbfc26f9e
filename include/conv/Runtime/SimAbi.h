//===- SimAbi.h - what objects and the simulator agree on -------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The binary interface between a kernel compiled by lib/Backend/Sim and the
// machine in lib/Runtime/Sim. Both sides see only this file: it has no LLVM, no
// STL, and every structure has the layout of the x86-64 System V ABI. Every
// change to a structure here changes `abiVersion`.
//
// An object is an x86-64 ELF shared library that needs nothing but libc and
// exports one symbol, `conv_sim_object`. The loader checks the version, fills
// in
// `*services` and the `handler` of every site, and may then call the entries.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_RUNTIME_SIMABI_H
#define CONV_RUNTIME_SIMABI_H

#include <cstdint>

namespace conv::sim {

inline constexpr uint32_t abiVersion = 3;
inline constexpr char objectSymbol[] = "conv_sim_object";

/// Size of the exchange area of a work-item: the result of an operation at
/// offset 0, then its operands, each at a multiple of `frameAlignment`.
inline constexpr uint32_t frameBytes = 512;
inline constexpr uint32_t frameAlignment = 16;
inline constexpr uint32_t maxOperands = 11;

/// The state that compiled code reads of its work-item. It is constant while a
/// workgroup runs, except for what `frame` points to.
struct Item {
  uint32_t workItemId[3];
  uint32_t lane;
  uint32_t workgroupId[3];
  uint32_t wave;
  uint64_t ldsBase; ///< Address of LDS byte 0; LDS ends below 4 GiB.
  uint8_t *frame;
  const uint8_t *kernarg;
  const uint8_t *dispatchPacket; ///< An `hsa_kernel_dispatch_packet_t`.
  const uint8_t *implicitArgs;   ///< In the layout of code object version 5.
};

enum class SiteKind : uint32_t {
  Load = 0,
  Store = 1,
  Atomic = 2,
  Barrier = 3,
  WaveOp = 4, ///< All lanes of a wave meet; one handler call serves them.
  LaneOp = 5, ///< Served for each work-item on its own.
};

struct Site;

/// Serves a `LaneOp` for one work-item, and reads and writes its frame.
using LaneHandler = void (*)(Item *item, const Site *site);

/// One operation in a kernel that the machine serves or checks.
struct Site {
  const char *name; ///< `load`, `store`, or the intrinsic after `llvm.amdgcn.`.
  const char *location; ///< `file:line`, or empty.
  void *handler;        ///< Filled in by the loader for WaveOp and LaneOp.
  SiteKind kind;
  uint32_t index;
  uint32_t bytes;     ///< Bytes of an access; 0 otherwise.
  uint32_t alignment; ///< Alignment that the access promises.
  /// The part of a buffer access's offset that is in the instruction.
  uint32_t immediate;
  uint32_t resultBytes;
  uint32_t operandCount;
  uint32_t operandOffset[maxOperands];
  uint32_t operandBytes[maxOperands];
};

/// A buffer resource (V#): what `llvm.amdgcn.make.buffer.rsrc` makes.
struct Resource {
  uint64_t base;
  uint64_t numRecords;
  uint32_t flags;
  uint32_t stride;
};

/// The services of the machine for compiled code.
struct Services {
  /// The lanes of a wave meet at `site`; its handler reads and writes frames.
  void (*waveOp)(Item *item, const Site *site);
  /// The waves of a workgroup meet.
  void (*barrier)(Item *item, const Site *site);
  /// First half of a split barrier; the second half is `barrier`.
  void (*barrierSignal)(Item *item, const Site *site);
  /// Checks and counts an access that is about to happen, as far as the options
  /// of the machine ask for it. Does not return if the access is wrong.
  void (*access)(Item *item, const Site *site, uint64_t address);
  /// Checks and counts a buffer access at `offset` from the base of `resource`.
  /// `scalarOffset` is the part of it that came from the scalar operand.
  void (*bufferAccess)(Item *item, const Site *site, const Resource *resource,
                       uint64_t offset, uint32_t scalarOffset);
  /// A resource that lives until the launch ends, for code that copies
  /// resources through phis.
  const Resource *(*makeResource)(Item *item, uint64_t base,
                                  uint64_t numRecords, uint32_t flags,
                                  uint32_t stride);
};

struct Parameter {
  uint32_t offset; ///< Bytes in the kernarg block.
  uint32_t bytes;
};

using KernelEntry = void (*)(Item *item);

struct Kernel {
  const char *name;
  KernelEntry entry; ///< Announces each access to `Services::access`.
  uint32_t ldsBytes; ///< Static; dynamic shared memory follows.
  uint32_t kernargBytes;
  uint32_t parameterCount;
  uint32_t requiredBlock[3]; ///< Zero if the kernel does not say.
  const Parameter *parameters;
};

struct Object {
  uint32_t version;
  uint32_t waveSize;
  const char *chip;
  uint32_t kernelCount;
  uint32_t siteCount;
  const Kernel *kernels;
  Site *sites;
  const Services **services;
};

} // namespace conv::sim

#endif // CONV_RUNTIME_SIMABI_H
