# RUN: rm -rf %t && mkdir %t && %python %s %t
"""The database: what a row must have, what happens to the file, and who reads and writes it at once."""

import dataclasses
import itertools
import json
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import unittest
import warnings

import conv
from conv.tune import Database, Measurement, Quarantined
from conv.tune._database import plain
from conv.tune._problems import DIRECTIONS, LAYOUTS, from_shape, parse_line
from conv.tune._space import SIZES, find_space

ROOT = pathlib.Path(sys.argv.pop())
ROW = Measurement(
    problem="conv -n 1",
    target="host",
    compute_units=2,
    compiler="aaaa",
    schedule="#conv.schedule<a>",
    kind="measured",
    is_default=False,
    predicted=1e-5,
    seconds=2e-5,
    least=1e-5,
    most=3e-5,
    protocol="{}",
    error=0.5,
    device="cpu",
    driver="1",
    who="me",
    time="2026-01-01T00:00:00.000Z",
)
OUT = Quarantined("conv -n 1", "host", 2, "aaaa", "#conv.schedule<b>", "crash", "why", "cpu", "me", ROW.time)


def tool(*arguments, **named):
    """Exit code and output of conv-db."""
    command = [sys.executable, "-m", "conv.tune.db", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, **named)
    return done.returncode, done.stdout + done.stderr


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
        """Whoever writes, also with SQLite's own tool."""
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

    def test_rank(self):
        """What a stale row is expected to take follows the predictions; one that is offered no more comes last."""
        shape = {"n": 1, "c": 16, "k": 32, "spatial": [9, 9], "filter": [3, 3], "pad": [1, 1]}
        problem = from_shape(shape, "f32", "forward", "nhwc")
        space = find_space(problem, "host", SIZES["full"])
        first, second = (one for one in space.candidates[:2])
        rows = [
            # Measured as equals, but the first one was predicted at half, the second one at twice of what it is now.
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
        """Conflicts are counted and settled as asked for."""
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


class Files(unittest.TestCase):
    def setUp(self):
        self.path = ROOT / f"{self.id()}.db"
        with Database(self.path, write=True) as database:
            database.add([ROW, OUT])

    def refused(self, path, expected):
        """For readers, writers and the tool: one line."""
        for write in (False, True):
            with self.assertRaisesRegex(conv.Error, expected):
                Database(path, write=write)
        code, text = tool("list", path)
        self.assertEqual(code, 2, text)
        self.assertRegex(text, f"^conv-db: error: .*{expected}")
        self.assertEqual(text.count("\n"), 1, text)

    def test_newer(self):
        sqlite3.connect(self.path).execute("PRAGMA user_version = 3")
        self.refused(self.path, "expects a tuning database of version 2, but .* has version 3: a newer conv wrote it")

    def test_older(self):
        """A file of version 1 is read as it is, and brought to this version when it is written."""
        connection = sqlite3.connect(self.path, isolation_level=None)
        for name in ("code", "unit"):
            connection.execute(f"ALTER TABLE measurements DROP COLUMN {name}")
        connection.execute("PRAGMA user_version = 1")
        with Database(self.path) as database:
            self.assertEqual((database.rows(), database.verify()), ([ROW], []))
        self.assertEqual(connection.execute("PRAGMA user_version").fetchone(), (1,))
        row = dataclasses.replace(ROW, schedule="#conv.schedule<c>", code="0" * 64, unit='{"waves": 2}')
        with Database(self.path, write=True) as database:
            database.add([row])
            self.assertEqual((database.rows(), database.verify()), ([ROW, row], []))
        self.assertEqual(connection.execute("PRAGMA user_version").fetchone(), (2,))

    def test_foreign(self):
        foreign = ROOT / "foreign.db"
        connection = sqlite3.connect(foreign)
        connection.execute("CREATE TABLE a (b)")
        connection.close()
        self.refused(foreign, "expects a tuning database that conv wrote")
        text = ROOT / "text.db"
        text.write_text("not a database, but a text that is long enough to have been one: " * 20)
        self.refused(text, "file is not a database")

    def test_missing(self):
        with self.assertRaisesRegex(conv.Error, "there is no file"):
            Database(ROOT / "missing.db")
        text = ROOT / "no.txt"
        text.write_text("no database")
        for arguments in (["prune", ROOT / "missing.db", "--stale"], ["refresh", ROOT / "missing.db"],
                          ["prune", ROOT / "missing.db"], ["merge", ROOT / "missing.db", text],
                          ["merge", ROOT / "missing.db", ROOT / "none.db"], ["export", ROOT / "missing.db"]):  # fmt: skip
            code, said = tool(*arguments)
            self.assertEqual(code, 2, said)
            self.assertRegex(said, "^conv-db: error: [^\n]*\n$")
        self.assertFalse((ROOT / "missing.db").exists(), "what is to be changed is not made")
        with self.assertRaisesRegex(conv.Error, "unable to open"):
            Database(ROOT / "none" / "missing.db", write=True)

    def test_corrupt(self):
        """A file that lost its end, or was overwritten in the middle."""
        with Database(self.path, write=True) as database:
            database.add(dataclasses.replace(ROW, schedule=f"#conv.schedule<{i}>") for i in range(200))
            database.compact()
        whole = self.path.read_bytes()
        for broken in (whole[: len(whole) // 2], whole[:8192] + b"\xa5" * 20000 + whole[28192:]):
            self.path.write_bytes(broken)
            code, text = tool("verify", self.path)
            self.assertNotEqual(code, 0)
            self.assertRegex(text, "malformed|error: ")
            self.assertNotIn("Traceback", text)

    def test_read_only(self):
        """A file in a folder where nothing can be written, of another user than root."""
        folder = ROOT / "shipped"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(self.path, folder / "a.db")  # In SQLite's write-ahead mode, without its log.
        (folder / "a.db").chmod(0o444)
        folder.chmod(0o555)
        code = "print(len(Database(r'%s').rows()))\n" % (folder / "a.db")
        code += "try: Database(r'%s', write=True)\nexcept Exception as error: print(error)\n" % (folder / "a.db")
        code += "p = conv.Problem(n=1, c=8, k=8, input=(6, 6), filter=(3, 3))\n"
        code += "conv.compile(p, 'host', database=r'%s', cache=False); print('compiled')\n" % (folder / "a.db")
        # What is imported later, another user may not be able to read.
        prefix = "import os, conv, sqlite3; from conv.tune import Database; conv._compiler.load()\n"
        prefix += "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        try:
            done = subprocess.run([sys.executable, "-c", prefix + code], capture_output=True, text=True)
        finally:
            folder.chmod(0o755)
        self.assertRegex(done.stdout, r"^1\ncannot use the tuning database .*readonly.*\ncompiled\n$", done.stderr)

    def test_full_disk(self):
        """Files may not grow any more: one line, and what was there is there."""

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        other = ROOT / "large.db"
        with Database(other, write=True) as database:
            database.add(dataclasses.replace(ROW, schedule=f"#conv.schedule<{i}>" + " " * 500) for i in range(1000))
        code, text = tool("merge", self.path, other, preexec_fn=limit)
        self.assertEqual(code, 4, text)
        self.assertRegex(text, "^conv-db: error: cannot use the tuning database .*(full|disk I/O error)")
        with Database(self.path) as database:
            self.assertEqual((database.rows(), database.verify()), ([ROW], []))

    def test_writers_and_readers_at_once_and_killed(self):
        """Two writers, of which one is killed again and again: each transaction is whole or not there, and a reader sees
        only whole ones."""
        code = (
            "import dataclasses, sys\n"
            "from conv.tune import Database, Measurement\n"
            "[row] = [row for row in Database(sys.argv[1]).rows() if row.schedule == '#conv.schedule<a>']\n"
            "name, number = sys.argv[2], int(sys.argv[3])\n"
            "while True:\n"
            "    with Database(sys.argv[1], write=True) as database:\n"
            "        pair = [dataclasses.replace(row, schedule=f'#conv.schedule<{name} {number} {i}>') for i in range(2)]\n"
            "        database.add(pair)\n"
            "    print(number, flush=True)\n"
            "    number += 1\n"
        )

        def start(name, number):
            command = [sys.executable, "-c", code, str(self.path), name, str(number)]
            return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

        def whole(rows):
            counts = {}
            for row in rows:
                if row.schedule != ROW.schedule:
                    counts.setdefault(row.schedule.rpartition(" ")[0], []).append(row)
            self.assertTrue(all(len(pair) == 2 for pair in counts.values()))
            return set(counts)

        steady = start("steady", 0)
        written = set()
        for round_ in range(4):
            killed = start("killed", 1000 * round_)
            for line in killed.stdout:
                written.add(f"#conv.schedule<killed {int(line)}")
                with Database(self.path) as database:
                    whole(database.rows())
                if int(line) % 1000 == 5:
                    break
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            written |= {f"#conv.schedule<killed {int(line)}" for line in killed.stdout}
            killed.stdout.close()
        steady.send_signal(signal.SIGKILL)
        steady.wait()
        written |= {f"#conv.schedule<steady {int(line)}" for line in steady.stdout}
        steady.stdout.close()
        with Database(self.path) as database:
            self.assertLessEqual(written, whole(database.rows()), "what was reported is there")
            self.assertEqual(database.verify(), [])
        self.assertTrue(any("steady" in name for name in written))


class Lines(unittest.TestCase):
    def test_round_trip(self):
        """A row's problem is the problem again, whatever its type, direction, dimensions and layouts."""
        shapes = [
            {"n": 2, "c": 8, "k": 16, "spatial": [9, 7], "filter": [3, 3], "stride": [2, 1], "pad": [[1, 1], [0, 1]]},
            {"n": 1, "c": 4, "k": 4, "groups": 4, "spatial": [30], "filter": [3], "dilation": [2], "pad": [1]},
            {"n": 1, "c": 4, "k": 6, "groups": 2, "spatial": [4, 5, 6], "filter": [3, 1, 3], "stride": [1, 2, 1]},
        ]
        for shape in shapes:
            for dtype, direction, layout in itertools.product(("f32", "bf16", "i8"), DIRECTIONS, LAYOUTS):
                with self.subTest(shape=shape, dtype=dtype, direction=direction, layout=layout):
                    [kernel] = conv.explain(from_shape(shape, dtype, direction, layout), "host", as_json=True)
                    [again] = conv.explain(parse_line(kernel["problem"]), "host", as_json=True)
                    self.assertEqual(again["problem"], kernel["problem"])
        # The default schedule brings the operands into another form, and the row's problem is as it was.
        shape = {"n": 64, "c": 64, "k": 64, "spatial": [56, 56], "filter": [3, 3], "pad": [1, 1]}
        problem = from_shape(shape, "bf16", "forward", "nchw")
        space = find_space(problem, "sm_90a", SIZES["quick"])
        self.assertIn("layouts = ", space.candidates[0].schedule)
        self.assertEqual(parse_line(space.line), problem)
        for line in (
            "",
            "conv",
            "conv -n 1",
            "pool -n 1 -c 1",
            "conv -n 1 -c 1 -k 1 --wings 2",
            "conv -n one -c 1 -k 1",
        ):
            with self.subTest(line), self.assertRaisesRegex(conv.Error, "^expects a (line|problem)"):
                parse_line(line)


class Compiler(unittest.TestCase):
    """The compiler reads what Python writes, in the same process and while it is written."""

    def setUp(self):
        self.path = ROOT / f"{self.id()}.db"
        self.problem = conv.Problem(n=1, c=32, k=64, input=(14, 14), filter=(1, 1), dtype="f16")
        self.records = conv._compiler.list_schedules(self.problem, "host")

    def put(self, database, place, **changes):
        row = dataclasses.replace(ROW, problem=self.records[0]["problem"], compiler=conv._compiler.fingerprint())
        database.add([dataclasses.replace(row, schedule=self.records[place]["schedule"], **changes)])

    def chosen(self, **options):
        os.environ["CONV_CACHE_DIR"] = str(ROOT / "cache")
        [entry] = conv.load(conv.compile(self.problem, "host", database=self.path, **options)).entries
        return entry.chosen_by, plain(entry.schedule)

    def test_rows_decide_and_the_cache_knows(self):
        with Database(self.path, write=True) as database:
            self.assertEqual(self.chosen()[0], "heuristic")
            for place in (5, 7):
                self.put(database, place, seconds=2e-5 - place * 1e-6)
                self.assertEqual(self.chosen(), ("database", self.records[place]["schedule"]))
            # A connection of this process still has its locks, though the compiler's copy of SQLite read the file.
            other = "import sys; from conv.tune import Database; Database(sys.argv[1], write=True).close()"
            subprocess.run([sys.executable, "-c", other, self.path], check=True)
            self.put(database, 3, seconds=1.2e-5)
            self.assertEqual(self.chosen(), ("database", self.records[3]["schedule"]))
        with Database(self.path) as database:
            self.assertEqual((len(database.rows()), database.verify()), (3, []))

    def test_stale_rows_are_a_warning(self):
        with Database(self.path, write=True) as database:
            self.put(database, 5, compiler="bbbb")
        with self.assertWarnsRegex(
            UserWarning,
            r"measured with another compiler only \(bbbb\), whose code for it is not that of this one: its schedule is not used",
        ):
            self.assertEqual(self.chosen(cache=False)[0], "heuristic")
        with self.assertWarnsRegex(UserWarning, "its schedule is used"):
            self.assertEqual(self.chosen(cache=False, stale=True), ("database", self.records[5]["schedule"]))

    def test_same_code_holds(self):
        """A row of another compiler counts if this one makes the code that was measured, also in front of an epilogue."""
        schedule = self.records[5]["schedule"]
        code = conv._compiler.compute_code(self.problem, "host", schedule)
        named = dataclasses.replace(self.problem, function="other", bias=True, activation="relu")
        self.assertEqual(conv._compiler.compute_code(named, "host", schedule), code, "names and epilogues do not count")
        self.assertNotEqual(conv._compiler.compute_code(self.problem, "host", self.records[7]["schedule"]), code)
        wider = dataclasses.replace(self.problem, k=128)
        self.assertNotEqual(conv._compiler.compute_code(wider, "host", schedule), code)
        with Database(self.path, write=True) as database:
            # A faster row, whose code is another one, is passed over; then there is the one that holds.
            self.put(database, 7, compiler="bbbb", code="0" * 64, seconds=1.1e-5)
            self.put(database, 5, compiler="bbbb", code=code)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(self.chosen(cache=False), ("database", schedule))
            self.problem = named
            self.assertEqual(self.chosen(cache=False), ("database", schedule))

    def test_refresh(self):
        """Rows whose code is made again get the fingerprint; all others stay as they are."""
        code = conv._compiler.compute_code(self.problem, "host", self.records[5]["schedule"])
        with Database(self.path, write=True) as database:
            self.put(database, 3)
            self.put(database, 4, compiler="bbbb")
            self.put(database, 5, compiler="bbbb", code=code)
            self.put(database, 7, compiler="bbbb", code="0" * 64)
            before = database.rows()
        expected = "1 rows of this compiler, 1 of others with the same code, 1 with other code, 1 without a digest\n"
        self.assertEqual(tool("refresh", self.path, "--dry-run"), (0, f"{self.path}: {expected}"))
        with Database(self.path) as database:
            self.assertEqual(database.rows(), before)
        code, text = tool("refresh", self.path, "--verbose")
        self.assertEqual((code, text.splitlines()[-1]), (0, f"{self.path}: {expected}".strip()))
        self.assertIn("other code: host conv", text)
        with Database(self.path) as database:
            own = database.rows(compiler=conv._compiler.fingerprint())
            self.assertEqual(
                {row.schedule for row in own}, {self.records[place]["schedule"] for place in (3, 5)}
            )
            self.assertEqual(len(database.rows()), 4)

    def test_shipped(self):
        """The database beside the library decides where none is named, also in the cache, and can be turned off."""
        folder = ROOT / "shipped_with"
        for part in ("lib", "share/conv"):
            (folder / part).mkdir(parents=True)
        library = pathlib.Path(os.environ["CONV_COMPILER_LIBRARY"]).resolve()
        os.link(library, folder / "lib" / "libconv_compiler.so")
        path = folder / "share" / "conv" / "host.db"
        with Database(path, write=True) as database:
            self.put(database, 5)
            database.compact()
        code = (
            "import conv\n"
            "p = conv.Problem(n=1, c=32, k=64, input=(14, 14), filter=(1, 1), dtype='f16')\n"
            "for named in (None, '', 'none', None):\n"
            "    [entry] = conv.load(conv.compile(p, 'host', database=named)).entries\n"
            "    print(entry.chosen_by)\n"
            "print(conv.explain(p, 'host', as_json=True)[0]['chosen_by'], conv._compiler.shipped_database('sim:gfx942') == '')\n"
        )

        def run():
            environment = {"CONV_COMPILER_LIBRARY": str(folder / "lib" / "libconv_compiler.so"), "CONV_CACHE_DIR": str(folder)}
            command = [sys.executable, "-c", code]
            done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
            return done.stdout.split(), done.stderr

        self.assertEqual(run()[0], ["database", "heuristic", "heuristic", "database", "database", "True"])
        path.write_text("broken, and long enough not to be taken for an empty file " * 20)
        out, err = run()
        self.assertEqual(out, ["heuristic"] * 5 + ["True"])
        self.assertIn("cannot read the database", err)

    def test_environment(self):
        with Database(self.path, write=True) as database:
            self.put(database, 5)
        os.environ["CONV_DATABASE"] = str(self.path)
        try:
            choices = [conv.load(conv.compile(self.problem, "host", cache=False, **options)).entries[0].chosen_by
                       for options in ({}, {"database": ""})]  # fmt: skip
        finally:
            del os.environ["CONV_DATABASE"]
        self.assertEqual(choices, ["database", "heuristic"])


if __name__ == "__main__":
    unittest.main()
