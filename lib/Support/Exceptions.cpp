//===- Exceptions.cpp - for code that is compiled without them --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/Support/Exceptions.h"

#include <new>
#include <stdexcept>

using namespace conv;

std::optional<Error> conv::catchErrors(const std::function<void()> &body) {
  try {
    body();
    return std::nullopt;
  } catch (const std::bad_alloc &) {
    return Error{ErrorKind::System, "out of memory"};
  } catch (const std::exception &exception) {
    return Error{ErrorKind::System, exception.what()};
  }
}

void conv::throwError(const char *message) {
  throw std::runtime_error(message);
}
