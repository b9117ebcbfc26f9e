//===- NpyTest.cpp - .npy files, good and bad -------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spells out the bytes of NumPy's format description, so that the reader and
// the writer are not only tested against each other.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Npy.h"

#include "../TemporaryDirectory.h"

#include <gtest/gtest.h>

using namespace conv;
using conv::test::TemporaryDirectory;

/// A file of this version with `text` as its header.
static std::string makeFile(int version, const std::string &text,
                            const std::string &data) {
  std::string file("\x93NUMPY", 6);
  file += char(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += char(text.size() >> (8 * i));
  return file + text + data;
}

static std::string errorOf(const std::string &file) {
  auto array = parseNpy(file, "x.npy");
  EXPECT_FALSE(array);
  if (array)
    return "";
  EXPECT_EQ(array.error().kind, ErrorKind::BadInput);
  return array.error().message;
}

TEST(Npy, WritesWhatNumPyWrites) {
  NpyArray array{ElementType::I8, {2, 3}, "abcdef"};
  std::string text = "{'descr': '|i1', 'fortran_order': False, 'shape': "
                     "(2, 3), }";
  text.resize(117, ' ');
  EXPECT_EQ(formatNpy(array), makeFile(1, text + "\n", "abcdef"));
}

TEST(Npy, HeaderIsAlignedAndShapesAreTuples) {
  std::string scalar = formatNpy({ElementType::I8, {}, "x"});
  EXPECT_NE(scalar.find("'shape': (), "), std::string::npos);
  std::string vector = formatNpy({ElementType::F32, {1}, "1234"});
  EXPECT_NE(vector.find("'shape': (1,), "), std::string::npos);
  EXPECT_EQ((vector.size() - 4) % 64, 0u);
}

TEST(Npy, BitPatternsOfTypesNumPyDoesNotHave) {
  std::string bf16 = formatNpy({ElementType::BF16, {1}, "ab"});
  EXPECT_NE(bf16.find("'<u2'"), std::string::npos);
  std::string fp8 = formatNpy({ElementType::F8E4M3FN, {1}, "a"});
  EXPECT_NE(fp8.find("'|u1'"), std::string::npos);
}

TEST(Npy, RoundTripsThroughAFile) {
  TemporaryDirectory directory;
  for (ElementType type :
       {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::I64,
        ElementType::I32, ElementType::I16, ElementType::I8, ElementType::U16,
        ElementType::U8}) {
    std::string bytes;
    for (int64_t i = 0; i < 12 * elementBytes(type); ++i)
      bytes += char(i * 7);
    NpyArray array{type, {3, 1, 4}, bytes};
    ASSERT_TRUE(writeNpy(directory.path("a.npy"), array));
    auto read = readNpy(directory.path("a.npy"));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->type, type);
    EXPECT_EQ(read->shape, array.shape);
    EXPECT_EQ(read->bytes, bytes);
  }
}

TEST(Npy, ReadsVersionsTwoAndThree) {
  std::string text = "{\"shape\":(4,),'descr':'<i2','fortran_order':False}\n";
  for (int version : {1, 2, 3}) {
    auto array = parseNpy(makeFile(version, text, "abcdefgh"), "x.npy");
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_EQ(array->type, ElementType::I16);
    EXPECT_EQ(array->shape, std::vector<int64_t>{4});
    EXPECT_EQ(array->bytes, "abcdefgh");
  }
}

TEST(Npy, EveryTruncationIsAnError) {
  std::string file = formatNpy({ElementType::F32, {2, 2}, std::string(16, 1)});
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(parseNpy(file.substr(0, size), "x.npy")) << size;
  EXPECT_EQ(errorOf(file + "y"), "cannot read 'x.npy' as .npy: expects 16 "
                                 "bytes of data for its shape, but got 17");
}

TEST(Npy, RefusesWithTheReason) {
  auto header = [](const std::string &descr, const std::string &order,
                   const std::string &shape) {
    return makeFile(1,
                    "{'descr': " + descr + ", 'fortran_order': " + order +
                        ", 'shape': " + shape + "}",
                    "");
  };
  auto expectReason = [](const std::string &file, const std::string &reason) {
    EXPECT_NE(errorOf(file).find(reason), std::string::npos) << errorOf(file);
  };
  expectReason("PK\x03\x04", "expects the magic bytes");
  expectReason(makeFile(4, "", ""), "expects version 1, 2 or 3, but got 4");
  expectReason(header("'<f4'", "True", "(0,)"), "fortran_order True");
  expectReason(header("'>f4'", "False", "(0,)"), "but got '>f4'");
  expectReason(header("'<c8'", "False", "(0,)"), "but got '<c8'");
  expectReason(header("[('a', '<f4')]", "False", "(0,)"), "quoted string");
  expectReason(header("'<f4'", "0", "(0,)"), "expects True or False");
  expectReason(header("'<f4'", "False", "(-1,)"), "expects sizes from 0");
  expectReason(header("'<f4'", "False", "(99999999999999999999,)"),
               "expects sizes from 0 to 2^63 - 1");
  expectReason(header("'<f4'", "False", "(4294967296, 4294967296)"),
               "fewer than 2^63 bytes");
  expectReason(header("'<f8'", "False", "(1152921504606846976,)"),
               "fewer than 2^63 bytes");
  expectReason(header("'<f4'", "False", "(1"), "in 'shape'");
  expectReason(makeFile(1, "{'descr': '<f4'}", ""), "expects the keys");
  expectReason(makeFile(1, "{'descr': '<f4', 'descr': '<f4'}", ""),
               "repeated key 'descr'");
  expectReason(makeFile(1, "{'pickle': 'x'}", ""), "unknown key 'pickle'");
  expectReason(makeFile(1, std::string(60, '('), ""), "expects '{'");
}
