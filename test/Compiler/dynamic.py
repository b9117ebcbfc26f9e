# RUN: env CONV_CACHE_DIR=%t.cache %python %s
"""Dynamic convolutions of NumPy arrays, compiled at their first call."""

import itertools
import unittest

import conv
import conv.jit
import numpy as np
from conv._causal import ActivationGradient


def definition(x, kernel, order):
    """The sum of products in f64, and the sum of their absolute values."""
    kernel = (kernel if order == "BTGW" else kernel.swapaxes(2, 3)).astype(np.float64)
    (_, tokens, channels), (groups, taps) = x.shape, kernel.shape[2:]
    past = np.concatenate([np.zeros_like(x[:, :1], np.float64).repeat(taps - 1, 1), x], 1)
    kernel = kernel.repeat(channels // groups, 2)
    terms = [kernel[..., w] * past[:, w : w + tokens] for w in range(taps)]
    return sum(terms), sum(map(abs, terms))


def silu(x):
    return x / (1 + np.exp(-x))


class Dynamic(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(0)

    def draw(self, *shape, dtype=np.float32):
        return self.random.standard_normal(shape).astype(dtype)

    def test_orders_and_groups(self):
        for order, groups, dtype in itertools.product(("BTGW", "BTWG"), (1, 5, 10), (np.float32, np.float16)):
            x = self.draw(2, 7, 10, dtype=dtype)
            kernel = self.draw(2, 7, *(groups, 4) if order == "BTGW" else (4, groups), dtype=dtype)
            with self.subTest(order=order, groups=groups, dtype=dtype):
                expected, products = definition(x, kernel, order)
                rounding = np.spacing(np.abs(expected).astype(dtype)).astype(np.float64) / 2
                allowed = rounding + 4 * 2.0**-24 * products
                y = conv.jit.dynamic_conv(x, kernel, order=order)
                self.assertEqual((y.shape, y.dtype), (x.shape, x.dtype))
                self.assertTrue(np.all(np.abs(y - expected) <= allowed))

    def test_integers_are_exact(self):
        x, kernel = (self.random.integers(-128, 128, shape).astype(np.int8) for shape in ((1, 13, 7), (1, 13, 3, 7)))
        y = conv.jit.dynamic_conv(x, kernel, order="BTWG")
        self.assertEqual(y.dtype, np.int32)
        np.testing.assert_array_equal(y, definition(x, kernel, "BTWG")[0])

    def test_activation_and_out(self):
        x, kernel = self.draw(1, 9, 6), self.draw(1, 9, 6, 2)
        out = np.zeros_like(x)
        self.assertIs(conv.jit.dynamic_conv(x, kernel, activation="silu", out=out), out)
        np.testing.assert_allclose(out, silu(definition(x, kernel, "BTGW")[0]), rtol=1e-5, atol=1e-6)

    def test_one_function_serves_every_batch_and_length(self):
        made = []
        compile_problem = conv.jit._load
        conv.jit._load = lambda problem, device: made.append(problem) or compile_problem(problem, device)
        try:
            for batch, tokens in ((2, 9), (1, 9), (2, 9), (3, 1), (1, 40), (2, 8)):
                x, kernel = self.draw(batch, tokens, 12), self.draw(batch, tokens, 12, 3)
                y = conv.jit.dynamic_conv(x, kernel)
                np.testing.assert_allclose(y, definition(x, kernel, "BTGW")[0], rtol=1e-5, atol=1e-5)
        finally:
            conv.jit._load = compile_problem
        self.assertEqual([(problem.b, problem.t) for problem in made], [(2, 9), (None, None)])

    def test_gradients_in_the_simulator(self):
        """conv.torch compiles these gradients for AMD GPUs: of the sum, of the input and of the kernels."""
        x, kernel, grad = self.draw(1, 6, 4), self.draw(1, 6, 2, 3), self.draw(1, 6, 4)
        made = {}
        for direction, operands in (
            ("backward_activation", (x, kernel, grad)),
            ("backward_input", (grad, kernel)),
            ("backward_kernel", (x, grad)),
        ):
            problem = conv.DynamicProblem(1, 6, 4, 3, 2, direction=direction)
            pack = conv.load(conv.compile(problem, "sim:gfx942"), device="sim:gfx942")
            made[direction] = pack[next(iter(pack))](*operands)
        total, _ = definition(x, kernel, "BTGW")
        share = 1 / (1 + np.exp(-total))
        slope = share * (1 + total * (1 - share))
        np.testing.assert_allclose(made["backward_activation"], grad * slope, rtol=1e-4, atol=1e-5)
        # The sum is linear in both operands, so <grad, K x> = <grad of x, x> = <grad of K, K>.
        energy = (grad * total).sum()
        np.testing.assert_allclose((made["backward_input"] * x).sum(), energy, rtol=1e-4)
        np.testing.assert_allclose((made["backward_kernel"] * kernel).sum(), energy, rtol=1e-4)

    def test_gradients_of_fixed_filters_in_the_simulator(self):
        """The gradient of the sum of a causal convolution with bias and silu, in both orders of memory."""
        for order, low, bias in itertools.product(("NCW", "NWC"), (0, 3), ("", "f32")):
            x, weight, b = self.draw(2, 8, 5), self.draw(5, 4), self.draw(5) if bias else np.zeros(5, np.float32)
            past = np.concatenate([np.zeros((2, low, 5)), x], 1)
            count = low + 5
            total = b + sum(weight[:, w] * past[:, w : w + count] for w in range(4))
            grad = self.draw(2, count, 5)
            share = 1 / (1 + np.exp(-total))
            problem = ActivationGradient(2, 5, 8, 4, low, order, "f32", bias)
            run = conv.load(conv.compile(problem, "sim:gfx942"), device="sim:gfx942")[problem.function]
            if order == "NCW":
                first = [np.ascontiguousarray(tokens.swapaxes(1, 2)) for tokens in (x, grad)]
                y = run(first[0], weight[:, None], *[b] * bool(bias), first[1]).swapaxes(1, 2)
            else:
                y = run(x, weight[:, :, None], *[b] * bool(bias), grad)
            np.testing.assert_allclose(y, grad * share * (1 + total * (1 - share)), rtol=1e-4, atol=1e-5)

    def test_errors(self):
        x, kernel = self.draw(1, 5, 6), self.draw(1, 5, 6, 3)
        for message, arguments, options in (
            ("order: expects 'BTGW' or 'BTWG', but got 'BT'", (x, kernel), {"order": "BT"}),
            (r"expects x \(B, T, D\) and kernel \(B, T, G, W\), but got shapes \(5, 6\)", (x[0], kernel), {}),
            ("g: expects a number that divides the 6 channels, but got 4", (x, kernel[:, :, :4]), {}),
            ("activation: expects '', 'silu', but got 'relu'", (x, kernel), {"activation": "relu"}),
            ("dtype: expects 'f32', 'f16', 'bf16', 'i8', but got 'f64'", (x.astype(np.float64), kernel), {}),
            (r"'kernel': expects shape \(1, 5, 6, 3\).*, but got \(1, 4, 6, 3\)", (x, kernel[:, :4].copy()), {}),
            ("'kernel': expects type f32, but got f16", (x, kernel.astype(np.float16)), {}),
            (r"'input': expects strides \(30, 6, 1\)", (self.draw(1, 6, 5).swapaxes(1, 2), kernel), {}),
            ("activation: expects '' for sums of i8", (x.astype(np.int8), kernel), {"activation": "silu"}),
        ):
            with self.assertRaisesRegex(conv.Error, message):
                conv.jit.dynamic_conv(*arguments, **options)
        with self.assertRaisesRegex(conv.Refused, "at most 64 taps, but got 65") as caught:
            conv.jit.dynamic_conv(self.draw(1, 3, 2), self.draw(1, 3, 2, 65))
        self.assertEqual(caught.exception.reason, "problem-size")
        for message, options in (
            ("t: expects a positive number, but got 0", {"t": 0}),
            ("direction: expects 'forward', .*, but got 'sideways'", {"direction": "sideways"}),
            ("function: expects letters, digits and '_.$-', but got 'a\"b'", {"function": 'a"b'}),
        ):
            with self.assertRaisesRegex(conv.Error, message.replace(".$-", r"\.\$-")):
                conv.DynamicProblem(**{"b": 1, "t": 2, "d": 3, "w": 4, **options}).module()


if __name__ == "__main__":
    unittest.main()
