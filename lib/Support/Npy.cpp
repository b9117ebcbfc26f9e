//===- Npy.cpp - NumPy's .npy files -----------------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is a Python dictionary literal with three known keys. A small
// cursor reads exactly that grammar; it refuses everything that NumPy would not
// write, with the reason.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Npy.h"

#include "conv/Support/File.h"

#include <cctype>
#include <charconv>

using namespace conv;

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr int64_t kMaxHeaderBytes = int64_t(1) << 20;

struct TypeRow {
  std::string_view descr;
  ElementType type;
};

/// The first spelling is written, the others are only read.
constexpr TypeRow kTypes[] = {
    {"<f8", ElementType::F64}, {"<f4", ElementType::F32},
    {"<f2", ElementType::F16}, {"<i8", ElementType::I64},
    {"<i4", ElementType::I32}, {"<i2", ElementType::I16},
    {"|i1", ElementType::I8},  {"<u2", ElementType::U16},
    {"|u1", ElementType::U8},  {"<i1", ElementType::I8},
    {"<u1", ElementType::U8},
};

/// The values of the header's dictionary.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the dictionary literal from left to right. A method that fails stores
/// the reason in `problem`.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  std::string problem;

  bool parse(Header &header) {
    if (!expect('{'))
      return false;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    while (!accept('}')) {
      std::string key;
      if (!parseString(key) || !expect(':'))
        return false;
      bool *seen = key == "descr"           ? &hasDescr
                   : key == "fortran_order" ? &hasOrder
                   : key == "shape"         ? &hasShape
                                            : nullptr;
      if (!seen || *seen)
        return fail((seen ? "repeated" : "unknown") + std::string(" key '") +
                    key + "'");
      *seen = true;
      if (!(seen == &hasDescr   ? parseString(header.descr)
            : seen == &hasOrder ? parseBool(header.fortranOrder)
                                : parseShape(header.shape)))
        return false;
      if (!accept(',') && !peek('}'))
        return fail("expects ',' or '}' after the value of '" + key + "'");
    }
    skipSpace();
    if (!rest.empty())
      return fail("text after the dictionary");
    if (!hasDescr || !hasOrder || !hasShape)
      return fail("expects the keys descr, fortran_order and shape");
    return true;
  }

private:
  std::string_view rest;

  bool fail(std::string why) {
    problem = std::move(why);
    return false;
  }

  void skipSpace() {
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest[0])))
      rest.remove_prefix(1);
  }

  bool peek(char c) {
    skipSpace();
    return !rest.empty() && rest[0] == c;
  }

  bool accept(char c) {
    bool found = peek(c);
    if (found)
      rest.remove_prefix(1);
    return found;
  }

  bool expect(char c) {
    return accept(c) || fail(std::string("expects '") + c + "'");
  }

  bool parseString(std::string &value) {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return fail("expects a quoted string");
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return fail("a string without an end");
    value = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }

  bool parseBool(bool &value) {
    skipSpace();
    for (bool candidate : {false, true}) {
      std::string_view word = candidate ? "True" : "False";
      if (!rest.starts_with(word))
        continue;
      rest.remove_prefix(word.size());
      value = candidate;
      return true;
    }
    return fail("expects True or False for 'fortran_order'");
  }

  bool parseShape(std::vector<int64_t> &shape) {
    if (!expect('('))
      return false;
    while (!accept(')')) {
      skipSpace();
      int64_t size = 0;
      auto [end, code] =
          std::from_chars(rest.data(), rest.data() + rest.size(), size);
      if (code != std::errc() || size < 0)
        return fail("expects sizes from 0 to 2^63 - 1 in 'shape'");
      rest.remove_prefix(size_t(end - rest.data()));
      shape.push_back(size);
      if (!accept(',') && !peek(')'))
        return fail("expects ',' or ')' in 'shape'");
    }
    return true;
  }
};

Error badNpy(const std::string &name, const std::string &why) {
  return {ErrorKind::BadInput, "cannot read '" + name + "' as .npy: " + why};
}

/// Little-endian unsigned integer of `text`.
int64_t littleEndian(std::string_view text) {
  int64_t value = 0;
  for (size_t i = text.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(text[i]);
  return value;
}

/// Splits a file into dictionary and data, by the fixed part at its start.
Result<std::pair<std::string_view, std::string_view>>
splitFile(std::string_view file, const std::string &name) {
  if (!file.starts_with(kMagic))
    return badNpy(name, "expects the magic bytes of a .npy file");
  if (file.size() < 10)
    return badNpy(name, "the file ends inside its header");
  int major = static_cast<unsigned char>(file[6]);
  if (major < 1 || major > 3)
    return badNpy(name, "expects version 1, 2 or 3, but got " +
                            std::to_string(major));
  size_t lengthBytes = major == 1 ? 2 : 4;
  size_t start = 8 + lengthBytes;
  if (file.size() < start)
    return badNpy(name, "the file ends inside its header");
  int64_t length = littleEndian(file.substr(8, lengthBytes));
  if (length > kMaxHeaderBytes || length > int64_t(file.size() - start))
    return badNpy(name, "expects a header of " + std::to_string(length) +
                            " bytes, but the file has " +
                            std::to_string(file.size() - start));
  return std::pair(file.substr(start, size_t(length)),
                   file.substr(start + size_t(length)));
}

std::string_view npyDescr(ElementType type) {
  for (const TypeRow &row : kTypes)
    if (row.type == npyStorage(type))
      return row.descr;
  return {};
}

} // namespace

ElementType conv::npyStorage(ElementType type) {
  if (type == ElementType::BF16)
    return ElementType::U16;
  return isFloat(type) && elementBytes(type) == 1 ? ElementType::U8 : type;
}

int64_t conv::elementCount(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t size : shape)
    overflow |= size < 0 || __builtin_mul_overflow(count, size, &count);
  return overflow ? -1 : count;
}

Result<NpyArray> conv::parseNpy(std::string_view file,
                                const std::string &name) {
  auto parts = splitFile(file, name);
  if (!parts)
    return parts.error();
  auto [text, data] = *parts;

  Header header;
  HeaderParser parser(text);
  if (!parser.parse(header))
    return badNpy(name, "in its header: " + parser.problem);
  const TypeRow *row = nullptr;
  for (const TypeRow &candidate : kTypes)
    if (!row && candidate.descr == header.descr)
      row = &candidate;
  if (!row)
    return badNpy(name, "expects a dtype of <f8, <f4, <f2, <i4, <i2, |i1, <u2 "
                        "or |u1, but got '" +
                            header.descr + "'");
  if (header.fortranOrder)
    return badNpy(name, "expects C order, but got fortran_order True (save "
                        "numpy.ascontiguousarray(x))");

  int64_t count = elementCount(header.shape);
  int64_t bytes = 0;
  if (count < 0 ||
      __builtin_mul_overflow(count, elementBytes(row->type), &bytes))
    return badNpy(name, "expects a shape of fewer than 2^63 bytes");
  if (int64_t(data.size()) != bytes)
    return badNpy(name, "expects " + std::to_string(bytes) +
                            " bytes of data for its shape, but got " +
                            std::to_string(data.size()));
  return NpyArray{row->type, std::move(header.shape), std::string(data)};
}

Result<NpyArray> conv::readNpy(const std::string &path, int64_t maxBytes) {
  Result<std::string> file = readFile(path, maxBytes + kMaxHeaderBytes, kMagic);
  if (!file)
    return file.error();
  return parseNpy(*file, path);
}

std::string conv::formatNpy(const NpyArray &array) {
  std::string shape;
  for (int64_t size : array.shape)
    shape += std::to_string(size) + ", ";
  // Python writes (), (3,) and (3, 4).
  if (!shape.empty())
    shape.resize(shape.size() - (array.shape.size() == 1 ? 1 : 2));
  std::string text = "{'descr': '" + std::string(npyDescr(array.type)) +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The data starts at a multiple of 64 bytes; the header ends in a newline.
  constexpr size_t kPrefix = 10;
  size_t total = (kPrefix + text.size() + 1 + 63) / 64 * 64;
  text.resize(total - kPrefix - 1, ' ');
  text += '\n';

  std::string file(kMagic);
  file += std::string("\x01\x00", 2);
  file += char(text.size() & 0xff);
  file += char(text.size() >> 8);
  return file + text + array.bytes;
}

Result<void> conv::writeNpy(const std::string &path, const NpyArray &array) {
  return writeFile(path, formatNpy(array));
}
