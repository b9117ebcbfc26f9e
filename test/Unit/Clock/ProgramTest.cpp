//===- ProgramTest.cpp - what is read from code and interpreted -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClockTest.h"

using namespace conv;
using namespace conv::clock;

static Instruction parse(const std::string &chip, const std::string &text) {
  std::vector<Instruction> seconds;
  return parseInstruction(text, *lookupPace(chip), seconds);
}

TEST(Program, UnitsAndWidths) {
  Instruction load =
      parse("gfx942", "buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen "
                      "offset:64");
  EXPECT_EQ(load.unit, Unit::Global);
  EXPECT_EQ(load.bytes, 16);
  EXPECT_EQ(load.offset, 64);
  EXPECT_TRUE(load.takesIndex);
  EXPECT_EQ(load.definitions, 1);
  Instruction copy =
      parse("gfx950", "buffer_load_dwordx4 v5, s[4:7], 0 offen lds");
  EXPECT_TRUE(copy.writesShared);
  EXPECT_EQ(copy.bytes, 16);
  EXPECT_EQ(copy.definitions, 0);
  EXPECT_EQ(parse("gfx1201", "ds_store_b64 v1, v[2:3]").bytes, 8);
  EXPECT_TRUE(parse("gfx1201", "ds_store_b64 v1, v[2:3]").isStore);
  EXPECT_EQ(parse("gfx1201", "buffer_load_d16_u16 v1, v2, s[0:3], null").bytes,
            2);
  EXPECT_EQ(parse("gfx950", "ds_read_b64_tr_b16 v[0:1], v2").bytes, 8);
  EXPECT_EQ(parse("gfx942", "ds_read2_b64 v[0:3], v4 offset1:2").bytes, 16);
  EXPECT_EQ(parse("gfx942", "ds_read2_b64 v[0:3], v4 offset1:2").offset1, 16);
  EXPECT_EQ(parse("gfx942", "s_load_dwordx4 s[0:3], s[4:5], 0x0").bytes, 16);
}

TEST(Program, WaitsOfEveryGeneration) {
  auto limit = [](const Instruction &wait, Counter counter) {
    return wait.limits[size_t(counter)];
  };
  Instruction joined = parse("gfx942", "s_waitcnt vmcnt(3) lgkmcnt(0)");
  EXPECT_EQ(limit(joined, Counter::Load), 3);
  EXPECT_EQ(limit(joined, Counter::Shared), 0);
  EXPECT_EQ(limit(joined, Counter::Store), kNoLimit);
  Instruction stores = parse("gfx1100", "s_waitcnt_vscnt null, 0x0");
  EXPECT_EQ(limit(stores, Counter::Store), 0);
  Instruction pair = parse("gfx1201", "s_wait_loadcnt_dscnt 0x204");
  EXPECT_EQ(limit(pair, Counter::Load), 2);
  EXPECT_EQ(limit(pair, Counter::Shared), 4);
}

// The names of atoms and their cycles come from different documents.
TEST(Program, MatrixCyclesAreThoseOfTheAtoms) {
  auto name = [](const MatrixAtom &atom, bool isOld) {
    std::string shape = std::to_string(atom.m) + "x" + std::to_string(atom.n) +
                        "x" + std::to_string(atom.k);
    bool isInteger = atom.operand == NumericType::I8;
    std::string start = std::string("v_") +
                        (atom.kind == AtomKind::MFMA ? "mfma_" : "wmma_") +
                        (isInteger ? "i32_" : "f32_") + shape;
    std::string type = isInteger ? (isOld ? "i8" : "iu8")
                       : atom.operand == NumericType::F8     ? "f8f6f4"
                       : atom.operand == NumericType::F8FNUZ ? "fp8_fp8"
                       : atom.operand == NumericType::TF32
                           ? "xf32"
                           : std::string(getName(atom.operand));
    return start + (isOld ? "" : "_") + type;
  };
  for (const char *chip :
       {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"}) {
    const Pace *pace = lookupPace(chip);
    for (const MatrixAtom &atom : pace->chip->atoms) {
      if (atom.kind == AtomKind::FMA)
        continue;
      double flops = 0;
      std::string spelled = name(atom, std::string(chip) == "gfx90a");
      EXPECT_EQ(getMatrixCycles(*pace, spelled, flops), atom.cycles)
          << chip << " " << spelled;
      EXPECT_EQ(flops, 2.0 * atom.m * atom.n * atom.k);
    }
  }
}

TEST(Program, LoopsAreCountedByTheirScalars) {
  Program program = assemble("gfx942", "s_mov_b32 s4, 0\n.Lloop:\n"
                                       "s_add_i32 s4, s4, 3\n"
                                       "s_cmp_lt_i32 s4, 30\n"
                                       "s_cbranch_scc1 .Lloop\n");
  ASSERT_EQ(program.loops.size(), 1u);
  EXPECT_EQ(program.loops[0].first, 1);
  EXPECT_EQ(program.loops[0].last, 3);
  WorkgroupTrace trace = interpret(program, *lookupPace("gfx942"));
  EXPECT_EQ(trace.waves[0].steps.size(), 1u + 10 * 3 + 1);
  EXPECT_TRUE(trace.isComplete);
}

// Loops that are alike are one loop, of which each has a part.
TEST(Program, CopiesOfALoopAreOneLoop) {
  auto loop = [](const std::string &name, const std::string &body) {
    return "s_mov_b32 s4, 2\n" + name + ":\n" + body +
           "s_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 " + name +
           "\n";
  };
  std::string product =
      "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n";
  Program program = assemble(
      "gfx942", loop(".La", "v_mov_b32 v4, 0\n") + loop(".Lb", product) +
                    "s_setprio 1\n" + loop(".Lc", product) +
                    loop(".Ld", product + product));
  ASSERT_EQ(program.loops.size(), 4u);
  EXPECT_EQ(program.loops[1].original, 1);
  EXPECT_EQ(program.loops[2].original, 1);
  EXPECT_EQ(program.loops[3].original, 3);
  WorkgroupTrace trace = interpret(program, *lookupPace("gfx942"));
  const WaveTrace &wave = trace.waves.front();
  EXPECT_EQ(findMainLoop(program, wave), &program.loops[1]);
  EXPECT_EQ(countLoop(program, wave, &program.loops[1]).matrixCycles,
            program.code[size_t(program.loops[1].first)].matrixCycles);
}

TEST(Program, BitsDecideBranches) {
  auto countSteps = [](const std::string &value, const std::string &name) {
    Program program =
        assemble("gfx942", "s_mov_b32 s4, " + value + "\n" + name +
                               " s4, 1\ns_cbranch_scc1 .Lend\ns_nop 0\n");
    WorkgroupTrace trace = interpret(program, *lookupPace("gfx942"));
    EXPECT_EQ(trace.unknownBranches, 0);
    return trace.waves[0].steps.size();
  };
  // A taken branch skips an instruction.
  EXPECT_LT(countSteps("2", "s_bitcmp1_b32"), countSteps("5", "s_bitcmp1_b32"));
  EXPECT_LT(countSteps("5", "s_bitcmp0_b32"), countSteps("2", "s_bitcmp0_b32"));
}

// 64 lanes of 4 bytes are two lines of 128; lanes out of range have none.
TEST(Program, LinesOfABuffer) {
  auto lines = [](const std::string &records, const std::string &shift) {
    Program program = assemble(
        "gfx942", describeBuffer(records) + "v_lshlrev_b32 v1, " + shift +
                      ", v0\n"
                      "buffer_load_dword v2, v1, s[8:11], 0 offen\n");
    WorkgroupTrace trace = interpret(program, *lookupPace("gfx942"));
    EXPECT_EQ(trace.unknownAddresses, 0);
    return trace.waves[0].accesses[0];
  };
  EXPECT_EQ(lines("0x1000", "2").lines, 2);
  EXPECT_EQ(lines("0x1000", "2").bytes, 256u);
  EXPECT_EQ(lines("0x1000", "6").lines, 32);
  EXPECT_EQ(lines("0x80", "2").lines, 1);
  EXPECT_EQ(lines("0x80", "2").bytes, 128u);
}

// LLVM spills scalars to lanes of a register, where they stay known.
TEST(Program, ScalarsInLanes) {
  auto countSteps = [](const std::string &lane) {
    Program program = assemble("gfx942", "s_mov_b32 s4, 1\ns_mov_b32 s5, 0\n"
                                         "v_writelane_b32 v7, s4, 3\n"
                                         "v_writelane_b32 v7, s5, 5\n"
                                         "v_readlane_b32 s6, v7, " +
                                             lane +
                                             "\ns_cmp_eq_u32 s6, 1\n"
                                             "s_cbranch_scc1 .Lend\ns_nop 0\n");
    WorkgroupTrace trace = interpret(program, *lookupPace("gfx942"));
    EXPECT_EQ(trace.unknownBranches, 0);
    return trace.waves[0].steps.size();
  };
  EXPECT_LT(countSteps("3"), countSteps("5"));
}

// An address from memory is not known, and is counted as such; a branch on it
// is not taken.
TEST(Program, WhatDependsOnDataIsUnknown) {
  Program program =
      assemble("gfx942", describeBuffer("0x1000") +
                             "v_mov_b32 v1, 0\n"
                             "buffer_load_dword v1, v1, s[8:11], 0 offen\n"
                             "buffer_load_dword v2, v1, s[8:11], 0 offen\n"
                             "v_readfirstlane_b32 s4, v1\ns_cmp_eq_u32 s4, 0\n"
                             "s_cbranch_scc1 .Lend\n");
  WorkgroupTrace trace = interpret(program, *lookupPace("gfx942"));
  EXPECT_EQ(trace.unknownAddresses, 1);
  EXPECT_EQ(trace.unknownBranches, 1);
}

// A loop whose end depends on data ends, whichever way its branch goes.
TEST(Program, LoopsOnDataEnd) {
  auto countSteps = [](const std::string &end) {
    Program program =
        assemble("gfx942", describeBuffer("0x1000") + "v_mov_b32 v1, 0\n" +
                               ".Lloop:\n"
                               "buffer_load_dword v1, v1, s[8:11], 0 offen\n"
                               "v_readfirstlane_b32 s4, v1\n"
                               "s_cmp_eq_u32 s4, 0\n" +
                               end);
    WorkgroupTrace trace = interpret(program, *lookupPace("gfx942"));
    EXPECT_TRUE(trace.isComplete);
    return trace.waves[0].steps.size();
  };
  EXPECT_EQ(countSteps("s_cbranch_scc1 .Lloop\n"), 5u + 4 + 1);
  EXPECT_EQ(countSteps("s_cbranch_scc1 .Lend\ns_branch .Lloop\n"), 5u + 5 + 4);
}

// What is in some buffers is known: branches follow it, lanes out of range
// read zeros.
TEST(Program, ContentsOfBuffers) {
  auto countSteps = [](const std::string &offset, const std::string &value) {
    Program program = assemble(
        "gfx942", describeBuffer("0x8") + "v_mov_b32 v1, " + offset +
                      "\nbuffer_load_dwordx2 v[2:3], v1, s[8:11], 0 offen\n"
                      "v_readfirstlane_b32 s4, v3\n"
                      "s_cmp_eq_u32 s4, " +
                      value + "\ns_cbranch_scc1 .Lend\ns_nop 0\n");
    LaunchShape shape;
    shape.block[0] = program.facts.waveSize;
    shape.contents[uint64_t(1) << 32] = std::string("\1\0\0\0\5\1\0\0", 8);
    WorkgroupTrace trace =
        interpretWorkgroup(program, *lookupPace("gfx942"), shape, 0);
    EXPECT_EQ(trace.unknownBranches, 0);
    return trace.waves[0].steps.size();
  };
  EXPECT_LT(countSteps("0", "0x105"), countSteps("0", "5"));
  EXPECT_LT(countSteps("64", "0"), countSteps("64", "0x105"));
}

// Pairs of registers are compared as one number.
TEST(Program, WideCompare) {
  auto countSteps = [](const std::string &upper, const std::string &name) {
    Program program =
        assemble("gfx942", "v_mov_b32 v2, 1\nv_mov_b32 v3, " + upper +
                               "\nv_mov_b32 v4, 2\nv_mov_b32 v5, 0\n" + name +
                               " vcc, v[2:3], v[4:5]\n"
                               "s_cbranch_vccnz .Lend\ns_nop 0\n");
    WorkgroupTrace trace = interpret(program, *lookupPace("gfx942"));
    EXPECT_EQ(trace.unknownBranches, 0);
    return trace.waves[0].steps.size();
  };
  EXPECT_LT(countSteps("0", "v_cmp_lt_u64"), countSteps("1", "v_cmp_lt_u64"));
  EXPECT_LT(countSteps("-1", "v_cmp_lt_i64"), countSteps("-1", "v_cmp_lt_u64"));
}

// Parts of registers, dual instructions, masks: each makes an address.
TEST(Program, VectorArithmetic) {
  const Pace &gfx942 = *lookupPace("gfx942");
  auto firstLine = [](const std::string &chip, const std::string &body) {
    bool isNew = chip == "gfx1201";
    Program program = assemble(
        chip, describeBuffer("0x100000") + body +
                  (isNew ? "buffer_load_b32 v2, v1, s[8:11], null offen\n"
                         : "buffer_load_dword v2, v1, s[8:11], 0 offen\n"));
    WorkgroupTrace trace = interpret(program, *lookupPace(chip));
    EXPECT_EQ(trace.unknownAddresses, 0) << body;
    uint64_t bytes = uint64_t(lookupPace(chip)->chip->cacheLineBytes);
    return int64_t(trace.waves[0].lines[0] * bytes - (uint64_t(1) << 32));
  };
  EXPECT_EQ(gfx942.chip->cacheLineBytes, 128);
  EXPECT_EQ(firstLine("gfx942", "v_mov_b32 v3, 0x12340000\n"
                                "v_mov_b32 v4, 0x100\n"
                                "v_mul_u32_u24_sdwa v1, v3, v4 dst_sel:DWORD "
                                "src0_sel:BYTE_3 src1_sel:DWORD\n"),
            0x1200);
  EXPECT_EQ(firstLine("gfx942", "v_mov_b32 v3, 5\nv_mov_b32 v4, 0\n"
                                "v_cmp_lt_u32 vcc, 3, v3\n"
                                "v_cndmask_b32 v1, v4, v3, vcc\n"
                                "v_lshlrev_b32 v1, 9, v1\n"),
            5 << 9);
  EXPECT_EQ(firstLine("gfx950", "v_mov_b32 v3, 0x700\nv_mov_b32 v4, 0x300\n"
                                "v_bitop3_b32 v1, v3, v4, v4 bitop3:0x3c\n"),
            0x400);
  EXPECT_EQ(firstLine("gfx1201", "v_mov_b32 v1, 0x400\nv_mov_b32 v2, 0x800\n"
                                 "v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, "
                                 "v1\n"),
            0x800);
}

// Halves of a register are known separately: both are, after two writes.
TEST(Program, HalvesOfARegister) {
  Program program =
      assemble("gfx1100", describeBuffer("0x1000") +
                              "v_mov_b16 v1.h, 0\n"
                              "buffer_load_b32 v2, v1, s[8:11], 0 offen\n"
                              "v_mov_b16 v1.l, 0x200\n"
                              "buffer_load_b32 v3, v1, s[8:11], 0 offen\n");
  WorkgroupTrace trace = interpret(program, *lookupPace("gfx1100"));
  EXPECT_EQ(trace.unknownAddresses, 1);
  EXPECT_EQ(trace.waves[0].lines.back() * 64, (uint64_t(1) << 32) + 0x200);
}

// LLVM prints an upper half that is read twice: `v4.h op_sel:[0,1,0]`.
TEST(Program, UpperHalvesAreRead) {
  Program program =
      assemble("gfx1100", describeBuffer("0x1000") +
                              "v_mov_b32 v4, 0x20000\nv_mov_b32 v1, 0\n"
                              "v_mul_lo_u16 v1.l, 0x140, v4.h\n"
                              "buffer_load_b32 v2, v1, s[8:11], 0 offen\n");
  WorkgroupTrace trace = interpret(program, *lookupPace("gfx1100"));
  EXPECT_EQ(trace.unknownAddresses, 0);
  EXPECT_EQ(trace.waves[0].lines.back() * 64, (uint64_t(1) << 32) + 0x280);
}

// A mask of the lower half makes the register known.
TEST(Program, MaskedHalves) {
  Program program =
      assemble("gfx1100", describeBuffer("0x1000") +
                              "v_mov_b16 v1.l, 0x1ff\n"
                              "v_and_b32 v1, 0xffc0, v1\n"
                              "buffer_load_b32 v2, v1, s[8:11], 0 offen\n");
  WorkgroupTrace trace = interpret(program, *lookupPace("gfx1100"));
  EXPECT_EQ(trace.unknownAddresses, 0);
  EXPECT_EQ(trace.waves[0].lines.back() * 64, (uint64_t(1) << 32) + 0x1c0);
}

// A field of the lower half does, too, and one that has bits of the upper half
// does not. Lower halves of shifts and sums are known where those of operands
// are.
TEST(Program, FieldsOfHalves) {
  auto interpretField = [](const char *bits) {
    return interpret(
        assemble("gfx1100",
                 describeBuffer("0x1000") +
                     "v_mov_b16 v1.l, 0x3e\nv_lshlrev_b32 v1, 3, v1\n"
                     "v_add_nc_u32 v1, 15, v1\nv_bfe_u32 v1, v1, " +
                     bits +
                     "\nv_lshlrev_b32 v1, 6, v1\n"
                     "buffer_load_b32 v2, v1, s[8:11], 0 offen\n"),
        *lookupPace("gfx1100"));
  };
  WorkgroupTrace trace = interpretField("7, 9");
  EXPECT_EQ(trace.unknownAddresses, 0);
  EXPECT_EQ(trace.waves[0].lines.back() * 64, (uint64_t(1) << 32) + 0xc0);
  EXPECT_EQ(interpretField("7, 10").unknownAddresses, 1);
}

// The destination of an instruction for one bit is an operand.
TEST(Program, ScalarBits) {
  Program program =
      assemble("gfx1201", describeBuffer("0x1000") +
                              "s_movk_i32 s4, 0xc0\ns_bitset1_b32 s4, 9\n"
                              "s_bitset0_b32 s4, 6\nv_mov_b32 v1, s4\n"
                              "buffer_load_b32 v2, v1, s[8:11], null offen\n");
  WorkgroupTrace trace = interpret(program, *lookupPace("gfx1201"));
  EXPECT_EQ(trace.unknownAddresses, 0);
  EXPECT_EQ(trace.waves[0].lines.back() * 64, (uint64_t(1) << 32) + 0x280);
}

// Some compilers name halves of gfx12's registers, others do not.
TEST(Program, HalvesOfRegistersOfGfx12) {
  Program program = assemble("gfx1201", ".long 0x7f001502\n");
  ASSERT_EQ(program.code.size(), 2u);
  EXPECT_EQ(program.code[0].mnemonic, "v_cvt_f16_f32");
  EXPECT_EQ(program.code[0].operands[0].part, Operand::High);
}

// Waves of gfx12 read their number in the workgroup from a trap register.
TEST(Program, WavesHaveNumbers) {
  Program program = assemble("gfx1201", "s_bfe_u32 s4, ttmp8, 0x50019\n"
                                        "s_cmp_eq_u32 s4, 1\n"
                                        "s_cbranch_scc1 .Lend\ns_nop 0\n");
  WorkgroupTrace trace = interpret(program, *lookupPace("gfx1201"), 2);
  EXPECT_EQ(trace.unknownBranches, 0);
  EXPECT_GT(trace.waves[0].steps.size(), trace.waves[1].steps.size());
}

// They are no loads of an unknown address.
TEST(Program, InvalidationsOfCaches) {
  EXPECT_EQ(parse("gfx1201", "global_inv scope:SCOPE_SE").unit, Unit::Internal);
  EXPECT_EQ(parse("gfx1100", "buffer_gl0_inv").unit, Unit::Internal);
  EXPECT_EQ(parse("gfx942", "buffer_inv sc1").unit, Unit::Internal);
}

TEST(Program, OtherCodeIsAnError) {
  Result<Program> none =
      decodeKernel("not an object", "kernel", *lookupPace("gfx942"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::BadInput);
}

TEST(Program, ResidentWorkgroups) {
  Program program = assemble("gfx942", "s_nop 0\n");
  const Pace &pace = *lookupPace("gfx942");
  std::string limit;
  program.facts.registers = 128;
  EXPECT_EQ(countResident(program, pace, 4, 16 << 10, limit), 4);
  EXPECT_EQ(countResident(program, pace, 8, 16 << 10, limit), 2);
  EXPECT_EQ(limit, "registers");
  EXPECT_EQ(countResident(program, pace, 4, 48 << 10, limit), 1);
  EXPECT_EQ(limit, "lds");
  program.facts.registers = 24;
  EXPECT_EQ(countResident(program, pace, 4, 0, limit), 8);
  EXPECT_EQ(limit, "waves");
}
