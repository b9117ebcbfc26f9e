# RUN: rm -rf %t && mkdir %t && %python %s %t
"""Compilation in this process: its results, and the errors for wrong inputs."""

import ctypes
import dataclasses
import math
import os
import subprocess
import sys
import threading
import unittest

import conv
import numpy as np
from conv import _compiler

ROOT = sys.argv.pop()
PROBLEM = conv.Problem(n=1, c=8, k=8, input=(6, 6), filter=(3, 3), low=(1, 1), dtype="f16", bias=True)


class Compile(unittest.TestCase):
    def test_problem_becomes_artifact(self):
        artifact = conv.load(conv.compile(PROBLEM, ["gfx942", "host"], cache=False))
        self.assertEqual([entry.target for entry in artifact.entries], ["gfx942", "host"])
        self.assertEqual(
            [argument.name for argument in artifact.entries[0].arguments], ["input", "filter", "bias", "output"]
        )

    def test_sums_of_integers(self):
        """i32 may be named as the type of sums of i8, and is the default."""
        i8 = dict(n=1, c=4, k=4, input=(5, 5), filter=(3, 3), dtype="i8")
        self.assertEqual(conv.Problem(**i8, result_dtype="i32").module(), conv.Problem(**i8).module())

    def test_arithmetic_of_f32(self):
        """`exact` and `tf32` select the arithmetic of f32; both at once are refused."""
        f32 = dict(n=1, c=8, k=8, input=(6, 6), filter=(3, 3))
        self.assertNotIn("arithmetic", conv.Problem(**f32).module())
        self.assertRegex(conv.Problem(**f32, exact=True).module(), "arithmetic = +exact")
        self.assertRegex(conv.Problem(**f32, tf32=True).module(), "arithmetic = +tf32")
        with self.assertRaisesRegex(conv.Error, "^exact: expects no tf32"):
            conv.Problem(**f32, tf32=True, exact=True).module()

    def test_as_the_tool(self):
        """The artifact has the same bytes as that of conv-compile."""
        module = PROBLEM.module()
        subprocess.run(
            ["conv-compile", "-", "--target=gfx942,host", "-o", f"{ROOT}/a.convpack"], input=module.encode(), check=True
        )
        with open(f"{ROOT}/a.convpack", "rb") as file:
            self.assertEqual(conv.compile(module, "gfx942,host", cache=False), file.read())

    def test_bytecode(self):
        module = subprocess.run(
            ["conv-opt", "--emit-bytecode"], input=PROBLEM.module().encode(), capture_output=True, check=True
        ).stdout
        self.assertEqual(
            len(conv.load(conv.compile(module, "host", cache=False)).entries),
            1,
        )

    def test_winograd_within_an_error(self):
        problem = conv.Problem(n=8, c=256, k=256, input=(28, 28), filter=(3, 3), low=(1, 1))
        algorithms = [
            conv.load(conv.compile(problem, "sim:gfx942", **options)).entries[0].algorithm
            for options in ({}, {"max_error": 50}, {"max_error": 50, "max_workspace": 0})
        ]
        self.assertEqual(algorithms, ["implicit_gemm", "winograd", "implicit_gemm"])
        bounded = dataclasses.replace(problem, max_error=50)
        self.assertEqual(conv.load(conv.compile(bounded, "sim:gfx942")).entries[0].algorithm, "winograd")
        self.assertEqual(conv.load(conv.compile(bounded, "sim:gfx942", max_error=0)).entries[0].algorithm, "implicit_gemm")
        with self.assertRaisesRegex(conv.Error, "expects max_error to be finite and 0 or more, but got -1"):
            conv.compile(problem, "host", max_error=-1)
        with self.assertRaisesRegex(conv.Error, "expects max_error to be finite and 0 or more, but got inf"):
            conv.compile(problem, "host", max_error=float("inf"))  # As conv-compile.

    def test_filters_are_packed_once(self):
        problem = conv.Problem(n=1, c=4, k=6, input=(7, 9), filter=(3, 3), low=(1, 1), function="f")
        options = {"algorithm": "winograd"}
        plain = conv.load(conv.compile(problem, "host", **options))["f"]
        packed = conv.load(conv.compile(problem, "host", prepack_filter=True, **options))
        self.assertEqual(list(packed), ["f", "f.prepack"])
        self.assertEqual(packed["f"].arguments[1].role, "packed_filter")
        random = np.random.default_rng(0)
        x, w = (random.standard_normal(argument.shape, np.float32) for argument in plain.arguments[:2])
        np.testing.assert_array_equal(packed["f"](x, packed["f.prepack"](w)), plain(x, w))
        with self.assertRaisesRegex(conv.Error, "f.*expects"):
            packed["f"](x, w)
        with self.assertRaises(conv.Refused) as refused:
            conv.compile(problem, "host", prepack_filter=True)
        self.assertEqual(refused.exception.reason, "prepack")

    def test_explain(self):
        self.assertIn("best candidates", conv.explain(PROBLEM, "gfx942"))
        (kernel,) = conv.explain(PROBLEM, "gfx942", as_json=True)
        self.assertEqual((kernel["target"], kernel["chosen_by"]), ("gfx942", "heuristic"))
        self.assertIn(kernel["schedule"], [candidate["schedule"] for candidate in kernel["candidates"]])
        self.assertGreater(kernel["predicted"]["seconds"], 0)

    def test_refusal_has_its_reason(self):
        problem = conv.Problem(
            n=1,
            c=8,
            k=8,
            input=(8, 8),
            filter=(8, 8),
            low=(40, 40),
            padding_mode="replicate",
            direction="backward_data",
        )
        with self.assertRaises(conv.Refused) as caught:
            conv.compile(problem, "gfx942", cache=False)
        self.assertEqual((caught.exception.reason, caught.exception.kind), ("padding-mode", conv.ErrorKind.UNSUPPORTED))

    def test_bad_input(self):
        for module, targets, message in (
            ("func.func @f(", "host", "mine:1:13: error"),
            (PROBLEM, "gfx000", "expects"),
            (PROBLEM, "", "expects"),
            (PROBLEM, None, "^targets: expects names such as 'sm_90a,host', but got None$"),
            (PROBLEM, [1], "^targets: expects names such as 'sm_90a,host', but got .1.$"),
            (b"ML\xefR" + bytes(range(256)), "host", "error"),
            (b"\0\xff", "host", "error"),
        ):
            with self.assertRaisesRegex(conv.Error, message) as caught:
                conv.compile(module, targets, name="mine", cache=False)
            self.assertEqual(caught.exception.kind, conv.ErrorKind.BAD_INPUT, caught.exception)
        with self.assertRaises(TypeError):
            conv.compile(5, "host", cache=False)

    def test_problems_that_are_none(self):
        for wrong, message in (
            ({"dtype": "f33"}, "dtype: expects f32, f16"),
            ({"n": 0}, r"n: expects 1 to \d+, but got 0"),
            ({"input": (6, 0)}, r"input\[1\]: expects 1 to"),
            ({"stride": (1, 1, 1)}, "stride: expects 2 numbers, but got 3"),
            ({"stride": (1, 1.0)}, "stride: expects an integer, but got 1.0"),
            ({"stride": (1, 1 << 64 | 1)}, r"stride: expects -\d+ to \d+, but got 18446744073709551617"),
            ({"n": -1 << 64 | 1}, r"n: expects -\d+ to \d+, but got -18446744073709551615"),
            ({"input": ()}, "expects 1 to 3 spatial dimensions"),
            ({"input": 8}, "^input: expects one number for each spatial dimension, but got 8$"),
            ({"low": "11"}, "^low: expects one number for each spatial dimension, but got '11'$"),
            ({"groups": 3}, "groups: expects a divisor of 8"),
            ({"filter": (9, 9)}, "expects the window to fit"),
            ({"input_layout": "NHCC"}, "input_layout: expects the letters"),
            ({"activation": "step"}, "activation: expects relu"),
            ({"activation_alpha": float("nan")}, "expects a finite number"),
            ({"direction": "backward_weight"}, "^bias: expects a direction .* but got backward_weight$"),
            ({"result_dtype": "i32"}, "^result_dtype: expects i32 only for i8"),
            ({"tf32": True, "exact": True}, "^exact: expects no tf32"),
            ({"promoted": True, "exact": True}, "^promoted: expects neither tf32 nor exact, but got exact$"),
        ):
            values = {"n": 1, "c": 8, "k": 8, "input": (6, 6), "filter": (3, 3), "bias": True, **wrong}
            with self.subTest(wrong), self.assertRaisesRegex(conv.Error, message):
                conv.Problem(**values).module()

    def test_sizes_as_lists(self):
        lists = conv.Problem(n=1, c=8, k=8, input=[6, 6], filter=[3, 3], low=[1, 1])
        self.assertEqual(lists, conv.Problem(n=1, c=8, k=8, input=(6, 6), filter=(3, 3), low=(1, 1)))
        self.assertEqual(len({lists}), 1)

    def test_tensors_of_calls(self):
        """Errors name the argument."""
        x, w = np.ones((1, 1, 5, 5), np.float32), np.ones((1, 1, 3, 3), np.float32)
        for operands, message in (
            (([1.0], w), "^x: expects a tensor with DLPack .* but got list$"),
            ((x, None), "^w: expects a tensor with DLPack .* but got NoneType$"),
            ((x[:0], w), r"^x: expects a tensor with elements, but got shape \(0, 1, 5, 5\)$"),
            ((x[0], w), r"^x: expects 4 dimensions \(NCHW\), but got shape \(1, 5, 5\)$"),
            ((x[..., ::2], w), "^x: expects a dense tensor"),
        ):
            with self.assertRaisesRegex(conv.Error, message):
                conv.jit.conv2d(*operands)
        with self.assertRaisesRegex(conv.Error, "^kernel: expects a tensor with DLPack"):
            conv.jit.dynamic_conv(x[0], 3)

    def test_numbers_of_calls(self):
        """Integers that C would cut, and numbers that are equal to the integers of an earlier call but are none."""
        x, w = np.ones((1, 1, 5, 5), np.float32), np.ones((1, 1, 3, 3), np.float32)
        conv.jit.conv2d(x, w)
        for name in ("stride", "padding", "dilation", "groups"):
            with self.assertRaisesRegex(conv.Error, f"{name}: expects an integer, but got 1.0"):
                conv.jit.conv2d(x, w, **{name: 1.0})
            with self.assertRaisesRegex(conv.Error, rf"{name}: expects -\d+ to \d+, but got 18446744073709551617"):
                conv.jit.conv2d(x, w, **{name: 1 << 64 | 1})
        with self.assertRaisesRegex(conv.Error, "padding: expects one number or 2, but got 'same'"):
            conv.jit.conv2d(x, w, padding="same")
        for name, value, kind in (
            ("activation", ["relu"], "text"),
            ("padding_mode", 3, "text"),
            ("layout", 3, "text"),
            ("alpha", "x", "a number"),
            ("alpha", "0.5", "a number"),
            ("alpha", 10**400, "a number"),
            ("max_error", None, "a number"),
        ):
            with self.assertRaisesRegex(conv.Error, f"{name}: expects {kind}, but got "):
                conv.jit.conv2d(x, w, **{name: value})
        for name, value, bounds in (
            ("max_workspace", 1 << 63, "0 to 9223372036854775807"),
            ("threads", -1, "0 to 4294967295"),
            ("compute_units", 1 << 32, "0 to 4294967295"),
        ):
            with self.assertRaisesRegex(conv.Error, f"{name}: expects {bounds}, but got {value}"):
                conv.compile(PROBLEM, "host", **{name: value})

    def test_exponentials(self):
        """Of the host: within some ulp everywhere, and right where they overflow, vanish or are no numbers."""
        values = np.linspace(-90, 90, 4001, dtype=np.float32)
        special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-30, -1e30, 3e38, -104, 88.7, -87.5], np.float32)
        one = np.ones((1, 1, 1, 1), np.float32)
        for x in (values, special):
            y = conv.jit.conv2d(x.reshape(1, 1, 1, -1), one, activation="sigmoid").ravel()
            with np.errstate(over="ignore"):
                expected = 1 / (1 + np.exp(-x.astype(np.float64)))
                silu = x.astype(np.float64) * expected
            normal = ~(expected < 2.0**-126)  # 1 + exp(-x) may overflow before the quotient vanishes.
            np.testing.assert_allclose(y[normal], expected[normal], rtol=5e-7)
            np.testing.assert_allclose(y[~normal], 0, atol=2.0**-126)
            if x is values:
                z = conv.jit.conv2d(x.reshape(1, 1, 1, -1), one, activation="silu").ravel()
                np.testing.assert_allclose(z, silu, rtol=5e-7, atol=1e-36)

    def test_functions_of_activations(self):
        """Of the host, on 524,288 f32 of all sizes: zeros, infinities and NaNs are those of libm, and errors are few ulp."""
        module = """func.func @f(%x: tensor<1x1x1x65536xf32> {{conv.name = "x"}}, %w: tensor<1x1x1x1xf32> {{conv.name = "w"}})
            -> (tensor<1x1x1x65536xf32> {{conv.name = "y"}}) {{
          %sum = conv.forward %x, %w window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]>
            layouts = <"NCHW", "KCRS", "NKPQ"> : tensor<1x1x1x65536xf32>, tensor<1x1x1x1xf32> -> tensor<1x1x1x65536xf32>
          %init = tensor.empty() : tensor<1x1x1x65536xf32>
          %y = linalg.generic {{
              indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
              iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
              ins(%sum : tensor<1x1x1x65536xf32>) outs(%init : tensor<1x1x1x65536xf32>) {{
          ^bb0(%v: f32, %unused: f32):
            %negative = arith.negf %v : f32
            %r = math.{} %negative : f32
            linalg.yield %r : f32
          }} -> tensor<1x1x1x65536xf32>
          return %y : tensor<1x1x1x65536xf32>
        }}"""
        bits = np.random.default_rng(0).integers(0, 2**32, (8, 65536), dtype=np.uint32)
        bits[0, :16] = range(16)  # Zero and subnormal numbers.
        x = bits.view(np.float32)
        x[1] = np.linspace(-105, 90, 65536)
        x[2] = np.linspace(-5, 5, 65536)
        x[3:5] = np.geomspace(1e-8, 12, 2 * 65536).reshape(2, -1)
        x[4] *= -1
        x[0, 16:24] = [-0.0, np.inf, -np.inf, np.nan, 88.72, 88.73, -104, 3.4e38]
        # Sums that are zero are +0, so the functions get -0 for either zero.
        x[x == 0] = -0.0
        one = np.ones((1, 1, 1, 1), np.float32)
        with np.errstate(invalid="ignore"):
            wide = x.astype(np.float64)
        functions = {"exp": (np.exp, 1.1), "expm1": (np.expm1, 1.5), "tanh": (np.tanh, 1.4)}
        functions["erf"] = np.vectorize(math.erf), 1.1
        for name, (function, ulp) in functions.items():
            with np.errstate(all="ignore"), self.subTest(name):
                layer = conv.load(conv.compile(module.format(name), "host"))["f"]
                y = np.stack([layer(-row.reshape(1, 1, 1, -1), one).ravel() for row in x])
                expected = function(wide)
                nearest = expected.astype(np.float32)
                special = ~np.isfinite(nearest)
                np.testing.assert_array_equal(y[special], nearest[special])
                spacing = np.spacing(np.abs(nearest[~special])).astype(np.float64)
                np.testing.assert_array_less(np.abs(y[~special] - expected[~special]) / spacing, ulp)
                signs = np.signbit(x) if name != "exp" else np.zeros(x.shape, bool)
                np.testing.assert_array_equal(np.signbit(y)[~np.isnan(x)], signs[~np.isnan(x)])

    def test_structures_of_another_version(self):
        library, place = _compiler.load(), ctypes.c_void_p()
        options = _compiler.Options(struct_size=8, targets=b"host")
        self.assertEqual(library.conv_compile(b"", 0, ctypes.byref(options), ctypes.byref(place)), 2)
        self.assertIn(b"struct_size", library.conv_compiler_last_error())
        self.assertEqual(library.conv_compile(None, 0, None, ctypes.byref(place)), 2)
        self.assertEqual(library.conv_compile(b"", 0, None, None), 2)
        self.assertEqual(library.conv_problem_module(None, ctypes.byref(place)), 2)
        self.assertFalse(place)

    def test_structures_of_other_headers(self):
        """An older structure ends earlier, whatever follows it in memory; a newer one may only have zeros."""
        library, place, module = _compiler.load(), ctypes.c_void_p(), PROBLEM.module().encode()

        class Newer(ctypes.Structure):
            _fields_ = [("known", _compiler.Options), ("added", ctypes.c_int64)]

        def compile_with(size, **fields):
            newer = Newer(_compiler.Options(struct_size=size, targets=b"host"), fields.pop("added", 0))
            for name, value in fields.items():
                setattr(newer.known, name, value)
            status = library.conv_compile(module, len(module), ctypes.byref(newer.known), ctypes.byref(place))
            if status == 0:
                library.conv_compilation_close(place)
            return status

        least = _compiler.Options.targets.offset + _compiler.Options.targets.size
        whole, wrong = ctypes.sizeof(_compiler.Options), {"max_error": -1.0}
        self.assertEqual(compile_with(whole, **wrong), 2)
        self.assertEqual(compile_with(_compiler.Options.max_error.offset, **wrong), 0)
        self.assertEqual(compile_with(least, **wrong), 0)
        self.assertEqual(compile_with(least - 1), 2)
        self.assertEqual(compile_with(ctypes.sizeof(Newer)), 0)
        self.assertEqual(compile_with(ctypes.sizeof(Newer), added=1), 2)
        self.assertIn(b"zeros after the", library.conv_compiler_last_error())
        self.assertEqual(compile_with(1 << 62), 2)

    def test_many_threads(self):
        alone = conv.compile(PROBLEM, "host", cache=False)
        results = []

        def work():
            for _ in range(3):
                results.append(conv.compile(PROBLEM, "host", cache=False))
                with self.assertRaises(conv.Error):
                    conv.compile("nonsense", "host", cache=False)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [alone] * 24)

    def test_silent_and_without_handlers(self):
        """Compilation prints nothing, and leaves signal handlers as they were."""
        code = (
            "import conv, signal\n"
            "handlers = lambda: [signal.getsignal(s) for s in range(1, 32)]\n"
            # Signals above 31 are excluded: glibc uses some for threads.
            "caught = lambda: int(open('/proc/self/status').read().split('SigCgt')[1].split()[1], 16) & 0x7fffffff\n"
            "masks = caught()\n"
            "before = handlers()\n"
            "p = conv.Problem(n=1, c=8, k=8, input=(6, 6), filter=(3, 3))\n"
            "conv.compile(p, 'gfx942,host', cache=False)\n"
            "try: conv.compile('nonsense', 'host', cache=False)\n"
            "except conv.Error: pass\n"
            "assert handlers() == before\n"
            "assert masks == caught()\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_after_a_fork(self):
        conv.compile(PROBLEM, "host", cache=False)
        child = os.fork()
        if child == 0:
            try:
                conv.compile(PROBLEM, "host", cache=False)
                os._exit(0)
            except BaseException:
                os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
