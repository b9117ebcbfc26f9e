# REQUIRES: dask
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%source-root/python:%S/Inputs %dask-python %s %t
"""Sweeps on one machine: complete, stopped and resumed, with poisoned candidates, and by two tuners at once."""

import dataclasses
import json
import pathlib
import signal
import subprocess
import sys
import unittest

import conv
import tuner
from conv.tune import Database, Quarantined, _executors

ROOT = pathlib.Path(sys.argv.pop())
# Workers of lit ignore SIGINT, and their child processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Sweeps(unittest.TestCase):
    def setUp(self):
        self.database, self.trace = ROOT / f"{self.id()}.db", ROOT / f"{self.id()}.trace"
        self.environment = tuner.environment(self.trace)

    def run_to_the_end(self, *more, code=0):
        got, out, err = tuner.run(tuner.tune(self.database, "--json", *more), env=self.environment)
        self.assertEqual(got, code, out + err)
        return json.loads(out), err

    def assert_complete(self):
        """Every candidate has exactly one row, measured or in quarantine."""
        rows = tuner.keys(self.database) + tuner.quarantined(self.database)
        self.assertEqual(len(rows), len(set(rows)))
        self.assertEqual(set(rows), tuner.planned())

    def test_all_candidates_are_measured_once(self):
        counts, progress = self.run_to_the_end()
        self.assert_complete()
        self.assertEqual((counts["problems"], counts["refused"], counts["quarantined"]), (9, 0, 0))
        self.assertEqual(set(tuner.timed(self.trace).values()), {1})
        self.assertRegex(progress, r"\[9/9, 0:00:00 left\]")
        with Database(self.database) as database:
            rows = database.rows()
        self.assertEqual(sum(row.is_default for row in rows), 9)
        self.assertTrue(all(0 <= row.error <= 1 and row.kind == "measured" and row.predicted for row in rows))
        before = tuner.count(self.trace)
        again, _ = self.run_to_the_end()
        self.assertEqual((again["known"], tuner.count(self.trace)), (counts["known"], before), "nothing is done again")
        # The report reads the database.
        code, out, err = tuner.run(tuner.command("report", "--database", self.database, "--json"))
        report = json.loads(out)
        self.assertEqual((code, len(report["layers"])), (0, 9), err)
        self.assertTrue(all(layer["gain"] >= 1 and not layer["stale"] for layer in report["layers"]))
        self.assertGreaterEqual(report["mean_gain"]["measured"], 1)
        self.assertEqual(sum(group["schedules"] for group in report["predictions"]), len(rows))

    def test_killed_and_interrupted(self):
        """After SIGKILL or SIGINT at any moment, written rows stay and are not measured again."""
        for kind in (signal.SIGKILL, signal.SIGINT):
            before = len(tuner.keys(self.database)) if self.database.exists() else 0
            process = subprocess.Popen(
                tuner.tune(self.database), env=self.environment, stderr=subprocess.PIPE, text=True
            )
            # The signal is sent at the first new row, before the sweep can end.
            tuner.wait_for(lambda: self.database.exists() and len(tuner.keys(self.database)) > before)
            process.send_signal(kind)
            text = process.stderr.read()
            self.assertEqual(process.wait(), -9 if kind == signal.SIGKILL else 130)
            process.stderr.close()
        self.assertIn("conv-tune: stopped; the same command goes on", text)
        self.assertNotIn("Traceback", text)
        self.run_to_the_end()
        self.assert_complete()
        # Candidates in flight had no row yet. A chunk has at most 6 candidates here.
        twice = sum(count - 1 for count in tuner.timed(self.trace).values())
        self.assertLessEqual(twice, 2 * 6)

    def test_children_do_not_get_interrupts(self):
        """Ctrl-C in a terminal reaches all its processes: those of a cluster on this machine hold it."""
        code = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
        with _executors._hold_interrupts():
            self.assertEqual(subprocess.check_output([sys.executable, "-c", code], text=True), "True\n")
        self.assertNotIn(signal.SIGINT, signal.pthread_sigmask(signal.SIG_BLOCK, []))

    def test_poisoned(self):
        """Candidates that crash, hang, are wrong or need too much memory go to quarantine with the reason; the others are
        measured."""
        schedules = list(dict.fromkeys(schedule[15:] for _, schedule in sorted(tuner.planned())))
        crash, hang, wrong, large = (schedules[place * len(schedules) // 4] for place in range(4))
        self.environment = tuner.environment(self.trace, f"crash:{crash};hang:{hang};wrong:{wrong};memory:{large}")
        counts, _ = self.run_to_the_end("--compile-limit", "8", code=1)
        self.assert_complete()
        with Database(self.database) as database:
            rows = database.rows(Quarantined)
        reasons = {row.reason: row.detail for row in rows}
        self.assertEqual(set(reasons), {"crash", "hang", "wrong", "refused"})
        self.assertEqual(reasons["refused"], "MemoryError: Unable to allocate 2.00 TiB")
        self.assertIn("SIGSEGV", reasons["crash"])
        self.assertIn("no answer after 8 s", reasons["hang"])
        self.assertRegex(reasons["wrong"], r"error 1e\+06 of its bound")
        self.assertEqual(counts["quarantined"], len(rows))
        self.environment = tuner.environment(self.trace)
        again, _ = self.run_to_the_end()
        self.assertEqual(again["quarantined"], 0, "they are not tried again")

    def test_two_tuners(self):
        processes = [subprocess.Popen(tuner.tune(self.database), env=self.environment) for _ in range(2)]
        self.assertEqual([process.wait() for process in processes], [0, 0])
        self.assert_complete()

    def test_stale_rows_are_measured_again(self):
        """Rows of another compiler stay; their schedules are timed again unless the code is the same."""
        planned = sorted(tuner.planned())
        self.run_to_the_end()
        with Database(self.database, write=True) as database:
            rows = database.rows()
            self.assertTrue(all(len(row.code) == 64 for row in rows))
            database.remove(rows)
            old = {(row.problem, row.schedule): dataclasses.replace(row, compiler="0123") for row in rows}
            same, other = old[planned[3]], dataclasses.replace(old[planned[9]], code="0" * 64)
            database.add([same, other])
        before = tuner.timed(self.trace)
        self.run_to_the_end()
        with Database(self.database) as database:
            self.assertCountEqual(database.rows(compiler="0123"), [same, other])
            own = {(row.problem, row.schedule): row for row in database.rows() if row.compiler != "0123"}
        self.assertEqual(set(own), set(planned))
        self.assertEqual(dataclasses.replace(own[planned[3]], compiler="0123"), same)
        again = tuner.timed(self.trace) - before
        self.assertEqual(set(again), {f"{problem} {schedule}" for problem, schedule in set(planned) - {planned[3]}})

    def test_bundle(self):
        """A bundle is compiled here, measured without the compiler, and collected here."""
        bundle = ROOT / "bundle"
        compile_ = tuner.command("compile", tuner.LAYERS, *tuner.USUAL, "--compute-units", tuner.UNITS, "-o", bundle)
        process = subprocess.Popen(compile_, stderr=subprocess.DEVNULL)
        index = bundle / "index.jsonl"
        tuner.wait_for(lambda: index.exists() and index.read_text().count("\n") >= 3)
        tuner.kill(process)
        code, out, err = tuner.run(compile_)
        self.assertEqual(code, 0, err)
        kernels = tuner.kernels()
        self.assertRegex(out, rf"^9 problems, {len(kernels)} schedules, \d+ bytes for host in ")
        self.assertLess(err.count("\n"), 9, "what was compiled is not compiled again")
        other = ROOT / "other"
        other.mkdir()
        (other / "index.jsonl").write_text(index.read_text().replace(conv._compiler.fingerprint(), "0123", 1))
        code, _, err = tuner.run([*compile_[:-1], other])
        self.assertEqual(code, 2, err)
        self.assertIn("expects a bundle of this compiler", err)
        environment = {**self.environment, "CONV_COMPILER_LIBRARY": "/nonexistent"}
        measure = tuner.command("measure", bundle, "--device", "host", *tuner.FAST, "--verify-jobs", "2")
        code, out, err = tuner.run([*measure, "--seconds", "0", "--json"], env=environment)
        self.assertEqual((code, json.loads(out)["left"], json.loads(out)["known"]), (0, 9, 0), err)
        process = subprocess.Popen(measure, env=environment, stderr=subprocess.DEVNULL)
        results = bundle / "results.db"
        tuner.wait_for(lambda: results.exists() and len(tuner.keys(results)) >= 10)
        tuner.kill(process)
        code, out, err = tuner.run(measure, env=environment)
        self.assertEqual(code, 0, err)
        collect = tuner.command("collect", bundle, "--database", self.database)
        self.assertRegex(tuner.run(collect)[1], rf"{len(kernels)} added, 0 same, 0 replaced, 0 kept")
        self.assertRegex(tuner.run(collect)[1], rf"0 added, {len(kernels)} same")
        with Database(self.database) as database:
            self.assertEqual({(row.problem, row.code) for row in database.rows()}, kernels)

    def test_simulated(self):
        """Without the chip, the simulator verifies results, and times are marked as modelled."""
        line = ROOT / "line.txt"
        layouts = "--in_layout NHWC --fil_layout NHWC --out_layout NHWC"
        line.write_text(f"# one layer\nconvfp16 -n 1 -c 16 -k 32 -H 6 -y 3 -p 1 -W 6 -x 3 -q 1 -F 1 {layouts}\n")
        arguments = (
            "run",
            line,
            "--target",
            "gfx942",
            "--device",
            "sim",
            "--space",
            "quick",
            "--database",
            self.database,
        )
        code, out, err = tuner.run(tuner.command(*arguments))
        self.assertEqual(code, 0, out + err)
        with Database(self.database) as database:
            rows = database.rows()
        self.assertTrue(rows)
        self.assertEqual({(row.kind, row.target, row.compute_units) for row in rows}, {("modelled", "gfx942", 304)})
        self.assertTrue(all(row.seconds == row.predicted and row.error <= 1 for row in rows))
        code, out, err = tuner.run(tuner.command("report", "--database", self.database))
        self.assertRegex(out, "gfx942 .* modelled\n")
        self.assertNotIn("as long as predicted", out)

    def test_usage(self):
        """Wrong usage is an error without a traceback, and writes nothing."""
        for arguments, code, text in (
            (["run", "none.json", "--target", "host", "--device", "host", "--database", "x.db"], 2,
             "cannot read 'none.json': No such file"),
            (["report", "--database", str(ROOT / "none.db")], 2, "there is no file"),
            (["measure", str(ROOT), "--device", "host"], 2, "expects a bundle of conv-tune compile"),
            (["run", str(tuner.LAYERS), "--target", "hostess", "--device", "host", "--database", str(ROOT / "n.db")], 2,
             "hostess"),
            (["run", str(tuner.LAYERS), "--target", "gfx942", "--device", "cuda", "--database", str(ROOT / "n.db")], 2,
             "expects a target of the device cuda, whose name starts with sm_, but got gfx942"),
            (["run", str(tuner.LAYERS), "--target", "sm_90a", "--device", "gpu", "--database", str(ROOT / "n.db")], 2,
             "expects host, cuda, cuda:1, hip or sim, but got gpu"),
            (["compile", str(tuner.LAYERS), "--target", "sm_91", "-o", str(ROOT / "n")], 2, "sm_91"),
            (["measure", str(ROOT), "--device", "host", "--idle", "1e20"], 2, "expects 0 to 1e+09 seconds, but got 1e20"),
            ([*tuner.tune(ROOT / "c.db", "--cluster", "nowhere")[3:]], 2, "expects local, an address"),
            (["run", str(tuner.LAYERS), "--lists", "all", "--target", "host", "--device", "host", "--database", "x"], 2,
             "expects lists of small, line, but got all"),
        ):  # fmt: skip
            with self.subTest(arguments):
                got, out, err = tuner.run(tuner.command(*arguments))
                self.assertEqual(got, code, out + err)
                self.assertIn(text, err)
                self.assertNotIn("Traceback", err)
        self.assertFalse((ROOT / "n.db").exists() or (ROOT / "n").exists(), "nothing is written before all is right")

    def test_shapes_that_are_none(self):
        for text, expected in (
            ('{"a": 3}', "expects a list of shapes in '.*' for a, but got int"),
            ('{"a": [3]}', "expects an object for each shape, but got 3"),
            ('{"a": [{"n": 1}]}', "but got none for c, k, spatial, filter"),
            ('{"a": [{"n": "x", "c": 4, "k": 4, "spatial": [1], "filter": [1]}]}', "n: expects whole numbers, but got 'x'"),
            ('{"a": [{"n": 1, "c": 4, "k": 4, "spatial": [1, "y"], "filter": [1]}]}', "spatial: expects whole numbers"),
            ("{", "expects JSON"),
        ):
            path = ROOT / "shapes.json"
            path.write_text(text)
            got, out, err = tuner.run(tuner.command("compile", path, "--target", "host", "-o", ROOT / "n"))
            self.assertEqual(got, 2, out + err)
            self.assertRegex(err, f"^conv-tune: error: [^\n]*{expected}[^\n]*\n$")

    def test_refused_layers(self):
        """Refused layers are reported, the others are done, and the exit code is 3."""
        path, folder = ROOT / "refused.json", ROOT / "refused"
        window = {"n": 1, "c": 4, "k": 4, "filter": [3], "pad": [0]}
        path.write_text(json.dumps({"a": [{**window, "spatial": [1]}, {**window, "spatial": [9]}]}))
        layers = [path, "--target", "host", "--dtype", "f32", "--space", "quick", "--candidates", "1", "--jobs", "1"]
        got, out, err = tuner.run(tuner.command("compile", *layers, "-o", folder))
        self.assertEqual(got, 3, out + err)
        self.assertIn("refused forward f32 1x4x1 -> 4, 3", err)
        self.assertRegex(out, "^1 problems, .* 1 refused\n$")
        run = tuner.command("run", *layers, *tuner.FAST, "--device", "host", "--database", ROOT / "refused.db", "--json")
        got, out, err = tuner.run(run)
        counts = json.loads(out)
        self.assertEqual((got, counts["refused"], counts["known"]), (3, 1, 1), err)

    def test_without_frameworks(self):
        """A missing framework is an error of one line, and no file is made."""
        arguments = tuner.command("run", tuner.LAYERS, "--target", "sm_90a", "--device", "cuda", "--database", ROOT / "b.db")
        hidden = "import importlib.util as u, sys; f = u.find_spec; u.find_spec = lambda n, *a: n != 'torch' and f(n, *a); "
        code = hidden + f"from conv.tune.__main__ import main; sys.exit(main({[str(a) for a in arguments[3:]]!r}))"
        got, out, err = tuner.run([sys.executable, "-c", code])
        self.assertEqual((got, out), (4, ""), err)
        self.assertEqual(err, "conv-tune: error: expects PyTorch to measure on cuda: pip install torch, but found none\n")
        self.assertFalse((ROOT / "b.db").exists())


if __name__ == "__main__":
    unittest.main()
