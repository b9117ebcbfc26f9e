"""Measured times of schedules, from the files that hold them."""

import contextlib
import csv
import dataclasses
import pathlib
import sqlite3

from table import read_table


@dataclasses.dataclass
class Measured:
    """The microseconds of schedules of a problem, measured (or clocked) in one run."""

    target: str
    problem: str  #: In the grammar of conv-gen.
    microseconds: dict


def _group(rows):
    """Records of rows of a target, a problem, a schedule, microseconds, and the device that took them."""
    groups = {}
    for target, problem, schedule, time, *device in rows:
        groups.setdefault((target, problem, *device), {})[schedule] = time
    return [Measured(target, problem, times) for (target, problem, *_), times in groups.items()]


def _read_database(path):
    # Rows of a compiler that is gone were measured as well: what they predict is asked anew.
    query = (
        "SELECT target, problem, schedule, seconds * 1e6, device, compute_units FROM measurements WHERE kind = 'measured'"
        " ORDER BY target, problem, schedule, time"
    )
    with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        return _group(database.execute(query))


def _read_rows(path):
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return _group((row["target"], row["problem"], row["schedule"], float(row["us"])) for row in rows)


def read_measured(path, target):
    """The records of a file: a database of conv-tune (.db), clocked schedules (.csv), or what `bench/calibration time`
    wrote, which does not name its `target`."""
    path = pathlib.Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"expects a file of measured times, but got {path}")
    if path.suffix == ".db":
        try:
            return _read_database(path)
        except sqlite3.Error as error:
            raise OSError(f"expects a database of conv-tune in {path}, but got: {error}") from error
    if path.suffix == ".csv":
        return _read_rows(path)
    return [Measured(target, record["problem"], record["microseconds"]) for record in read_table(path)[1]]
