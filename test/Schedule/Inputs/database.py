"""Writes a tuning database: database.py OUT.db RECORDS.jsonl [COLUMN=VALUE...]. A record has the columns that differ."""

import json
import sys

from conv.tune import Database, Measurement

path, records, *changes = sys.argv[1:]
changes = dict(change.split("=", 1) for change in changes)
usual = {
    "compute_units": 304,
    "compiler": "0123456789abcdef",
    "kind": "measured",
    "is_default": False,
    "predicted": None,
    "seconds": 1e-5,
    "protocol": "{}",
    "error": 0.5,
    "device": "test",
    "driver": "test",
    "who": "test",
    "time": "2026-01-01T00:00:00.000Z",
}
with open(records) as file, Database(path, write=True) as database:
    for line in file:
        values = {**usual, **json.loads(line), **changes}
        values.pop("unit", None)  # --emit=schedules adds this to the prediction.
        database.add([Measurement(**{"least": values["seconds"], "most": values["seconds"], **values})])
