//===- File.cpp - whole files, read and written -----------------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading with a limit and writing without a half-written state, on POSIX
// calls, so that a message can carry the system's own reason.
//
//===----------------------------------------------------------------------===//

#include "conv/Support/File.h"

#include "conv/Support/Write.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace conv;

namespace {

/// A file descriptor that closes itself.
class Descriptor {
public:
  explicit Descriptor(int value) : value(value) {}
  Descriptor(const Descriptor &) = delete;
  ~Descriptor() { (void)close(); }

  explicit operator bool() const { return value >= 0; }
  int get() const { return value; }

  /// False if an earlier write turns out to have failed (NFS, quotas).
  bool close() {
    int closing = std::exchange(value, -1);
    return closing < 0 || ::close(closing) == 0;
  }

private:
  int value;
};

Error readError(const std::string &path, int code) {
  bool disk = code == EIO || code == ENOMEM || code == EMFILE || code == ENFILE;
  return {disk ? ErrorKind::System : ErrorKind::BadInput,
          "cannot read '" + path + "': " + std::strerror(code)};
}

Error writeError(const std::string &path, int code) {
  return {ErrorKind::System,
          "cannot write '" + path + "': " + std::strerror(code)};
}

/// Opens a file. Standard input is read through its own descriptor: a socket,
/// or a file that only another user may open, cannot be opened again.
int openToRead(const std::string &path) {
  return path == "/dev/stdin" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                              : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

using Buffers = std::span<const std::string_view>;

/// Writes all of `buffers`; returns 0 or the error number.
int writeEach(int descriptor, Buffers buffers) {
  for (std::string_view bytes : buffers)
    if (int code = writeAll(descriptor, bytes))
      return code;
  return 0;
}

/// The expected properties of a file.
struct Expectation {
  int64_t hint, maxBytes;
  std::string_view magic;
};

/// Reads to the end, past `maxBytes`, or until the beginning differs from the
/// magic; returns 0 or the error number.
int readAll(int descriptor, const Expectation &expected, std::string &bytes) {
  constexpr size_t kChunk = size_t(1) << 16;
  while (int64_t(bytes.size()) <= expected.maxBytes) {
    size_t old = bytes.size();
    bytes.resize(old + kChunk);
    ssize_t got = ::read(descriptor, bytes.data() + old, kChunk);
    int code = errno;
    bytes.resize(old + size_t(got > 0 ? got : 0));
    if (got < 0 && code == EINTR)
      continue;
    if (got < 0)
      return code;
    if (got == 0 || (bytes.size() >= expected.magic.size() &&
                     !bytes.starts_with(expected.magic)))
      return 0;
    // Not before the magic was seen: the size may be wrong.
    bytes.reserve(size_t(expected.hint) + kChunk);
  }
  return 0;
}

/// The file behind `path` after symbolic links, so that a rename replaces the
/// file and not the link.
std::string resolveLinks(const std::string &path) {
  char *resolved = ::realpath(path.c_str(), nullptr);
  if (!resolved)
    return path;
  std::string result(resolved);
  std::free(resolved);
  return result;
}

/// Creates a file beside `target` and stores its name in `path`. The name does
/// not contain the target's, which may be as long as the system allows. Process
/// numbers alone are not unique: containers that share a folder have equal
/// ones.
int createTemporary(const std::string &target, std::string &path) {
  static std::atomic<unsigned> counter{0};
  std::string folder = target.substr(0, target.rfind('/') + 1); // npos + 1: 0.
  int file;
  do {
    path = folder + std::string(kTemporaryPrefix) + std::to_string(::getpid()) +
           "-" + std::to_string(counter++);
    file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file < 0 && errno == EEXIST);
  return file;
}

/// Whether `path` names an open descriptor of a process, which may be that of a
/// regular file: a rename would put another file in its place, or replace the
/// link itself. Other files in /dev, such as those of /dev/shm, are files.
bool isDescriptor(const std::string &path) {
  return path == "/dev/stdout" || path == "/dev/stderr" ||
         path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

Result<void> writeInPlace(const std::string &path, Buffers buffers) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file)
    return writeError(path, errno);
  if (int code = writeEach(file.get(), buffers))
    return writeError(path, code);
  return {};
}

/// Reads all of an open file.
Result<std::string> readOpen(const Descriptor &file, const std::string &path,
                             int64_t maxBytes, std::string_view magic) {
  if (!file)
    return readError(path, errno);
  struct stat status;
  if (::fstat(file.get(), &status) != 0)
    return readError(path, errno);
  if (S_ISDIR(status.st_mode))
    return readError(path, EISDIR);
  // The size is a hint: pipes and /proc say zero, and a file may grow.
  int64_t hint = S_ISREG(status.st_mode) ? int64_t(status.st_size) : 0;
  if (hint == 0)
    maxBytes = std::min(maxBytes, kMaxStreamBytes);
  std::string bytes;
  if (hint <= maxBytes)
    try {
      if (int code = readAll(file.get(), {hint, maxBytes, magic}, bytes))
        return readError(path, code);
    } catch (const std::bad_alloc &) {
      return readError(path, ENOMEM);
    }
  if (std::max(hint, int64_t(bytes.size())) > maxBytes)
    return Error{ErrorKind::BadInput,
                 "cannot read '" + path + "': expects at most " +
                     std::to_string(maxBytes) + " bytes, but got more"};
  return bytes;
}

} // namespace

Result<std::string> conv::readFile(const std::string &path, int64_t maxBytes,
                                   std::string_view magic) {
  Descriptor file(openToRead(path));
  return readOpen(file, path, maxBytes, magic);
}

Result<Blob> conv::mapFile(const std::string &path, int64_t maxBytes,
                           std::string_view magic) {
  Descriptor file(openToRead(path));
  struct stat status;
  if (file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size > 0 && int64_t(status.st_size) <= maxBytes &&
      ::lseek(file.get(), 0, SEEK_CUR) == 0) { // Nobody has read a part of it.
    auto size = size_t(status.st_size);
    void *start =
        ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), /*offset=*/0);
    if (start != MAP_FAILED)
      return Blob{std::shared_ptr<const void>(
                      start,
                      [size](const void *mapped) {
                        ::munmap(const_cast<void *>(mapped), size);
                      }),
                  {static_cast<const char *>(start), size}};
  }
  // A pipe is read through this descriptor: its writer may not wait for
  // another.
  Result<std::string> bytes = readOpen(file, path, maxBytes, magic);
  if (!bytes)
    return bytes.error();
  return Blob::fromString(std::move(*bytes));
}

Result<void> conv::writeFile(const std::string &path, std::string_view bytes) {
  return writeFile(path, Buffers(&bytes, 1));
}

Result<void> conv::writeFile(const std::string &path, Buffers buffers) {
  struct stat status;
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return writeError(path, EISDIR);
  if (exists && (isDescriptor(path) || !S_ISREG(status.st_mode)))
    return writeInPlace(path, buffers);
  // A rename would also replace a file that its owner made read-only.
  if (exists && ::access(path.c_str(), W_OK) != 0)
    return writeError(path, errno);

  std::string target = resolveLinks(path);
  std::string temporary;
  Descriptor file(createTemporary(target, temporary));
  if (!file)
    return writeError(path, errno);
  // The new file gets the permissions of the one it replaces.
  int code = 0;
  if (exists && ::fchmod(file.get(), status.st_mode & 0777) != 0)
    code = errno;
  if (code == 0)
    code = writeEach(file.get(), buffers);
  if (!file.close() && code == 0)
    code = errno;
  if (code == 0 && ::rename(temporary.c_str(), target.c_str()) != 0)
    code = errno;
  if (code == 0)
    return {};
  ::unlink(temporary.c_str());
  return writeError(path, code);
}
