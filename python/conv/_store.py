# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SQLite files that processes share: their owner, their version, and their errors as one line."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import sqlite3
import stat
import typing
import uuid

from ._library import Error, ErrorKind, bad_input

#: Writers hold locks for milliseconds. A longer wait means that a stopped process holds the lock.
_LOCK_SECONDS = 30


@dataclasses.dataclass(frozen=True)
class Schema:
    """The schema of a file.

    what: its name in messages, such as "database".
    application: SQLite's `application_id`, which identifies this project's files.
    version: SQLite's `user_version`; newer files are refused.
    script: SQL that creates the tables of an empty file.
    upgrades: SQL that brings a file of version 1, 2, ... to the next one, before it is written.
    """

    what: str
    application: int
    version: int
    script: str
    upgrades: typing.Tuple[str, ...] = ()


def part_of(path: pathlib.Path) -> pathlib.Path:
    """A new name beside a file, for the file until it is complete. Process numbers alone are not unique: containers that
    share a folder have equal ones."""
    return path.with_name(f".{uuid.uuid4().hex}.part")


def is_own(path: pathlib.Path) -> bool:
    """Whether only this user can have written the file."""
    try:
        status = path.lstat()
    except OSError:
        return False
    is_plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return is_plain and status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@contextlib.contextmanager
def explained(schema: Schema, path: pathlib.Path) -> typing.Iterator[None]:
    """Turns SQLite's exceptions into an `Error`."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error)
        is_file = isinstance(error, sqlite3.DatabaseError) and any(
            part in text for part in ("not a database", "malformed", "no such table", "no such column", "constraint")
        )
        kind = ErrorKind.BAD_INPUT if is_file else ErrorKind.SYSTEM
        raise Error(kind, f"cannot use the {schema.what} '{path}': {text}") from error


def _connect(path: pathlib.Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{mode}"
    return sqlite3.connect(uri, uri=True, timeout=_LOCK_SECONDS, isolation_level=None, check_same_thread=False)


def _check(schema: Schema, path: pathlib.Path, connection: sqlite3.Connection) -> None:
    [application] = connection.execute("PRAGMA application_id").fetchone()
    [version] = connection.execute("PRAGMA user_version").fetchone()
    if application != schema.application or version < 1:
        raise bad_input(f"expects a {schema.what} that conv wrote, but got '{path}'")
    if version > schema.version:
        raise bad_input(
            f"expects a {schema.what} of version {schema.version}, but '{path}' has version {version}: "
            "a newer conv wrote it"
        )


def _open_to_read(schema: Schema, path: pathlib.Path) -> sqlite3.Connection:
    """Opens a file that others may write for reading or, in a read-only folder, one that nobody can write."""
    if not path.is_file():
        raise bad_input(f"expects a {schema.what}, but there is no file '{path}'")
    connection = _connect(path, "mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError as error:
        connection.close()
        log = pathlib.Path(f"{path}-wal")
        if "locked" in str(error) or (log.exists() and log.stat().st_size):
            raise
        connection = _connect(path, "immutable=1")
    return connection


def _create(schema: Schema, path: pathlib.Path) -> None:
    """Creates a file that has its tables from the first moment on; another process may create one at the same time."""
    part = part_of(path)
    try:
        connection = _connect(part, "mode=rwc")
        try:
            for statement in schema.script.split(";\n\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {schema.application}")
            connection.execute(f"PRAGMA user_version = {schema.version}")
        finally:
            connection.close()
        with contextlib.suppress(FileExistsError):
            os.link(part, path)
    finally:
        part.unlink(missing_ok=True)


def _upgrade(schema: Schema, path: pathlib.Path, connection: sqlite3.Connection) -> None:
    """Upgrades a file of an older version to this one, in a transaction."""
    _check(schema, path, connection)
    [version] = connection.execute("PRAGMA user_version").fetchone()
    for upgrade in schema.upgrades[version - 1 :]:
        for statement in upgrade.split(";\n\n"):
            connection.execute(statement)
    if version != schema.version:
        connection.execute(f"PRAGMA user_version = {schema.version}")


def _open_to_write(schema: Schema, path: pathlib.Path) -> sqlite3.Connection:
    if not path.exists():
        _create(schema, path)
    connection = _connect(path, "mode=rw")
    try:
        _check(schema, path, connection)
        # Readers continue while one process writes. File systems without support for it keep SQLite's older mode.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        with transaction(connection):  # Tests whether the file can be written.
            _upgrade(schema, path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def connect(schema: Schema, path: typing.Union[str, os.PathLike], write: bool = False) -> sqlite3.Connection:
    """Opens a file; creates it if it is to be written and does not exist.

    Raises:
        Error: the file has another kind or a newer version, is broken, or the disk refuses writes.
    """
    path = pathlib.Path(path)
    with explained(schema, path):
        connection = (_open_to_write if write else _open_to_read)(schema, path)
        try:
            _check(schema, path, connection)
        except BaseException:
            connection.close()
            raise
    return connection


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> typing.Iterator[None]:
    """Writes everything in the block, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):  # SQLite itself has rolled back if the disk is full.
            connection.execute("ROLLBACK")
        raise
