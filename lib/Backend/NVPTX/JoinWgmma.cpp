//===- JoinWgmma.cpp - matrix instructions as one piece of assembly -------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction of a warpgroup reads and writes up to 128 registers, each of
// which is an operand and a result of its inline assembly. LLVM copies them
// from one instruction to the next all the way to virtual registers, to find in
// the end that none is copied. Several instructions in one piece of assembly
// have them once.
//
// Only instructions that add to the same sums are joined. Where those of
// several atoms take turns, structs of sums would have to be taken apart, which
// takes half of the time that is saved; and ptxas, which meets all descriptors
// before the first instruction, scheduled one kernel of five atoms in another
// way.
//
//===----------------------------------------------------------------------===//

#include "conv/Backend/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::conv {
#define GEN_PASS_DEF_JOINWGMMAPASS
#include "conv/Backend/Passes.h.inc"
} // namespace mlir::conv

using namespace mlir;
using namespace mlir::conv;

namespace {
/// Text, and the number of the operand that follows it.
struct Token {
  StringRef text;
  size_t number;
};

/// One instruction: results, operands that are the same registers, and other
/// operands.
struct Instruction {
  Operation *op;
  SmallVector<Token> tokens;
  StringRef rest; ///< Text after the last token.
  SmallVector<StringRef> constraints;
  size_t registers; ///< Results, and operands that are these.

  /// Operand number `i` of the text, after the results.
  Value getOperand(size_t i) const { return op->getOperand(i - registers); }
};

/// The text of several instructions, and the operands that they share.
struct JoinedText {
  std::string text;
  SmallVector<std::string> constraints;
  SmallVector<Value> operands;
};
} // namespace

/// Takes the tokens of an instruction from its text. Returns whether each `$`
/// starts the number of a result, or of an operand with a register of its own.
/// `$$` and `${0:x}` do not.
static bool readTokens(Instruction &one) {
  for (size_t end = one.rest.find('$'); end != StringRef::npos;
       end = one.rest.find('$')) {
    Token token{one.rest.take_front(end), 0};
    one.rest = one.rest.drop_front(end + 1);
    if (one.rest.consumeInteger(10, token.number) ||
        token.number >= one.constraints.size() ||
        (token.number >= one.registers && token.number < 2 * one.registers))
      return false;
    one.tokens.push_back(token);
  }
  return true;
}

/// The instruction of an op, if it is one of a warpgroup in the usual form.
static std::optional<Instruction> readInstruction(Operation &op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!assembly || assembly.getAsmString().count("wgmma.mma_async") != 1)
    return std::nullopt;
  Instruction one{assembly, {}, assembly.getAsmString(), {}, 0};
  assembly.getConstraints().split(one.constraints, ',');
  one.registers = llvm::count_if(
      one.constraints, [](StringRef c) { return c.starts_with("="); });
  size_t count = one.constraints.size();
  if (one.registers == 0 || assembly->getNumResults() != 1 ||
      count != one.registers + assembly->getNumOperands() ||
      count < 2 * one.registers)
    return std::nullopt;
  for (size_t i = 0; i < one.registers; ++i)
    if (one.constraints[one.registers + i] != std::to_string(i))
      return std::nullopt;
  if (!readTokens(one))
    return std::nullopt;
  return one;
}

/// Whether an instruction adds to the results of another one, which nothing
/// else reads.
static bool addsTo(const Instruction &one, const Instruction &previous) {
  Value sums = previous.op->getResult(0);
  if (one.registers != previous.registers ||
      !sums.hasNUses(unsigned(one.registers)))
    return false;
  return llvm::all_of(llvm::seq(one.registers), [&](size_t r) {
    auto sum = one.op->getOperand(r).getDefiningOp<LLVM::ExtractValueOp>();
    return sum && sum.getContainer() == sums && sum->hasOneUse() &&
           sum.getPosition() == ArrayRef<int64_t>(int64_t(r));
  });
}

/// Joins the text of instructions that add to the same sums. Constants are in
/// the text.
static JoinedText joinText(ArrayRef<Instruction> all) {
  size_t registers = all.front().registers;
  JoinedText joined;
  for (StringRef constraint :
       ArrayRef(all.front().constraints).take_front(2 * registers))
    joined.constraints.push_back(constraint.str());
  llvm::append_range(joined.operands,
                     all.front().op->getOperands().take_front(registers));
  llvm::DenseMap<std::pair<Value, StringRef>, size_t> numbers;
  auto getText = [&](const Instruction &one, size_t number) -> std::string {
    if (number < registers)
      return "$" + std::to_string(number);
    Value value = one.getOperand(number);
    StringRef constraint = one.constraints[number];
    APInt constant;
    if (constraint == "n" && matchPattern(value, m_ConstantInt(&constant)))
      return llvm::toString(constant, /*Radix=*/10, /*Signed=*/true);
    auto [found, isNew] =
        numbers.try_emplace({value, constraint}, joined.constraints.size());
    if (isNew) {
      joined.constraints.push_back(constraint.str());
      joined.operands.push_back(value);
    }
    return "$" + std::to_string(found->second);
  };
  for (const Instruction &one : all) {
    for (const Token &token : one.tokens) {
      joined.text += token.text;
      joined.text += getText(one, token.number);
    }
    joined.text += one.rest;
  }
  return joined;
}

/// Replaces instructions that add to the same sums by one piece of assembly.
static void join(ArrayRef<Instruction> all) {
  if (all.size() < 2)
    return;
  auto last = cast<LLVM::InlineAsmOp>(all.back().op);
  JoinedText joined = joinText(all);
  OpBuilder b(last);
  auto op = LLVM::InlineAsmOp::create(
      b, last.getLoc(), last.getResultTypes(), joined.operands, joined.text,
      llvm::join(joined.constraints, ","), /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      last.getAsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
  last->replaceAllUsesWith(op);
  for (const Instruction &one : llvm::reverse(all)) {
    for (Operation *sum : llvm::make_early_inc_range(one.op->getUsers()))
      sum->erase(); // Between two instructions.
    one.op->erase();
  }
}

static void joinInBlock(Block &block) {
  SmallVector<SmallVector<Instruction>> groups(1);
  for (Operation &op : block) {
    if (std::optional<Instruction> one = readInstruction(op)) {
      if (!groups.back().empty() && !addsTo(*one, groups.back().back()))
        groups.emplace_back();
      groups.back().push_back(*one);
    } else if (!isMemoryEffectFree(&op) && !groups.back().empty()) {
      groups.emplace_back();
    }
  }
  llvm::for_each(groups, join);
}

namespace {
struct JoinWgmmaPass final
    : mlir::conv::impl::JoinWgmmaPassBase<JoinWgmmaPass> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) { joinInBlock(*block); });
  }
};
} // namespace
