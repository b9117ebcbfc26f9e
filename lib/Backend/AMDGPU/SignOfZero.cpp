//===- SignOfZero.cpp - products that keep it -----------------------------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum replaces the product and becomes the same instruction
// (v_fma_mixlo_f16), with a constant in a register that a product lacks.
//
//===----------------------------------------------------------------------===//

#include "SignOfZero.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// The product that an instruction converts to 16 bits; null if there is none.
static BinaryOperator *findConvertedProduct(Instruction &instruction) {
  llvm::Value *product;
  if (!match(&instruction, m_FPTrunc(m_CombineOr(m_FNeg(m_Value(product)),
                                                 m_Value(product)))) ||
      !match(product, m_FMul(m_Value(), m_Value())) ||
      !product->getType()->getScalarType()->isFloatTy())
    return nullptr;
  return cast<BinaryOperator>(product);
}

static void addNegativeZero(BinaryOperator &product) {
  IRBuilder<> builder(&product);
  builder.setFastMathFlags(product.getFastMathFlags());
  Type *type = product.getType();
  llvm::Value *sum =
      builder.CreateIntrinsic(Intrinsic::fma, {type},
                              {product.getOperand(0), product.getOperand(1),
                               ConstantFP::getNegativeZero(type)});
  product.replaceAllUsesWith(sum);
  product.eraseFromParent();
}

void mlir::conv::keepSignOfZero(Function &kernel) {
  SmallVector<BinaryOperator *> products;
  for (Instruction &instruction : instructions(kernel))
    if (BinaryOperator *product = findConvertedProduct(instruction);
        product && !product->hasNoSignedZeros() &&
        !is_contained(products, product))
      products.push_back(product);
  for (BinaryOperator *product : products)
    addNegativeZero(*product);
}
