//===- Result.h - a value or one clear error --------------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error type of everything that does not see MLIR (chips, artifact,
// runtime, tools). It carries one sentence for the user and the exit code of a
// command.
//
//===----------------------------------------------------------------------===//

#ifndef CONV_SUPPORT_RESULT_H
#define CONV_SUPPORT_RESULT_H

#include <string>
#include <utility>
#include <variant>

namespace conv {

/// Why something failed. The value is the exit code of command-line tools.
enum class ErrorKind {
  WrongResult = 1, ///< A computed result is outside its error bound.
  BadInput = 2,    ///< The user's input or usage is wrong.
  Unsupported = 3, ///< Correct input that this version does not handle.
  System = 4,      ///< A device, a driver, the disk, or memory.
};

/// One clear sentence without a full stop, lower case, naming file and place.
struct Error {
  ErrorKind kind;
  std::string message;
};

/// `message` is a string, or has one, as `llvm::Twine` does.
template <typename Message> Error badInput(const Message &message) {
  if constexpr (requires { message.str(); })
    return {ErrorKind::BadInput, message.str()};
  else
    return {ErrorKind::BadInput, message};
}

/// Either a `T` or an `Error`. Test it before reading it.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  const Error &error() const { return std::get<1>(state); }

private:
  std::variant<T, Error> state;
};

/// Success or an `Error`.
template <> class [[nodiscard]] Result<void> {
public:
  Result() : state(Error{ErrorKind::System, ""}), ok(true) {}
  Result(Error error) : state(std::move(error)), ok(false) {}

  explicit operator bool() const { return ok; }
  const Error &error() const { return state; }

private:
  Error state;
  bool ok;
};

} // namespace conv

#endif // CONV_SUPPORT_RESULT_H
