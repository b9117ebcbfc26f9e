# RUN: rm -rf %t && mkdir %t && %python %s %t
"""The compiler and the database: problems as lines, the rows that choose schedules, and stale rows."""

import dataclasses
import io
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest
import warnings
import zipfile

import conv
from conv.tune import Database
from conv.tune._database import plain
from conv.tune._problems import DIRECTIONS, LAYOUTS, from_shape, parse_line
from conv.tune._space import SIZES, find_space
from rows import ROW, tool

ROOT = pathlib.Path(sys.argv.pop())


class Lines(unittest.TestCase):
    def test_round_trip(self):
        """Parsing the line of a problem gives the same problem, for all types, directions, dimensions and layouts."""
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
        # The default schedule transforms the layouts of the operands; the line still has the original problem.
        shape = {"n": 64, "c": 64, "k": 64, "spatial": [56, 56], "filter": [3, 3], "pad": [1, 1]}
        problem = from_shape(shape, "bf16", "forward", "nchw")
        space = find_space(problem, "sm_90a", SIZES["quick"])
        self.assertIn("layouts = ", space.candidates[0].schedule)
        self.assertEqual(parse_line(space.line), problem)
        plain = {"n": 1, "c": 2, "k": 3, "spatial": [5, 6], "filter": [1, 2]}
        for direction, number in DIRECTIONS.items():
            line = f"conv -n 1 -c 2 -k 3 -H 5 -W 6 -y 1 -x 2 -F {number}"
            self.assertEqual(parse_line(line), from_shape(plain, "f32", direction, "nchw"))
        for line in (
            "",
            "conv",
            "conv -n 1",
            "pool -n 1 -c 1",
            "conv -n 1 -c 1 -k 1 --wings 2",
            "conv -n one -c 1 -k 1",
            "conv -n 1 -c 1 -k 1 -H 1 -W 1 -F 3",
            "conv -n 1 -c 1 -k 1 -H 1 -W 1",
            "conv -n 1 -c 1 -k 1 -H 1 -W 1 -F 1 --spatial_dim 4",
        ):
            with self.subTest(line), self.assertRaisesRegex(conv.Error, "^expects a (line|problem)"):
                parse_line(line)


class Compiler(unittest.TestCase):
    """The compiler reads a database that Python writes in the same process, while it is open for writing."""

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
            # The connection of this process keeps its locks, although the compiler's copy of SQLite has read the file.
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

    def test_spills_are_no_warning(self):
        """`conv-compile` warns of a kernel that spills; in Python, warnings are about the database only."""
        nhwc = dict.fromkeys(("input_layout", "filter_layout", "output_layout"), "NHWC")
        problem = conv.Problem(n=1, c=3, k=384, input=(28, 28), filter=(14, 14), stride=(14, 14), dtype="f32", **nhwc)
        schedule = (
            "#conv.schedule<kernel = #conv.staged_gemm<workgroup = [128, 128], subgroup = [128, 64], gemm_k = 32, stages = 2, "
            "atom = <fma 16 x 32 x 4>, main_loop = register_staged, raster = columns>, splits = 8>"
        )
        Database(self.path, write=True).close()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pack = conv.compile(problem, "gfx1201", schedule=schedule, database=self.path, cache=False)
        with zipfile.ZipFile(io.BytesIO(pack)) as archive:
            [entry] = json.loads(archive.read("manifest.json"))["entries"]
        self.assertGreater(entry["launches"][0]["resources"]["spills"], 0)

    def test_code_of_integers(self):
        """Schedules of i8 have code, too, whose sums are i32."""
        problem = dataclasses.replace(self.problem, dtype="i8")
        schedule = conv._compiler.list_schedules(problem, "host")[0]["schedule"]
        self.assertEqual(len(conv._compiler.compute_code(problem, "host", schedule)), 64)

    def test_same_code_holds(self):
        """A row of another compiler is valid if this compiler generates the measured code, also with an epilogue."""
        schedule = self.records[5]["schedule"]
        code = conv._compiler.compute_code(self.problem, "host", schedule)
        named = dataclasses.replace(self.problem, function="other", bias=True, activation="relu")
        self.assertEqual(conv._compiler.compute_code(named, "host", schedule), code, "names and epilogues do not count")
        self.assertNotEqual(conv._compiler.compute_code(self.problem, "host", self.records[7]["schedule"]), code)
        wider = dataclasses.replace(self.problem, k=128)
        self.assertNotEqual(conv._compiler.compute_code(wider, "host", schedule), code)
        with Database(self.path, write=True) as database:
            # The faster row has other code and is skipped; the next row is valid.
            self.put(database, 7, compiler="bbbb", code="0" * 64, seconds=1.1e-5)
            self.put(database, 5, compiler="bbbb", code=code)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(self.chosen(cache=False), ("database", schedule))
            self.problem = named
            self.assertEqual(self.chosen(cache=False), ("database", schedule))

    def test_refresh(self):
        """Rows whose code this compiler generates get its fingerprint; all other rows stay."""
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
        """If no database is named, the one beside the library is used, also with the cache; it can be turned off."""
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

    def test_a_path_that_is_not_text(self):
        with Database(self.path, write=True) as database:
            self.put(database, 5)
            database.compact()
        path = self.path.with_name("bytes \udcff.db")
        shutil.copy(self.path, path)
        for name in (path, os.fsencode(path)):
            [entry] = conv.load(conv.compile(self.problem, "host", database=name)).entries
            self.assertEqual(entry.chosen_by, "database")

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
