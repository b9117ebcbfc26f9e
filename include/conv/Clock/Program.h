//===- Program.h - a kernel's instructions ----------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of a code object, decoded by LLVM's disassembler, in the form that
// the interpreter and the clock read: the unit of each instruction, the
// registers it reads and writes, the bytes it moves. Operands come from the
// printed assembly, whose syntax is documented; LLVM's operand lists are not.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_CLOCK_PROGRAM_H
#define CONV_CLOCK_PROGRAM_H

#include "conv/Support/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conv::clock {

/// The unit that executes an instruction.
enum class Unit : uint8_t {
  Matrix,
  Vector,
  Scalar,
  Shared,       ///< LDS.
  Global,       ///< Vector memory: buffer, global and flat.
  ScalarMemory, ///< Loads through the scalar cache.
  Wait,         ///< s_waitcnt and the like: only the wave waits.
  Barrier,
  Branch,
  Internal, ///< s_nop, s_setprio, ...: takes only a turn of its wave.
};
inline constexpr int kUnits = 10;

/// "matrix", "vector", ...: as reports spell it.
std::string_view getName(Unit unit);

/// Registers are numbered: scalars, with vcc, m0 and exec among them, then
/// vector registers, then accumulation registers.
inline constexpr int kScalarRegisters = 128;
inline constexpr int kVectorRegisters = 512;
inline constexpr int kVcc = 106, kTrap = 108, kM0 = 124, kExec = 126;

struct Operand {
  enum Kind : uint8_t { None, Scalar, Vector, Literal, Scc, Modified };
  Kind kind = None; ///< Modified: a register with a sign or a selection.
  uint8_t count = 0;
  uint16_t index = 0;
  uint64_t literal = 0;
  /// The accessed part of a vector register: all of it, a byte or a half.
  enum Part : uint8_t { All, Byte0, Byte1, Byte2, Byte3, Low, High };
  Part part = All;
};

/// Limits of a wait, by counter; `kNoLimit` for counters it does not wait for.
enum class Counter : uint8_t { Load, Store, Shared, Scalar };
inline constexpr int kCounters = 4;
inline constexpr uint16_t kNoLimit = 0xffff;

struct Instruction {
  uint64_t address = 0;
  std::string text;     ///< As LLVM prints it.
  std::string mnemonic; ///< Without the suffix of its encoding.
  Unit unit = Unit::Internal;
  std::vector<Operand> operands;
  int definitions = 0; ///< The number of leading operands that are written.
  int64_t immediate = 0;
  /// Offsets of memory instructions; of v_bitop3_b32, the truth table.
  int64_t offset = 0, offset1 = -1;
  bool takesIndex = false; ///< buffer: a register holds an offset.
  bool isStore = false;
  bool writesShared = false; ///< A load to LDS that bypasses registers.
  int bytes = 0;             ///< Bytes of one lane (or one scalar load).
  int target = -1;           ///< The index to which a branch jumps.
  int matrixCycles = 0;
  double flops = 0; ///< Operations of one wave.
  std::array<uint16_t, kCounters> limits{kNoLimit, kNoLimit, kNoLimit,
                                         kNoLimit};
  int second = -1; ///< Dual issue: index in `Program::seconds`.
};

/// The facts that a code object states about a kernel.
struct KernelFacts {
  int waveSize = 64;
  int64_t registers = 0; ///< Vector registers of a lane, both kinds together.
  int64_t sharedBytes = 0;
  int64_t kernargBytes = 0;
  uint64_t kernelCodeProperties = 0, rsrc1 = 0, rsrc2 = 0;
  /// Both compute units of a workgroup processor share a workgroup.
  bool sharesProcessor = false;
  struct Parameter {
    int64_t offset = 0, bytes = 0;
    std::string kind; ///< "global_buffer", "by_value", "hidden_...".
  };
  std::vector<Parameter> parameters;
};

/// An innermost loop that a branch closes.
struct Loop {
  int first = 0, last = 0; ///< First and last instruction, inclusive.
  /// Number of the first of the loops that are copies of this one: they have as
  /// many matrix instructions, accesses to shared memory and to global memory.
  int original = 0;
};

struct Program {
  std::string kernel;
  std::vector<Instruction> code;
  std::vector<Instruction> seconds; ///< Second halves of dual instructions.
  KernelFacts facts;
  std::vector<Loop> loops;
};

struct Pace;

/// Decodes one kernel of a code object (HSACO).
Result<Program> decodeKernel(std::string_view object, const std::string &kernel,
                             const Pace &pace);

/// Reads one printed instruction; `address` and branch targets are left alone.
Instruction parseInstruction(std::string_view text, const Pace &pace,
                             std::vector<Instruction> &seconds);

/// Finds the loops of a decoded kernel.
void findLoops(Program &program);

/// Whether an instruction is the last one of a loop or of its copies.
std::vector<bool> findEnds(const Program &program, const Loop &loop);

} // namespace conv::clock

#endif // CONV_CLOCK_PROGRAM_H
