# RUN: %python %s %source-root
"""The databases that ship: their rows are whole, and the compiler finds them, and takes what holds or says that it is stale."""

import json
import os
import pathlib
import sys
import unittest
import warnings

import conv
from conv.tune import Database
from conv.tune._problems import parse_line

FILES = sorted((pathlib.Path(sys.argv.pop()) / "share" / "conv").glob("*.db"))
#: In all, since they are in the repository and in the wheel.
MOST_BYTES = 6 << 20


class Shipped(unittest.TestCase):
    def test_files(self):
        """One file for each chip, compact and small; every row was verified and measured, and has its digest."""
        self.assertTrue(FILES)
        self.assertLess(sum(path.stat().st_size for path in FILES), MOST_BYTES)
        for path in FILES:
            with Database(path) as database:
                self.assertEqual(database.verify(), [])
                rows = database.rows()
            self.assertEqual({(row.target, row.kind, len(row.code)) for row in rows}, {(path.stem, "measured", 64)})
            defaults = [row.problem for row in rows if row.is_default]
            self.assertCountEqual(defaults, {row.problem for row in rows}, "one default for each problem")
            for row in rows:
                self.assertTrue(row.device and row.driver and row.compute_units > 1 and row.error <= 1)
                self.assertEqual(set(json.loads(row.protocol)), {"idle_seconds", "burst_seconds", "rounds"})
            self.assertFalse(path.with_name(f"{path.name}-wal").exists())

    def test_found(self):
        """Without being named; what does not hold is a warning and never silent."""
        os.environ.pop("CONV_DATABASE", None)
        for path in FILES:
            self.assertTrue(os.path.samefile(conv._compiler.shipped_database(path.stem), path))
            with Database(path) as database:
                problems = sorted({row.problem for row in database.rows()})
            for line in problems[:: len(problems) // 4]:
                with self.subTest(line), warnings.catch_warnings(record=True) as said:
                    warnings.simplefilter("always")
                    pack = conv.compile(parse_line(line), path.stem, cache=False)
                    [entry] = conv.load(pack).entries
                    stale = [one for one in said if "measured with another compiler only" in str(one.message)]
                    self.assertEqual((entry.chosen_by, len(stale)), ("heuristic", 1) if stale else ("database", 0))
            pack = conv.compile(parse_line(problems[0]), path.stem, cache=False, database="none")
            self.assertEqual(conv.load(pack).entries[0].chosen_by, "heuristic")


if __name__ == "__main__":
    unittest.main()
