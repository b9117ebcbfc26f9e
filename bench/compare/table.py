"""The file of measured times: one line of JSON about the run, then one line for each problem."""

import json
import pathlib

from files import write_file
from schedules import lengthen, shorten


def write_table(path, about, records):
    """Write the file, with four significant digits of each time."""
    lines = [json.dumps(about)]
    for record in records:
        times = {shorten(one): float(f"{time:.4g}") for one, time in record["microseconds"].items()}
        library = record["library"] and float(f"{record['library']:.4g}")
        line = {"problem": record["problem"], "library": library, "default": shorten(record["default"]), "us": times}
        lines.append(json.dumps(line))
    write_file(pathlib.Path(path), "\n".join(lines) + "\n")


def read_table(path):
    """Return what the file says about the run, and its records."""
    about, *records = map(json.loads, pathlib.Path(path).read_text(encoding="utf-8").splitlines())
    for record in records:
        record["microseconds"] = {lengthen(one): time for one, time in record.pop("us").items()}
        record["default"] = lengthen(record["default"])
    return about, records
