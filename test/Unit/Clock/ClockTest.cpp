//===- ClockTest.cpp - hand-written kernels -------------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClockTest.h"

#include "mlir/Target/LLVM/ROCDL/Utils.h"

#include "llvm/Support/TargetSelect.h"

using namespace conv;
using namespace conv::clock;

static void initialize() {
  static bool once = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
    return true;
  }();
  (void)once;
}

Program assemble(const std::string &chip, const std::string &body) {
  initialize();
  const Pace *pace = lookupPace(chip);
  bool isCdna = pace->waits == WaitStyle::Joined;
  std::string text = ".amdgcn_target \"amdgcn-amd-amdhsa--" + chip + "\"\n" +
                     ".text\n.globl kernel\n.p2align 8\n"
                     ".type kernel,@function\nkernel:\n" +
                     body +
                     "\n  s_endpgm\n.Lend:\n.size kernel, .Lend-kernel\n"
                     ".rodata\n.p2align 6\n.amdhsa_kernel kernel\n"
                     "  .amdhsa_next_free_vgpr 64\n"
                     "  .amdhsa_next_free_sgpr 32\n" +
                     (isCdna ? "  .amdhsa_accum_offset 64\n" : "") +
                     ".end_amdhsa_kernel\n";
  mlir::MLIRContext context;
  auto emitError = [&] {
    return mlir::emitError(mlir::UnknownLoc::get(&context));
  };
  auto object =
      mlir::ROCDL::assembleIsa(text, "amdgcn-amd-amdhsa", chip, "", emitError);
  if (mlir::failed(object)) {
    ADD_FAILURE() << "LLVM does not assemble:\n" << body;
    return {};
  }
  Result<Program> program =
      decodeKernel({object->data(), object->size()}, "kernel", *pace);
  if (!program) {
    ADD_FAILURE() << program.error().message;
    return {};
  }
  program->facts.waveSize = pace->chip->subgroupSize;
  return *program;
}

WorkgroupTrace interpret(const Program &program, const Pace &pace,
                         int64_t waves) {
  LaunchShape shape;
  shape.block[0] = waves * program.facts.waveSize;
  return interpretWorkgroup(program, pace, shape, /*workgroup=*/0);
}

IssueTimes issue(const std::string &chip, const std::string &body,
                 int64_t waves) {
  const Pace *pace = lookupPace(chip);
  Program program = assemble(chip, body);
  if (program.code.empty())
    return {};
  WorkgroupTrace trace = interpret(program, *pace, waves);
  const WorkgroupTrace *pointer = &trace;
  const Loop *loop = findMainLoop(program, trace.waves.front());
  return issueWorkgroups(program, *pace, {&pointer, 1}, {.loop = loop});
}
