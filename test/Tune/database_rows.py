# RUN: rm -rf %t && mkdir %t && %python %s %t
"""Rows of the database: their constraints, and how rows are merged, pruned, ranked and listed."""

import dataclasses
import json
import pathlib
import sqlite3
import sys
import unittest

import conv
from conv.tune import Database, Measurement, Quarantined, _tasks
from conv.tune._database import plain
from conv.tune._problems import from_shape
from conv.tune._space import SIZES, find_space
from rows import OUT, ROW, tool

ROOT = pathlib.Path(sys.argv.pop())


class Rows(unittest.TestCase):
    def setUp(self):
        self.path = ROOT / f"{self.id()}.db"

    def write(self, *rows, path=None):
        with Database(path or self.path, write=True) as database:
            database.add(rows)

    def test_what_was_written_is_read(self):
        self.write(ROW, OUT)
        with Database(self.path) as database:
            self.assertEqual((database.rows(), database.rows(Quarantined)), ([ROW], [OUT]))
            self.assertEqual((database.rows(target="host"), database.rows(target="gfx942")), ([ROW], []))
            self.assertEqual(database.verify(), [])

    def test_unverified_rows_are_refused(self):
        """The file itself has the constraints, so they hold for every writer."""
        for wrong in (
            {"error": 1.001},
            {"error": None},
            {"error": float("nan")},
            {"seconds": 0},
            {"least": 2.1e-5},
            {"most": 1e-5},
            {"kind": "guessed"},
            {"compiler": ""},
            {"device": None},
        ):
            with self.subTest(wrong), self.assertRaisesRegex(conv.Error, "constraint failed"):
                self.write(ROW, dataclasses.replace(ROW, schedule="#conv.schedule<c>", **wrong))
        with Database(self.path) as database:
            self.assertEqual(database.rows(), [], "all rows of a transaction or none")

    def test_modelled_rows_are_apart(self):
        modelled = dataclasses.replace(ROW, kind="modelled", seconds=1.5e-5, protocol='{"clock": "cost model"}')
        self.write(ROW, modelled)
        with Database(self.path) as database:
            self.assertCountEqual(database.rows(), [ROW, modelled])

    def test_state_changes_with_rows(self):
        def state():
            return sqlite3.connect(self.path).execute("SELECT value FROM about WHERE name = 'state'").fetchone()

        self.write(ROW)
        states = [state(), state()]
        self.assertEqual(states[0], states[1])
        self.write(dataclasses.replace(ROW, seconds=1.9e-5))
        states.append(state())
        with Database(self.path, write=True) as database:
            database.remove([ROW])
        states.append(state())
        self.assertEqual(len(set(states)), 3)

    def test_compute_units(self):
        """The candidates, and what the default compiles to, are for so many threads: one alone has no slices to add up."""
        shape = {"n": 1, "c": 64, "k": 64, "spatial": [14, 14], "filter": [3, 3], "pad": [1, 1]}
        problem = from_shape(shape, "f32", "backward_weight", "nhwc")
        for units, has_slices in ((1, False), (8, True)):
            space = find_space(problem, "host", SIZES["full"], units)
            self.assertEqual(space.chip_units, units)
            default = space.candidates[0]
            self.assertEqual("splits" in default.schedule, has_slices)
            self.assertEqual(_tasks._compile(problem, "host", default)[0], default.schedule)

    def test_rank(self):
        """The expected time of a stale row scales with the prediction; a schedule that no longer exists comes last."""
        shape = {"n": 1, "c": 16, "k": 32, "spatial": [9, 9], "filter": [3, 3], "pad": [1, 1]}
        problem = from_shape(shape, "f32", "forward", "nhwc")
        space = find_space(problem, "host", SIZES["full"], ROW.compute_units)
        first, second = (one for one in space.candidates[:2])
        rows = [
            # The times are similar, but the old predictions were half (first) and twice (second) the current ones.
            dataclasses.replace(ROW, problem=space.line, schedule=one.schedule, predicted=one.predicted * factor, seconds=s)
            for one, factor, s in ((first, 0.5, 1.9e-5), (second, 2, 2e-5))
        ]
        gone = dataclasses.replace(ROW, problem=space.line, schedule="#conv.schedule<gone>", seconds=1.5e-5)
        own = dataclasses.replace(rows[0], compiler=space.compiler)
        self.write(*rows, gone, own)
        code, text = tool("rank", self.path)
        self.assertEqual(code, 0, text)
        lines = text.splitlines()
        self.assertRegex(lines[1], "host, 2 compute units, compiler aaaa stale; this one chooses what it predicts at")
        self.assertRegex(lines[2], r"1 \(was 3\): expected 10.00 us, measured 20.00 us, predicted ")
        self.assertRegex(lines[3], r"2 \(was 2\): expected 38.00 us, measured 19.00 us, predicted ")
        self.assertEqual(lines[4], "    - (was 1): offered no more, measured 15.00 us: #conv.schedule<gone>")
        self.assertEqual(
            lines[5:], ["3 stale rows of 1 problems: 1 have another best one now, 1 rows are offered no more"]
        )

    def test_merge(self):
        """Conflicts are counted, and resolved as `--keep` says."""
        newer = dataclasses.replace(ROW, seconds=2.5e-5, time="2026-02-01T00:00:00.000Z")
        other = dataclasses.replace(ROW, schedule="#conv.schedule<c>")
        theirs = ROOT / "theirs.db"
        self.write(newer, other, OUT, path=theirs)
        for keep, expected in (("newer", newer), ("faster", ROW), ("first", ROW), ("last", newer)):
            with self.subTest(keep):
                self.path.unlink(missing_ok=True)
                self.write(ROW, OUT)
                code, text = tool("merge", self.path, theirs, "--keep", keep)
                replaced = int(expected is newer)
                self.assertEqual(
                    (code, text), (0, f"{theirs}: 1 added, 1 same, {replaced} replaced, {1 - replaced} kept\n")
                )
                with Database(self.path) as database:
                    self.assertEqual(database.rows(), [expected, other])

    def test_prune_and_list(self):
        stale = dataclasses.replace(ROW, compiler="bbbb", schedule="#conv.schedule<s>")
        slow = dataclasses.replace(ROW, schedule="#conv.schedule<d>", seconds=3e-5, is_default=True)
        third = dataclasses.replace(ROW, schedule="#conv.schedule<e>", seconds=2.9e-5)
        self.write(ROW, stale, slow, third, OUT)
        code, text = tool("list", self.path, "--compiler", "aaaa")
        self.assertEqual(code, 0)
        self.assertRegex(text, "host, 2 compute units, compiler bbbb stale\n")
        self.assertIn("4 rows of 2 problems, 1 stale, 1 in quarantine", text)
        self.assertIn("crash: why", tool("list", self.path, "--all")[1])
        self.assertEqual(tool("prune", self.path)[0], 2)
        self.assertIn(": 1 rows removed", tool("prune", self.path, "--stale", "--compiler", "aaaa")[1])
        self.assertIn(": 1 rows removed", tool("prune", self.path, "--keep-best", "1", "--compact")[1])
        self.assertFalse(self.path.with_name(f"{self.path.name}-wal").exists())
        with Database(self.path) as database:
            self.assertEqual(database.rows(), [ROW, slow], "the default stays")
        exported = [json.loads(line) for line in tool("export", self.path)[1].splitlines()]
        self.assertEqual([Measurement(**row) for row in exported], [ROW, slow])

    def test_plain_schedule(self):
        self.assertEqual(plain("#conv.schedule<a = b, chosen_by = heuristic>"), "#conv.schedule<a = b>")


if __name__ == "__main__":
    unittest.main()
