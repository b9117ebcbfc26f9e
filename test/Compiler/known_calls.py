# RUN: env CONV_CACHE_DIR=%t.cache %python %s
"""A call of conv.jit like an earlier one is one call of libconv_python.so."""

import contextlib
import unittest
from unittest import mock

import conv
import conv.jit
import numpy as np


@contextlib.contextmanager
def expect_known():
    """The code in Python must not look for a function here."""
    with mock.patch.object(conv.jit, "framework_of", side_effect=AssertionError("not known")):
        yield


class KnownCalls(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(0)
        self.draw = lambda *shape: random.standard_normal(shape).astype(np.float32)
        self.x, self.w, self.b, self.r = self.draw(1, 2, 5, 4), self.draw(3, 2, 3, 3), self.draw(3), self.draw(1, 3, 5, 4)

    def test_tensors_and_options(self):
        """Each of them is part of what identifies a call."""
        x, w, b, r = self.x, self.w, self.b, self.r
        depthwise = np.ascontiguousarray(w[:2, :1])
        calls = [
            lambda: conv.jit.conv2d(x, w, padding=1),
            lambda: conv.jit.conv2d(x, w, b, padding=1),
            lambda: conv.jit.conv2d(x, w, None, r, padding=1),
            lambda: conv.jit.conv2d(x, w, b, r, padding=1),
            lambda: conv.jit.conv2d(x, w, b, r, padding=(1, 1), activation="leaky_relu"),
            lambda: conv.jit.conv2d(x, w, b, r, padding=(1, 1), activation="leaky_relu", alpha=0.5),
            lambda: conv.jit.conv2d(x, w, padding=(1, 0)),
            lambda: conv.jit.conv2d(x, w, padding=1, padding_mode="reflect"),
            lambda: conv.jit.conv2d(x, w, padding=1, stride=2),
            lambda: conv.jit.conv2d(x, w, padding=1, dilation=2),
            lambda: conv.jit.conv2d(x, depthwise, padding=1, groups=2),
            lambda: conv.jit.conv2d(x.swapaxes(2, 3), w, padding=1),
            lambda: conv.jit.conv2d(x.transpose(0, 2, 3, 1), w.transpose(0, 2, 3, 1), padding=1, layout="NHWC"),
            lambda: conv.jit.conv2d(x.astype(np.float16), w.astype(np.float16), padding=1),
            lambda: conv.jit.conv1d(np.ascontiguousarray(x[:, :, 0]), np.ascontiguousarray(w[:, :, 0])),
        ]
        results = [call() for call in calls]
        for call, result in zip(calls, results):
            with expect_known():
                again = call()
            np.testing.assert_array_equal(again, result)
            self.assertEqual(again.strides, result.strides)

    def test_numbers_of_other_types(self):
        """1.0 equals 1, and is refused all the same."""
        conv.jit.conv2d(self.x, self.w, padding=1, stride=1, groups=1)
        for name in ("padding", "stride", "groups"):
            with self.assertRaisesRegex(conv.Error, f"{name}: expects an integer, but got 1.0"):
                conv.jit.conv2d(self.x, self.w, **{"padding": 1, "stride": 1, "groups": 1, name: 1.0})
        with self.assertRaisesRegex(conv.Error, "layout: expects text"):
            conv.jit.conv2d(self.x, self.w, padding=1, stride=1, groups=1, layout=1)

    def test_lists(self):
        """They count as tuples, with what they are now."""
        padding = [1, 1]
        self.assertEqual(conv.jit.conv2d(self.x, self.w, padding=padding).shape, (1, 3, 5, 4))
        with expect_known():
            for same in (padding, [1, 1], (1, 1)):
                self.assertEqual(conv.jit.conv2d(self.x, self.w, padding=same).shape, (1, 3, 5, 4))
        padding[0] = 0
        self.assertEqual(conv.jit.conv2d(self.x, self.w, padding=padding).shape, (1, 3, 3, 4))
        for wrong, message in (([1.0, 1], "expects an integer, but got 1.0"), ([1, 1, 1], "expects one number or 2")):
            with self.assertRaisesRegex(conv.Error, f"^padding: {message}"):
                conv.jit.conv2d(self.x, self.w, padding=wrong)
        with self.assertRaisesRegex(conv.Error, "^activation: expects text"):
            conv.jit.conv2d(self.x, self.w, padding=1, activation=[])
        conv.jit.conv2d(self.x, self.w, padding=[np.int64(1), 1])  # Not known later, and right.
        self.assertEqual(conv.jit.conv2d(self.x, self.w, padding=[np.int64(1), 1]).shape, (1, 3, 5, 4))

    def test_out(self):
        out = np.empty((1, 3, 5, 4), np.float32)
        expected = conv.jit.conv2d(self.x, self.w, padding=1)
        conv.jit.conv2d(self.x, self.w, padding=1, out=out)
        out[:] = 0
        with expect_known():
            self.assertIs(conv.jit.conv2d(self.x, self.w, padding=1, out=out), out)
        np.testing.assert_array_equal(out, expected)

    def test_dynamic(self):
        x, kernel = self.draw(2, 7, 6), self.draw(2, 7, 6, 3)
        for activation, tokens in (("", 7), ("silu", 7), ("", 5), ("", 4)):  # The last ones share a function of any length.
            operands = np.ascontiguousarray(x[:, :tokens]), np.ascontiguousarray(kernel[:, :tokens])
            expected = conv.jit.dynamic_conv(*operands, activation=activation)
            with expect_known():
                np.testing.assert_array_equal(conv.jit.dynamic_conv(*operands, activation=activation), expected)
        with self.assertRaisesRegex(conv.Error, "order: expects 'BTGW' or 'BTWG', but got 'BTGG'"):
            conv.jit.dynamic_conv(x, kernel, order="BTGG")


if __name__ == "__main__":
    unittest.main()
