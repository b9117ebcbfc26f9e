//===- Jit.cpp - what was compiled before, in memory and files --*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "conv/Support/Exceptions.h"

using namespace conv;
using namespace conv::compiler;

Jit::Statistics Jit::getStatistics() const {
  std::lock_guard lock(mutex);
  return statistics;
}

std::variant<Jit::Future, std::promise<Result<Bytes>>>
Jit::find(const std::string &key) {
  std::lock_guard lock(mutex);
  if (auto found = places.find(key); found != places.end()) {
    order.splice(order.end(), order, found->second.inOrder);
    ++statistics.memoryHits;
    return found->second.future;
  }
  std::promise<Result<Bytes>> promise;
  auto inOrder = order.insert(order.end(), key);
  places.emplace(key, Place{promise.get_future().share(), 0, inOrder});
  return promise;
}

Result<Bytes> Jit::make(const std::string &key, const Request &request) {
  if (std::optional<std::string> loaded = files.load(key)) {
    std::lock_guard lock(mutex);
    ++statistics.fileHits;
    return std::make_shared<const std::string>(std::move(*loaded));
  }
  Result<std::string> compiled = request.compile();
  if (!compiled)
    return compiled.error();
  files.store(key, *compiled);
  std::lock_guard lock(mutex);
  ++statistics.compilations;
  return std::make_shared<const std::string>(std::move(*compiled));
}

void Jit::keep(const std::string &key, const Result<Bytes> &made) {
  std::lock_guard lock(mutex);
  auto forget = [&](std::list<std::string>::iterator it) {
    auto place = places.find(*it);
    bytes -= place->second.bytes;
    places.erase(place);
    return order.erase(it);
  };
  Place &place = places.at(key);
  if (!made) {
    forget(place.inOrder);
    return;
  }
  place.bytes = int64_t((*made)->size() + key.size());
  bytes += place.bytes;
  // An entry that is still being compiled has no bytes yet.
  for (auto it = order.begin(); bytes > maxBytes && it != order.end();)
    it = places.at(*it).bytes > 0 ? forget(it) : std::next(it);
}

Result<Bytes> Jit::compile(const Request &request) {
  Result<std::string> key = request.computeKey();
  if (!key)
    return key.error();
  auto found = find(*key);
  if (auto *future = std::get_if<Future>(&found))
    return future->get();
  // Waiting threads get an answer even if an exception ends the compilation.
  Result<Bytes> made = Error{ErrorKind::System, "out of memory"};
  if (std::optional<Error> thrown =
          catchErrors([&] { made = make(*key, request); }))
    made = *thrown;
  keep(*key, made);
  std::get<1>(found).set_value(made);
  return made;
}
