# RUN: conv-gen convfp16 -F 1 --layout nhwc -n 2 -c 16 -H 9 -W 7 -k 24 -y 3 -x 3 -p 1 -q 1 --bias -o %t.f16.mlir
# RUN: conv-gen convbfp16 -F 1 --layout nhwc -n 1 -c 8 -H 6 -W 6 -k 8 -y 1 -x 1 -o %t.bf16.mlir
# RUN: conv-compile %t.f16.mlir --target=host,sim:gfx942,gfx942 -o %t.f16.convpack
# RUN: conv-compile %t.bf16.mlir --target=host -o %t.bf16.convpack
# RUN: conv-compile %source-root/examples/two_convolutions.mlir --target=host -o %t.two.convpack
# RUN: %python %s %t
"""Compiled convolutions run from Python, on the CPU and in the simulator."""

import sys
import threading
import unittest

import conv
import numpy as np

STEM = sys.argv.pop()
TYPES = {"f16": np.float16, "f32": np.float32}


def only(pack):
    assert len(pack) == 1
    return pack[next(iter(pack))]


def operands(function, seed=0):
    random = np.random.default_rng(seed)
    arguments = [argument for argument in function.arguments if not argument.is_output]
    return [random.uniform(-1, 1, argument.shape).astype(TYPES[argument.dtype]) for argument in arguments]


def reference(x, w, bias):
    """The 3x3 convolution with padding 1 in float64, and the sum of absolute products."""
    x, w, bias = (np.asarray(array, np.float64) for array in (x, w, bias))
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    height, width = x.shape[1:3]

    def convolve(x, w):
        windows = [
            np.einsum("nhwc,kc->nhwk", x[:, r : r + height, s : s + width], w[:, r, s])
            for r in range(3)
            for s in range(3)
        ]
        return sum(windows)

    return convolve(padded, w) + bias, convolve(abs(padded), abs(w)) + abs(bias)


class Convolutions(unittest.TestCase):
    def check(self, function, y, x, w, bias):
        expected, products = reference(x, w, bias)
        bound = next(iter(function.entries.values())).error_bound
        ulp = np.spacing(np.abs(expected).astype(np.float16)).astype(np.float64)
        allowed = bound.output_ulp * ulp + bound.accumulation * 2.0**-24 * products
        self.assertEqual(y.dtype, np.float16)
        self.assertTrue(np.all(np.abs(y.astype(np.float64) - expected) <= allowed))

    def setUp(self):
        self.pack = conv.load(f"{STEM}.f16.convpack")
        self.function = only(self.pack)
        self.x, self.w, self.bias = operands(self.function)
        self.y = self.function(self.x, self.w, self.bias)

    def test_host(self):
        self.check(self.function, self.y, self.x, self.w, self.bias)

    def test_simulator(self):
        function = only(conv.load(f"{STEM}.f16.convpack", device="sim:gfx942"))
        self.check(function, function(self.x, self.w, self.bias), self.x, self.w, self.bias)
        self.assertEqual(function.prepare().target, "sim:gfx942")

    def test_out_and_names(self):
        out = np.zeros_like(self.y)
        self.assertIs(self.function(self.x, self.w, self.bias, out=out), out)
        np.testing.assert_array_equal(out, self.y)
        again = np.zeros_like(self.y)
        self.assertIs(self.function(self.x, bias=self.bias, filter=self.w, output=again), again)
        np.testing.assert_array_equal(again, self.y)

    def test_from_bytes(self):
        with open(f"{STEM}.f16.convpack", "rb") as file:
            function = only(conv.load(file.read()))
        np.testing.assert_array_equal(function(self.x, self.w, self.bias), self.y)

    def test_with_layouts(self):
        function = self.function.with_layouts(input="NCHW", filter="KCRS", output="NKPQ")
        self.assertEqual(function.arguments[0].shape, (2, 16, 9, 7))
        y = function(self.x.transpose(0, 3, 1, 2), self.w.transpose(0, 3, 1, 2), self.bias)
        self.assertEqual(y.shape, (2, 24, 9, 7))
        np.testing.assert_array_equal(y.transpose(0, 2, 3, 1), self.y)
        with self.assertRaisesRegex(conv.Error, r"'input': expects strides \(1008, 1, 112, 16\) \(NCHW\) in elements"):
            function(np.ascontiguousarray(self.x.transpose(0, 3, 1, 2)), self.w, self.bias)
        with self.assertRaisesRegex(conv.Error, "'input': expects an order of the letters NHWC, but got NC"):
            self.function.with_layouts(input="NC")
        with self.assertRaisesRegex(conv.Error, "expects arguments of input, filter, bias, output, but got 'x'"):
            self.function.with_layouts(x="NCHW")

    def test_introspection(self):
        self.assertEqual(list(self.function.entries), ["host", "sim:gfx942", "gfx942"])
        self.assertEqual([entry.target for entry in self.pack.entries], list(self.function.entries))
        entry = self.function.entries["gfx942"]
        self.assertIn("convfp16 -n 2 -c 16 -k 24 -H 9", entry.problem)
        self.assertEqual((entry.algorithm, entry.chosen_by), ("implicit_gemm", "heuristic"))
        self.assertIn("#conv.schedule<", entry.schedule)
        self.assertGreater(entry.error_bound.accumulation, 0)
        names = [(argument.name, argument.is_output) for argument in entry.arguments]
        self.assertEqual(names, [("input", False), ("filter", False), ("bias", False), ("output", True)])
        self.assertEqual(entry.arguments[1].layout, "KRSC")
        self.assertEqual(entry.arguments[1].bytes, self.w.nbytes)
        self.assertIn("22.", self.pack.compiler["llvm"])
        self.assertIn("input: f16[2, 9, 7, 16] NHWC", repr(self.function))
        self.assertEqual(conv.open_device("host").targets[-1], "host")  # After the levels that this processor has.

    def test_bf16_as_bit_patterns(self):
        function = only(conv.load(f"{STEM}.bf16.convpack"))
        identity = (np.eye(8, dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16).reshape(8, 1, 1, 8)
        x = np.arange(1 * 6 * 6 * 8, dtype=np.uint16).reshape(1, 6, 6, 8) + 0x3F80
        y = function(x, identity)
        self.assertEqual(y.dtype, np.uint16)
        np.testing.assert_array_equal(y, x)

    def test_threads_and_a_workspace(self):
        function = only(conv.load(f"{STEM}.two.convpack"))
        self.assertGreater(function.entries["host"].workspace_bytes, 0)
        tensors = operands(function)
        expected = function(*tensors)
        self.assertTrue(np.all(np.isfinite(expected)))
        results = [None] * 4

        def work(number):
            for _ in range(5):
                results[number] = function(*tensors)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_array_equal(result, expected)


if __name__ == "__main__":
    unittest.main()
