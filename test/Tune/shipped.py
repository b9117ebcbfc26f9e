# RUN: %python %s %source-root
"""Shipped databases: their rows are complete, and as many as pages say; the compiler finds them, uses valid rows, and warns of stale
rows."""

import json
import math
import os
import pathlib
import sys
import unittest
import warnings

import conv
from conv.tune import Database
from conv.tune._problems import parse_line

ROOT = pathlib.Path(sys.argv.pop())
FILES = sorted((ROOT / "share" / "conv").glob("*.db"))
#: The limit of all files together, because they are in the repository and in the wheel.
MOST_BYTES = 6 << 20


class Shipped(unittest.TestCase):
    def test_files(self):
        """Each chip has one compact file; every row is verified and measured, and has a digest of its code."""
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

    def test_pages(self):
        """What pages say of sm_90a.db is what it has."""
        with Database(ROOT / "share/conv/sm_90a.db") as database:
            rows = database.rows()
        best, default = {}, {}
        for row in rows:
            best[row.problem] = min(row.seconds, best.get(row.problem, math.inf))
            if row.is_default:
                default[row.problem] = row.seconds
        [device] = {row.device for row in rows}
        gains = [default[problem] / best[problem] for problem in best]
        mean = math.exp(sum(map(math.log, gains)) / len(gains))
        within = {limit: sum(gain <= limit for gain in gains) for limit in (1.05, 1.12)}
        chip = device.removeprefix("NVIDIA ")
        said = {
            "README.md": [f"{len(best)} layers measured on an {chip}"],
            "docs/tuning.md": [f"`sm_90a.db`, with {len(best)} layers", f"measured on an {chip}"],
            "bench/results/README.md": [
                f"the best of {len(rows)} schedules is {mean:.3f} times as fast as the default in the geometric mean of "
                f"{len(best)} layers, and {max(gains):.2f} times at most, all measured on an {device}"
            ],
            "bench/results/tuning.md": [
                f"on an {chip} (driver 580.159.04, the protocol below): {len(best)} layers",
                f"of which the file keeps {len(rows)}. The best is {mean:.3f} times as fast as the default in the geometric "
                f"mean ({max(gains):.2f} at most); {within[1.05]} defaults are within 5 % of the best, {within[1.12]} within 12 %",
            ],
            "bench/results/families.md": [f"those of {len(best)} layers"],
        }
        for page, sentences in said.items():
            text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
            for sentence in sentences:
                with self.subTest(page):
                    self.assertTrue(sentence in text, f"expects to read: {sentence}")

    def test_found(self):
        """The compiler finds databases that are not named; a stale row is a warning, never silent."""
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
