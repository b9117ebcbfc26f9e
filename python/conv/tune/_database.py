# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tuning database: one SQLite file with the measurements of schedules. docs/tuning.md describes it."""

from __future__ import annotations

import dataclasses
import datetime
import getpass
import json
import os
import pathlib
import platform
import re
import typing

from .. import _store
from .._library import bad_input

# Statements are separated by an empty line.
_SCRIPT = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);

INSERT INTO about VALUES ('state', lower(hex(randomblob(16))));

CREATE TABLE measurements (
  problem TEXT NOT NULL,
  target TEXT NOT NULL,
  compute_units INTEGER NOT NULL CHECK (compute_units > 0),
  compiler TEXT NOT NULL CHECK (compiler != ''),
  schedule TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('measured', 'modelled')),
  code TEXT NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  predicted REAL CHECK (predicted > 0),
  seconds REAL NOT NULL CHECK (seconds > 0),
  least REAL NOT NULL CHECK (least > 0 AND least <= seconds),
  most REAL NOT NULL CHECK (most >= seconds),
  protocol TEXT NOT NULL,
  error REAL NOT NULL CHECK (error >= 0 AND error <= 1),
  device TEXT NOT NULL,
  driver TEXT NOT NULL,
  who TEXT NOT NULL,
  time TEXT NOT NULL,
  unit TEXT NOT NULL,
  PRIMARY KEY (problem, target, compute_units, compiler, schedule, kind)
) WITHOUT ROWID;

CREATE TABLE quarantine (
  problem TEXT NOT NULL,
  target TEXT NOT NULL,
  compute_units INTEGER NOT NULL,
  compiler TEXT NOT NULL,
  schedule TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('refused', 'crash', 'hang', 'wrong', 'lost')),
  detail TEXT NOT NULL,
  device TEXT NOT NULL,
  who TEXT NOT NULL,
  time TEXT NOT NULL,
  PRIMARY KEY (problem, target, compute_units, compiler, schedule)
) WITHOUT ROWID;

CREATE TRIGGER inserted AFTER INSERT ON measurements BEGIN
  UPDATE about SET value = lower(hex(randomblob(16))) WHERE name = 'state'; END;

CREATE TRIGGER updated AFTER UPDATE ON measurements BEGIN
  UPDATE about SET value = lower(hex(randomblob(16))) WHERE name = 'state'; END;

CREATE TRIGGER deleted AFTER DELETE ON measurements BEGIN
  UPDATE about SET value = lower(hex(randomblob(16))) WHERE name = 'state'; END
""".strip()

#: Columns of version 2.
_ADDED = ("code", "unit")
_UPGRADE = ";\n\n".join(f"ALTER TABLE measurements ADD COLUMN {name} TEXT NOT NULL DEFAULT ''" for name in _ADDED)
SCHEMA = _store.Schema("tuning database", 0x636F6E76, 2, _SCRIPT, (_UPGRADE,))  # "conv"

_KEY = ("problem", "target", "compute_units", "compiler", "schedule")

#: What `Database.merge` does with two rows of one key.
KEEP = ("newer", "faster", "first", "last")


def now() -> str:
    """The time in UTC, as text that sorts by time."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def whoami() -> str:
    """The user and the machine."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # A user without a name.
        user = str(os.getuid())
    return f"{user}@{platform.node()}"


def plain(schedule: str) -> str:
    """A schedule without its origin."""
    return re.sub(r", chosen_by = \w+>$", ">", schedule)


@dataclasses.dataclass(frozen=True)
class Measurement:
    """The measurement of one schedule of one problem. Times are in seconds."""

    problem: str  #: In the grammar of MIOpenDriver, without an epilogue.
    target: str
    compute_units: int  #: Of the device, or of the chip if the time is modelled.
    compiler: str  #: The fingerprint.
    schedule: str
    kind: str  #: "measured", or "modelled" by a clock without such a device.
    is_default: bool  #: Whether the compiler chooses it without a database.
    predicted: typing.Optional[float]  #: By the cost model.
    seconds: float  #: The median,
    least: float  #: and its spread.
    most: float
    protocol: str  #: How it was timed, as JSON.
    error: float  #: The worst error of any element, as a share of the allowed one: at most 1.
    device: str
    driver: str
    who: str
    time: str
    code: str = ""  #: The digest of the measured code (`conv_compute_code`); empty if it is unknown.
    unit: str = ""  #: The terms of the prediction, as JSON, if the cost model gives them.


@dataclasses.dataclass(frozen=True)
class Quarantined:
    """A schedule that is not tried again: it was refused, crashed, hung, gave a wrong result, or lost its worker."""

    problem: str
    target: str
    compute_units: int
    compiler: str
    schedule: str
    reason: str
    detail: str
    device: str
    who: str
    time: str


Row = typing.Union[Measurement, Quarantined]
_TABLES = {Measurement: "measurements", Quarantined: "quarantine"}
_COLUMNS = {kind: tuple(field.name for field in dataclasses.fields(kind)) for kind in _TABLES}


def _parse(kind: type, values: typing.Sequence) -> Row:
    row = kind(*values)
    return dataclasses.replace(row, is_default=bool(row.is_default)) if kind is Measurement else row


class Database:
    """A tuning database. One process writes at a time and others wait; readers never wait."""

    def __init__(self, path: typing.Union[str, os.PathLike], write: bool = False) -> None:
        self.path = pathlib.Path(path)
        self._connection = _store.connect(SCHEMA, path, write)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def _explained(self) -> typing.ContextManager[None]:
        return _store.explained(SCHEMA, self.path)

    def rows(self, table: type = Measurement, /, **equal: object) -> typing.List[typing.Any]:
        """The rows with these column values, in the order of their keys."""
        where = " AND ".join(f"{name} = ?" for name in equal) or "1"
        columns = ", ".join(map(self._column, _COLUMNS[table]))
        query = f"SELECT {columns} FROM {_TABLES[table]} WHERE {where} ORDER BY {', '.join(_KEY)}"
        with self._explained():
            return [_parse(table, values) for values in self._connection.execute(query, tuple(equal.values()))]

    def _column(self, name: str) -> str:
        """A column as SQL; a file of version 1 lacks the columns of later versions."""
        if name in _ADDED and self._connection.execute("PRAGMA user_version").fetchone() == (1,):
            return f"'' AS {name}"
        return name

    def add(self, rows: typing.Iterable[Row]) -> None:
        """Writes rows, all or none. A row with an existing key replaces that row."""
        with self._explained(), _store.transaction(self._connection):
            for row in rows:
                self._put(row)

    def _put(self, row: Row) -> None:
        columns = _COLUMNS[type(row)]
        places = ", ".join("?" * len(columns))
        self._connection.execute(
            f"INSERT OR REPLACE INTO {_TABLES[type(row)]} ({', '.join(columns)}) VALUES ({places})",
            tuple(getattr(row, name) for name in columns),
        )

    def remove(self, rows: typing.Iterable[Row]) -> None:
        """Removes rows, all or none."""
        self.replace(rows, ())

    def replace(self, old: typing.Iterable[Row], new: typing.Iterable[Row]) -> None:
        """Removes rows and writes others, all or none."""
        with self._explained(), _store.transaction(self._connection):
            for row in old:
                names = (*_KEY, "kind") if isinstance(row, Measurement) else _KEY
                where = " AND ".join(f"{name} = ?" for name in names)
                values = tuple(getattr(row, name) for name in names)
                self._connection.execute(f"DELETE FROM {_TABLES[type(row)]} WHERE {where}", values)
            for row in new:
                self._put(row)

    def state(self) -> str:
        """Text that changes whenever a row changes."""
        with self._explained():
            [value] = self._connection.execute("SELECT value FROM about WHERE name = 'state'").fetchone()
        return value

    def compact(self) -> None:
        """Returns freed pages to the system, and makes the file readable without any other file beside it."""
        with self._explained():
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.execute("PRAGMA journal_mode = DELETE")
            self._connection.execute("VACUUM")

    def merge(self, other: Database, keep: str = "newer") -> typing.Dict[str, int]:
        """Merges the rows of another database. Of two rows with the same key and different content, one is kept: the newer,
        the faster, the row of the `first` database (this one) or of the `last`. Returns the numbers of added, equal, replaced
        and kept rows."""
        counts = dict.fromkeys(("added", "same", "replaced", "kept"), 0)
        with self._explained(), _store.transaction(self._connection):
            for kind in _TABLES:
                mine = {_identity(row): row for row in self.rows(kind)}
                for row in other.rows(kind):
                    known = mine.get(_identity(row))
                    what = "added" if known is None else "same" if known == row else _settle(known, row, keep)
                    counts[what] += 1
                    if what in ("added", "replaced"):
                        self._put(row)
        return counts

    def verify(self) -> typing.List[str]:
        """The errors of the file, a line for each; SQLite itself checks the constraints of rows."""
        with self._explained():
            found = [text for [text] in self._connection.execute("PRAGMA integrity_check") if text != "ok"]
            for row in self.rows():
                found += _find_faults(row)
        return found


def _identity(row: Row) -> tuple:
    return (*(getattr(row, name) for name in _KEY), getattr(row, "kind", ""))


def _settle(known: Row, row: Row, keep: str) -> str:
    """Which of two rows with the same key is kept."""
    if keep not in KEEP:
        raise bad_input(f"expects to keep {', '.join(KEEP)}, but got {keep}")
    if keep == "faster" and isinstance(row, Measurement):
        wins = row.seconds < known.seconds
    else:
        wins = keep == "last" or (keep in ("newer", "faster") and row.time > known.time)
    return "replaced" if wins else "kept"


def _find_faults(row: Measurement) -> typing.Iterator[str]:
    """Errors that SQLite's checks do not find."""
    where = f"{row.target} {row.problem}"
    if not row.schedule.startswith("#conv.schedule<") or row.schedule != plain(row.schedule):
        yield f"{where}: expects a #conv.schedule<...> without who chose it, but got {row.schedule}"
    try:
        json.loads(row.protocol)
        json.loads(row.unit or "{}")
    except ValueError:
        yield f"{where}: expects JSON as protocol and unit, but got {row.protocol} and {row.unit}"


def best_rows(rows: typing.Iterable[Measurement]) -> typing.Dict[tuple, typing.List[Measurement]]:
    """The rows of each problem, target, number of compute units, compiler and kind, the fastest first."""
    found: typing.Dict[tuple, typing.List[Measurement]] = {}
    for row in rows:
        found.setdefault((row.problem, row.target, row.compute_units, row.compiler, row.kind), []).append(row)
    return {key: sorted(group, key=lambda row: row.seconds) for key, group in found.items()}
