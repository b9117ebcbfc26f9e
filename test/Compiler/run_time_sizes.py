# RUN: env CONV_CACHE_DIR=%t.cache %python %s
"""Functions whose numbers of sequences and tokens are known at run time: one artifact for all sizes."""

import dataclasses
import unittest

import conv
import conv.jit
import numpy as np
from conv._dynamic import DynamicProblem
from conv._states import UpdateProblem


def definition(x, kernel):
    """The sum of products, for a BTGW kernel with a group for each channel."""
    past = np.concatenate([np.zeros_like(x[:, :1]).repeat(kernel.shape[3] - 1, 1), x], 1)
    return sum(kernel[..., w] * past[:, w : w + x.shape[1]] for w in range(kernel.shape[3]))


class RunTimeSizes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.artifact = conv.compile(DynamicProblem(None, None, 6, 3, function="f"), "host,sim:gfx942")
        cls.function = conv.load(cls.artifact)["f"]

    def draw(self, b, t):
        values = np.arange(b * t * 6 * 3) * 5 % 7 - 3
        return values[: b * t * 6].reshape(b, t, 6).astype(np.float32), values.reshape(b, t, 6, 3).astype(np.float32)

    def refuse(self, expected, *tensors, **named):
        with self.assertRaises(conv.Error) as raised:
            self.function(*tensors, **named)
        self.assertIn(expected, str(raised.exception))
        self.assertEqual(raised.exception.kind, conv.ErrorKind.BAD_INPUT)

    def test_any_batch_and_length(self):
        for device in (None, "sim:gfx942"):
            function = conv.load(self.artifact, device=device)["f"]
            for b, t in ((1, 1), (2, 2), (1, 8), (3, 17), (7, 1), (2, 2)):
                x, kernel = self.draw(b, t)
                with self.subTest(device=device, b=b, t=t):
                    y = function(x, kernel)
                    np.testing.assert_array_equal(y, definition(x, kernel))
        self.assertEqual([size.name for size in self.function.entries["host"].sizes], ["B", "T"])
        self.assertIn("input: f32[B, T, 6]", repr(self.function))

    def test_results_of_the_caller(self):
        x, kernel = self.draw(2, 5)
        out = np.zeros_like(x)
        self.assertIs(self.function(x, kernel, out=out), out)
        np.testing.assert_array_equal(out, definition(x, kernel))
        self.refuse("argument 'output': expects shape (2, 5, 6), but got (2, 4, 6)", x, kernel, out=out[:, :4].copy())

    def test_shapes_that_do_not_fit(self):
        x, kernel = self.draw(2, 5)
        self.refuse("argument 'kernel': expects shape (2, 5, 6, 3), but got (2, 4, 6, 3)", x, kernel[:, :4].copy())
        self.refuse("argument 'kernel': expects shape (2, 5, 6, 3), but got (1, 5, 6, 3)", x, kernel[:1].copy())
        self.refuse("argument 'input': expects shape (2, 5, 6), but got (2, 5, 4)", x[..., :4].copy(), kernel)
        self.refuse("argument 'input': expects shape (B, T, 6), but got (6,)", x[0, 0].copy(), kernel)
        self.refuse("argument 'kernel': expects shape (2, 5, 6, 3), but got (2, 5, 6)", x, x)
        self.refuse("argument 'input': expects strides (30, 6, 1)", x.transpose(1, 0, 2).copy().transpose(1, 0, 2), kernel)
        self.refuse("size 'T': expects 1 to 2147483647, but got 0", x[:, :0], kernel[:, :0])
        self.refuse("size 'B': expects 1 to 2147483647, but got 0", x[:0], kernel[:0])

    def test_packed(self):
        problem = DynamicProblem(1, None, 6, 3, starts=None, starts_dtype="i64", function="g")
        function = conv.load(conv.compile(problem, "host"))["g"]
        for lengths in ([4, 0, 3], [1], [2, 2, 2, 2, 1, 0, 9]):
            starts = np.cumsum([0, *lengths])
            x, kernel = self.draw(1, int(starts[-1]))
            parts = [slice(first, end) for first, end in zip(starts, starts[1:])]
            expected = np.concatenate([definition(x[:, part], kernel[:, part]) for part in parts], 1)
            np.testing.assert_array_equal(function(x, kernel, starts), expected)

    def test_decoding(self):
        problem = UpdateProblem(None, 4, 1, 3, None, 2, "f32", indices="i32", function="u")
        function = conv.load(conv.compile(problem, "host"))["u"]
        weight = np.arange(12, dtype=np.float32).reshape(4, 3)
        for batch, states in ((1, 1), (2, 5), (5, 3)):
            x = np.arange(batch * 4, dtype=np.float32).reshape(batch, 4, 1)
            state = np.arange(states * 8, dtype=np.float32).reshape(states, 4, 2)
            indices = np.arange(batch, dtype=np.int32) - 1  # Index -1 is padding.
            before, y = state.copy(), function(x, weight, state, indices)
            for sequence, index in enumerate(indices):
                if not 0 <= index < states:
                    np.testing.assert_array_equal(y[sequence], 0)
                    continue
                seen = np.concatenate([before[index], x[sequence]], 1)
                np.testing.assert_array_equal(y[sequence, :, 0], (weight * seen).sum(1))
                np.testing.assert_array_equal(state[index], seen[:, 1:])

    def test_other_problems_keep_their_names(self):
        problem = DynamicProblem(2, 5, 6, 3)
        self.assertEqual(problem.with_run_time_sizes(), dataclasses.replace(problem, b=None, t=None))
        self.assertIsNone(DynamicProblem(2, 5, 64, 3, 2, direction="backward_kernel").with_run_time_sizes())
        with self.assertRaises(conv.Refused) as raised:
            conv.compile(DynamicProblem(None, None, 64, 3, 2, direction="backward_kernel"), "host")
        self.assertEqual(raised.exception.reason, "dynamic-shape")


if __name__ == "__main__":
    unittest.main()
