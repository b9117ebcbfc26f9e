# REQUIRES: dask
# RUN: rm -rf %t && mkdir %t && env PYTHONPATH=%source-root/python:%S/Inputs %dask-python %s %t
"""conv-build: what it compiles, when it compiles again, and what an interrupted or broken build leaves."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest
import unittest.mock

import conv
import tuner
from conv.build import _models
from conv.tune import Database

ROOT = pathlib.Path(sys.argv.pop())
MODEL = """
func.func @first(%x: tensor<1x6x6x8xf16>, %w: tensor<8x3x3x8xf16>) -> tensor<1x4x4x8xf16> {
  %y = conv.forward %x, %w
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
      layouts = <"NHWC", "KRSC", "NPQK"> : tensor<1x6x6x8xf16>, tensor<8x3x3x8xf16> -> tensor<1x4x4x8xf16>
  return %y : tensor<1x4x4x8xf16>
}
"""


class Build(unittest.TestCase):
    def setUp(self):
        self.folder = ROOT / self.id()
        self.folder.mkdir()
        shutil.copy(tuner.LAYERS, self.folder)
        (self.folder / "a.mlir").write_text(MODEL)
        self.spec = {
            "targets": ["gfx942", "host"],
            "models": {
                "small": {"layers": "layers.json", "directions": list(tuner.DIRECTIONS), "dtype": "f16"},
                "mlir": {"modules": ["*.mlir"], "targets": ["host"]},
                "fused": {"layers": "layers.json", "lists": ["line"], "dtype": "f32", "with": {"activation": "relu"}},
            },
        }

    def build(self, *more, code=0, **named):
        (self.folder / "models.yaml").write_text(json.dumps(self.spec))  # JSON is YAML.
        command = [sys.executable, "-m", "conv.build", self.folder / "models.yaml", "--jobs", "2", "--json", *more]
        got, out, err = tuner.run(command, **named)
        self.assertEqual(got, code, out + err)
        self.assertNotIn("Traceback", err)
        return json.loads(out) if out else err

    def packs(self):
        return {path.stem: path.read_bytes() for path in (self.folder / "packs").glob("*.convpack")}

    def test_tool_of_the_package(self):
        """If PATH has no conv-pack, as after pip install, the package conv-compiler provides it."""
        package = self.folder / "site" / "conv_compiler"
        package.mkdir(parents=True)
        tool = package / "conv-pack"
        tool.symlink_to(shutil.which("conv-pack"))
        (package / "__init__.py").write_text(f"import pathlib\nPACK_TOOL = pathlib.Path({str(tool)!r})\n")
        self.spec["models"] = {"mlir": self.spec["models"]["mlir"]}
        without = {**os.environ, "PATH": "/usr/bin:/bin"}
        self.assertIn("expects conv-pack on PATH or in the package", self.build(code=4, env=without))
        path = f"{package.parent}:{os.environ['PYTHONPATH']}"
        self.assertEqual(self.build(env={**without, "PYTHONPATH": path})["merged"], ["mlir"])

    def test_incremental(self):
        counts = self.build()
        self.assertEqual((counts["units"], counts["compiled"]), (9 * 2 + 1 + 2, 21))
        self.assertEqual(counts["merged"], ["small", "mlir", "fused"])
        entries = conv.load(self.packs()["small"]).entries
        self.assertEqual(len({(entry.function, entry.target) for entry in entries}), 18)
        first = self.packs()
        again = self.build()
        self.assertEqual((again["compiled"], again["merged"]), (0, []))
        # A change of one file compiles one unit and merges one model.
        (self.folder / "a.mlir").write_text(MODEL.replace("@first", "@second"))
        counts = self.build("--prune")
        self.assertEqual((counts["compiled"], counts["merged"], counts["removed"]), (1, ["mlir"], 1))
        self.assertEqual(list(conv.load(self.packs()["mlir"])), ["second"])
        # A lost or broken artifact is merged again from the stored units, with the same bytes.
        (self.folder / "packs" / "small.convpack").write_bytes(b"broken")
        (self.folder / "packs" / "fused.convpack").unlink()
        counts = self.build()
        self.assertEqual((counts["compiled"], counts["merged"]), (0, ["small", "fused"]))
        self.assertEqual({name: self.packs()[name] for name in ("small", "fused")},
                         {name: first[name] for name in ("small", "fused")})  # fmt: skip
        # A build from scratch on a cluster has the same bytes.
        shutil.rmtree(self.folder / "packs")
        self.assertEqual(self.build("--cluster", "local")["compiled"], 21)
        self.assertEqual(self.packs()["small"], first["small"])

    def test_database(self):
        """The database chooses schedules, and a removed row makes its unit stale."""
        code, out, err = tuner.run(tuner.tune(self.folder / "tuned.db", "--lists", "line"))
        self.assertEqual(code, 0, err)
        self.spec["models"] = {
            "line": {
                "layers": "layers.json",
                "lists": ["line"],
                "dtype": "f16",
                "targets": ["host"],
                "database": "tuned.db",
            }
        }
        self.build()
        [entry] = conv.load(self.packs()["line"]).entries
        self.assertEqual(entry.chosen_by, "database")
        with Database(self.folder / "tuned.db", write=True) as database:
            rows = database.rows(problem=entry.problem)
            database.remove(rows)
        self.assertEqual(self.build()["compiled"], 1)
        [entry] = conv.load(self.packs()["line"]).entries
        self.assertEqual(entry.chosen_by, "heuristic")

    def test_assembler(self):
        """Another toolkit, wherever the compiler finds it, makes units stale."""
        keys = set()
        for name in ("CUDA_HOME", "CUDA_PATH", "OTHER"):
            with unittest.mock.patch.dict(os.environ, {name: "/other"}):
                keys.add(_models._compute_key("", "sm_90a", "", 0.0))
        self.assertEqual(len(keys), 3)

    def test_max_error(self):
        """A field of problems that their MLIR has not."""
        layer = {"n": 8, "c": 256, "k": 256, "spatial": [28, 28], "filter": [3, 3], "pad": [1, 1]}
        (self.folder / "layers.json").write_text(json.dumps({"layer": [layer]}))
        model = {"layers": "layers.json", "dtype": "f32", "targets": ["gfx942"]}
        self.spec["models"] = {"usual": model, "winograd": {**model, "with": {"max_error": 50}}}
        self.assertEqual(self.build()["compiled"], 2)
        algorithms = {name: conv.load(pack).entries[0].algorithm for name, pack in self.packs().items()}
        self.assertEqual(algorithms, {"usual": "implicit_gemm", "winograd": "winograd"})

    def test_refused(self):
        """A unit that the compiler refuses is reported in each build, but compiled only once."""
        self.spec["models"]["mlir"]["targets"].append("sim:gfx1250")
        for compiled in (22, 0):
            counts = self.build(code=3)
            self.assertEqual((counts["compiled"], len(counts["refused"])), (compiled, 1))
            [reason] = counts["refused"].values()
            self.assertIn("unsupported (not-runnable)", reason)
        self.assertEqual(list(conv.load(self.packs()["mlir"])), ["first"])

    def test_failed(self):
        """A unit that fails is reported, and tried again in the next build."""
        (self.folder / "b.mlir").write_text("nonsense")
        for _ in range(2):
            counts = self.build(code=4)
            self.assertRegex(counts["failed"][0], r"b\.mlir for host: source:1:1: error: ")
        self.assertEqual(list(conv.load(self.packs()["mlir"])), ["first"])

    def test_killed(self):
        (self.folder / "models.yaml").write_text(json.dumps(self.spec))
        command = [sys.executable, "-m", "conv.build", self.folder / "models.yaml", "--jobs", "2"]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        store = self.folder / "packs" / ".store" / "units"
        tuner.wait_for(lambda: store.exists() and len(list(store.glob("*.convpack"))) >= 5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        there = len(list(store.glob("*.convpack")))
        for path in store.glob("*.convpack"):
            conv.load(path)
        self.assertEqual(self.build()["compiled"], 21 - there)

    def test_usage(self):
        for change, text in (
            ({"models": {"a": {"layers": "none.json"}}}, "none.json"),
            ({"models": {"a": {"modules": ["none/*.mlir"]}}}, "expects files for 'none/*.mlir', but found none"),
            ({"models": {"a": {}}}, "a: expects layers or modules"),
            ({"models": {"a": {"layers": "layers.json", "with": {"wings": 2}}}}, "expects fields of conv.Problem"),
            ({"models": {"a": {"layers": "layers.json", "with": {"activation": 2}}}}, "expects fields of conv.Problem"),
            ({"models": {"a": {"layers": "layers.json", "with": {"max_error": "much"}}}}, "expects fields of conv.Problem"),
            ({"models": 3}, "expects models by name"),
            ({"target": "host"}, "but got target"),
            ({"targets": "host"}, "targets: expects a list of texts, but got 'host'"),
            ({"targets": [3]}, "targets: expects a list of texts, but got [3]"),
            ({"targets": ["sm_99"]}, "but got sm_99"),
            ({"output": 3}, "output: expects text, but got 3"),
            ({"database": 3}, "database: expects text, but got 3"),
            ({"database": "none.sqlite"}, "there is no file"),
            ({"models": {"a": {"layers": 3}}}, "a: layers: expects text, but got 3"),
            ({"models": {"a": {"modules": 3}}}, "a: modules: expects a list of texts, but got 3"),
            ({"models": {"a": {"layers": "layers.json", "directions": "forward"}}}, "a: directions: expects a list"),
            ({"models": {"a": {"layers": "layers.json", "dtype": "f99"}}}, "but got 'f99'"),
            ({"models": {"../a": {"layers": "layers.json"}}}, "for a model, but got '../a'"),
        ):
            with self.subTest(change):
                (self.folder / "models.yaml").write_text(json.dumps({**self.spec, **change}))
                command = [sys.executable, "-m", "conv.build", self.folder / "models.yaml"]
                code, _, err = tuner.run(command)
                self.assertIn(code, (2, 4))
                self.assertRegex(err, r"^conv-build: error: [^\n]*\n$")
                self.assertIn(text, err)


if __name__ == "__main__":
    unittest.main()
