//===- DatabaseFile.cpp - a tuning database, read-only ----------*- C++ -*-===//
//
// Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Readers take SQLite's locks, so that they see whole transactions of a writer.
// A file that nobody can write, in a read-only folder, needs no locks and is
// read as it is.
//
//===----------------------------------------------------------------------===//

#include "conv/Schedule/DatabaseFile.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <sqlite3.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

using namespace conv;

/// "conv" in ASCII: the `application_id` of the schema.
static constexpr int64_t kApplication = 0x636f6e76;
/// How long to wait for a lock: writers hold locks for milliseconds.
static constexpr int kLockMilliseconds = 10000;
/// The most rows that are read per key; the first one that fits is used.
static constexpr int kMaxRows = 16;

/// All columns except `code`, which files of version 1 do not have.
static const std::string kColumns = "SELECT schedule, compiler, "
                                    "compiler = ?4 OR ?4 = '' AS is_current, "
                                    "compute_units, ";
static const char *const kRows =
    " FROM measurements WHERE problem = ?1 AND target = ?2 "
    "ORDER BY is_current DESC, kind = 'modelled', "
    "abs(compute_units - ?3), seconds LIMIT ?5";

namespace {
struct Close {
  void operator()(sqlite3 *connection) const { sqlite3_close(connection); }
  void operator()(sqlite3_stmt *statement) const {
    sqlite3_finalize(statement);
  }
};
using Connection = std::unique_ptr<sqlite3, Close>;
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

/// An error that says what is wrong, and whether it is the machine's fault.
Error describe(const std::string &path, int code, const std::string &what) {
  int kind = code & 0xff;
  bool isMachine = kind == SQLITE_IOERR || kind == SQLITE_NOMEM ||
                   kind == SQLITE_BUSY || kind == SQLITE_FULL;
  return {isMachine ? ErrorKind::System : ErrorKind::BadInput,
          "cannot read the database '" + path + "': " + what};
}

Error describe(const std::string &path, sqlite3 *connection) {
  return describe(path, sqlite3_errcode(connection),
                  sqlite3_errmsg(connection));
}

/// The path as a URI, with special characters escaped.
std::string makeUri(const std::string &path, const char *parameters) {
  std::string uri = "file:";
  for (char c : path)
    if (c == '%' || c == '?' || c == '#') {
      constexpr char kDigits[] = "0123456789abcdef";
      uri += {'%', kDigits[c >> 4 & 15], kDigits[c & 15]};
    } else {
      uri += c;
    }
  return uri + parameters;
}

Result<int64_t> readNumber(const std::string &path, sqlite3 *connection,
                           const char *query) {
  sqlite3_stmt *prepared = nullptr;
  sqlite3_prepare_v2(connection, query, -1, &prepared, nullptr);
  Statement statement(prepared);
  if (!prepared || sqlite3_step(prepared) != SQLITE_ROW)
    return describe(path, connection);
  return sqlite3_column_int64(prepared, 0);
}

/// Opens the file and reads its first page.
int connect(const std::string &uri, Connection &connection) {
  sqlite3 *opened = nullptr;
  int code = sqlite3_open_v2(
      uri.c_str(), &opened,
      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX, nullptr);
  connection.reset(opened);
  if (code != SQLITE_OK)
    return code;
  sqlite3_busy_timeout(opened, kLockMilliseconds);
  return sqlite3_exec(opened,
                      "PRAGMA mmap_size = 1073741824;"
                      "SELECT count(*) FROM sqlite_schema",
                      nullptr, nullptr, nullptr);
}

/// Whether a file contains all of its changes, and lies in a folder where
/// SQLite cannot create the files that its readers share.
bool canBeImmutable(const std::string &path, int code) {
  struct stat status;
  bool hasLog =
      ::stat((path + "-wal").c_str(), &status) == 0 && status.st_size > 0;
  int kind = code & 0xff;
  return !hasLog && (kind == SQLITE_CANTOPEN || kind == SQLITE_READONLY);
}

/// The version of the file's schema, if this compiler can read it.
Result<int64_t> readVersion(const std::string &path, sqlite3 *connection) {
  Result<int64_t> application =
      readNumber(path, connection, "PRAGMA application_id");
  if (!application)
    return application.error();
  Result<int64_t> version = readNumber(path, connection, "PRAGMA user_version");
  if (!version)
    return version.error();
  if (*application != kApplication || *version < 1)
    return Error{ErrorKind::BadInput,
                 "expects a database that conv-tune wrote, but got '" + path +
                     "'"};
  if (*version > DatabaseFile::kVersion)
    return Error{ErrorKind::BadInput,
                 "expects a database of version " +
                     std::to_string(DatabaseFile::kVersion) + ", but '" + path +
                     "' has version " + std::to_string(*version) +
                     ": a newer conv wrote it"};
  return *version;
}

std::string readText(sqlite3_stmt *statement, int column) {
  const unsigned char *text = sqlite3_column_text(statement, column);
  return text ? reinterpret_cast<const char *>(text) : "";
}

void bind(sqlite3_stmt *statement, int place, const std::string &text) {
  sqlite3_bind_text(statement, place, text.data(), int(text.size()),
                    SQLITE_STATIC);
}
} // namespace

Result<std::shared_ptr<const DatabaseFile>>
DatabaseFile::open(const std::string &path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return Error{ErrorKind::BadInput,
                 "cannot read '" + path + "': " + std::strerror(errno)};
  // A forked child must not use the connections of its parent.
  using Key = std::tuple<pid_t, dev_t, ino_t>;
  static std::mutex mutex;
  static auto &opened = *new std::map<Key, std::shared_ptr<DatabaseFile>>;
  std::lock_guard lock(mutex);
  std::shared_ptr<DatabaseFile> &file =
      opened[{::getpid(), status.st_dev, status.st_ino}];
  if (file)
    return std::shared_ptr<const DatabaseFile>(file);
  Connection connection;
  int code = connect(makeUri(path, ""), connection);
  if (canBeImmutable(path, code))
    code = connect(makeUri(path, "?immutable=1"), connection);
  if (code != SQLITE_OK)
    return describe(path, code,
                    connection ? sqlite3_errmsg(connection.get())
                               : sqlite3_errstr(code));
  Result<int64_t> version = readVersion(path, connection.get());
  if (!version)
    return version.error();
  file.reset(new DatabaseFile(path, connection.release(), *version > 1));
  return std::shared_ptr<const DatabaseFile>(file);
}

Result<MeasuredSchedules>
DatabaseFile::lookup(const MeasurementKey &key) const {
  sqlite3_stmt *prepared = nullptr;
  std::string query = kColumns + (hasCode ? "code" : "''") + kRows;
  sqlite3_prepare_v2(connection, query.c_str(), -1, &prepared, nullptr);
  Statement statement(prepared);
  if (!prepared)
    return describe(path, connection);
  bind(prepared, 1, key.problem);
  bind(prepared, 2, key.target);
  sqlite3_bind_int64(prepared, 3, key.computeUnits);
  bind(prepared, 4, key.compiler);
  sqlite3_bind_int(prepared, 5, kMaxRows);
  MeasuredSchedules found;
  int code;
  while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
    bool isCurrent = sqlite3_column_int(prepared, 2) != 0;
    (isCurrent ? found.current : found.stale)
        .push_back({readText(prepared, 0), readText(prepared, 1),
                    readText(prepared, 4), sqlite3_column_int64(prepared, 3)});
  }
  if (code != SQLITE_DONE)
    return describe(path, connection);
  return found;
}

Result<std::string> DatabaseFile::readState() const {
  sqlite3_stmt *prepared = nullptr;
  sqlite3_prepare_v2(connection, "SELECT value FROM about WHERE name = 'state'",
                     -1, &prepared, nullptr);
  Statement statement(prepared);
  if (!prepared || sqlite3_step(prepared) != SQLITE_ROW)
    return describe(path, connection);
  return readText(prepared, 0);
}
