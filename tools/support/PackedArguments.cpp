//===- PackedArguments.cpp - arguments that another entry packs -----------===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedArguments.h"

#include <set>

using namespace conv;
using namespace conv::tools;

Result<artifact::Entry> tools::describePlain(const artifact::Artifact &artifact,
                                             const artifact::Entry &entry) {
  artifact::Entry plain = entry;
  for (const artifact::PackedArgument &packed : entry.packed) {
    artifact::Argument &argument = plain.arguments[size_t(packed.argument)];
    const artifact::Entry *packing =
        artifact::findEntry(artifact.manifest, packed.function, entry.target);
    if (!packing)
      return Error{ErrorKind::BadInput,
                   entry.function + ": expects " + packed.function + " for " +
                       entry.target + " in the artifact, which packs " +
                       argument.name + ", but it is not there"};
    argument = packing->arguments[size_t(packed.source)];
  }
  return plain;
}

/// Packs all arguments of the entry that one function packs.
static Result<void> packBy(const std::string &function, runtime::Device &device,
                           const artifact::Artifact &artifact,
                           const artifact::Entry &entry,
                           ArgumentBytes &arguments) {
  Result<Session> session = Session::create(device, artifact, function);
  if (!session)
    return session.error();
  ArgumentBytes bytes(session->entry().arguments.size());
  for (const artifact::PackedArgument &packed : entry.packed)
    if (packed.function == function)
      bytes[size_t(packed.source)] =
          std::move(arguments[size_t(packed.argument)]);
  if (Result<void> done = session->upload(bytes); !done)
    return done;
  if (Result<double> time = session->run(); !time)
    return time.error();
  if (Result<void> done = session->download(bytes); !done)
    return done;
  for (const artifact::PackedArgument &packed : entry.packed)
    if (packed.function == function)
      arguments[size_t(packed.argument)] =
          std::move(bytes[size_t(packed.result)]);
  return {};
}

Result<void> tools::packArguments(runtime::Device &device,
                                  const artifact::Artifact &artifact,
                                  const artifact::Entry &entry,
                                  ArgumentBytes &arguments) {
  std::set<std::string> functions;
  for (const artifact::PackedArgument &packed : entry.packed)
    functions.insert(packed.function);
  for (const std::string &function : functions)
    if (Result<void> done =
            packBy(function, device, artifact, entry, arguments);
        !done)
      return done;
  return {};
}
