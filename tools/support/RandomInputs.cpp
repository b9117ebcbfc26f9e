//===- RandomInputs.cpp - reproducible test data ----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every element is a function of (seed, name, index), so the data does not
// depend on threads, device or order of arguments.
//
//===----------------------------------------------------------------------===//

#include "RandomInputs.h"

#include "conv/Support/ElementType.h"
#include "conv/Support/Npy.h"

#include <cmath>

using namespace conv;

/// The finaliser of splitmix64: a bijection that mixes every bit.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static uint64_t hashName(const std::string &name) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (unsigned char letter : name)
    hash = (hash ^ letter) * 0x100000001b3;
  return hash;
}

/// Uniform in (0, 1].
static double uniform(uint64_t bits) {
  return (double(bits >> 11) + 1) * 0x1p-53;
}

/// Box and Muller's transform of two uniform values.
static double normal(uint64_t bits) {
  return std::sqrt(-2 * std::log(uniform(bits))) *
         std::cos(2 * M_PI * uniform(mix(bits)));
}

/// 1 / sqrt(reduction length) for filters, so that sums stay near 1.
static double normalScale(const artifact::Argument &argument,
                          ElementType type) {
  if (!isFloat(type))
    return 40;
  size_t channels = argument.layout.find('K');
  if (argument.role != "filter" || channels >= argument.shape.size())
    return 1;
  int64_t reduction = elementCount(argument.shape) / argument.shape[channels];
  return 1 / std::sqrt(double(reduction));
}

int64_t conv::argumentBytes(const artifact::Argument &argument) {
  return elementCount(argument.shape) *
         elementBytes(*lookupElementType(argument.dtype));
}

std::string conv::randomBytes(const artifact::Argument &argument,
                              RandomKind kind, uint64_t seed) {
  ElementType type = *lookupElementType(argument.dtype);
  uint64_t stream = mix(seed) ^ hashName(argument.name);
  double scale = normalScale(argument, type);
  std::string bytes(argumentBytes(argument), '\0');
  for (int64_t i = 0, count = elementCount(argument.shape); i < count; ++i) {
    uint64_t bits = mix(stream + uint64_t(i));
    double value = kind == RandomKind::Integers ? double(bits % 7) - 3
                                                : normal(bits) * scale;
    storeElement(type, bytes.data(), i, value);
  }
  return bytes;
}
