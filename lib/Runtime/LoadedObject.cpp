//===- LoadedObject.cpp - a shared object from memory -----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the bytes in an anonymous file and passes that to the dynamic loader,
// which cannot load from memory. Where anonymous files cannot be executed, a
// temporary file that is removed at once replaces them.
//
//===----------------------------------------------------------------------===//

#include "conv/Runtime/LoadedObject.h"

#include "conv/Support/Write.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace conv;
using namespace conv::runtime;

/// Whether the header is a 64-bit x86 shared object's, so that the loader sees
/// nothing else (a GPU's code object, a text).
static bool isSharedObject(const std::string &code) {
  Elf64_Ehdr header;
  if (code.size() < sizeof(header))
    return false;
  std::memcpy(&header, code.data(), sizeof(header));
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_machine == EM_X86_64 && header.e_type == ET_DYN;
}

/// Loads through /proc/self/fd. The loader identifies an object by its path,
/// and the system reuses a closed number: were `file` closed, the next object
/// would have the path of this one and never be loaded. So the file stays open
/// as long as the object.
static void *openDescriptor(int file) {
  std::string path = "/proc/self/fd/" + std::to_string(file);
  return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Loads through a temporary file, whose name is removed after loading.
static void *openTemporary(const std::string &code) {
  const char *folder = std::getenv("TMPDIR");
  std::string path =
      std::string(folder && *folder ? folder : "/tmp") + "/conv-code-XXXXXX";
  int file = ::mkstemp(path.data());
  if (file < 0)
    return nullptr;
  bool complete = writeAll(file, code) == 0;
  ::close(file);
  void *handle =
      complete ? ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  ::unlink(path.c_str());
  return handle;
}

Result<std::unique_ptr<LoadedObject>>
LoadedObject::load(const std::string &code, const std::string &label) {
  if (!isSharedObject(code))
    return Error{ErrorKind::BadInput,
                 "expects " + label + " to be an x86-64 ELF shared object"};
  int file = ::memfd_create("conv-code", MFD_CLOEXEC);
  void *handle =
      file >= 0 && writeAll(file, code) == 0 ? openDescriptor(file) : nullptr;
  if (!handle) {
    const char *reason = file >= 0 ? ::dlerror() : nullptr;
    std::string first = reason ? reason : std::strerror(errno);
    if (file >= 0)
      ::close(file);
    file = -1;
    handle = openTemporary(code);
    if (!handle)
      return Error{ErrorKind::System, "cannot load " + label + ": " + first};
  }
  return std::unique_ptr<LoadedObject>(new LoadedObject(handle, file));
}

LoadedObject::~LoadedObject() {
  ::dlclose(handle);
  if (file >= 0)
    ::close(file);
}

void *LoadedObject::symbol(const std::string &name) const {
  return ::dlsym(handle, name.c_str());
}

Result<void> runtime::checkCpu(const std::string &level,
                               const std::string &label) {
  bool known = true, has = false;
  if (level == "x86-64")
    has = true;
  else if (level == "x86-64-v2")
    has = __builtin_cpu_supports("x86-64-v2");
  else if (level == "x86-64-v3")
    has = __builtin_cpu_supports("x86-64-v3");
  else if (level == "x86-64-v4")
    has = __builtin_cpu_supports("x86-64-v4");
  else if (level == "x86-64-v4+avx512bf16")
    has = __builtin_cpu_supports("x86-64-v4") &&
          __builtin_cpu_supports("avx512bf16");
  else
    known = false;
  if (has)
    return {};
  return Error{ErrorKind::System,
               label + " expects a processor of level " + level +
                   (known ? ", but this one has not its features"
                          : ", but this version does not know that level")};
}
