# RUN: %python %s
"""A measured result is compared as docs/numerics.md says, with the products in place of what transforms add up."""

import unittest

import numpy as np
from conv import ErrorBound
from conv.tune.rule import worst_error

U = 2.0**-24
#: Two elements: their exact sums, the sums of their absolute products, and those of the epilogue's absolute operands.
EXPECTED = np.array([1.0, -4.0])
PRODUCTS = np.array([2.0, 8.0])
ADDED = np.array([0.0, 16.0])


def share(errors, bound, dtype="f32"):
    """The worst error of two results that are off by `errors`."""
    return worst_error(np, EXPECTED + np.array(errors), EXPECTED, PRODUCTS, ADDED, dtype, bound)


class Rule(unittest.TestCase):
    def test_transforms_count_products(self):
        # 100 + 20 roundings of the products; the last rounding is left out.
        bound = ErrorBound(accumulation=100, output_ulp=0, transforms=20)
        self.assertAlmostEqual(share([120 * U * 2, 0], bound), 1)
        self.assertAlmostEqual(share([0, 60 * U * 8], bound), 0.5)
        without = ErrorBound(accumulation=100, output_ulp=0)
        self.assertAlmostEqual(share([120 * U * 2, 0], without), 1.2)

    def test_terms_add_up(self):
        bound = ErrorBound(accumulation=100, output_ulp=0.5, transforms=20, operands=2, constant=64)
        ulp = 2.0**-21  # Of 4, in f32.
        allowed = 0.5 * ulp + U * (120 * 8 + 2 * 16 + 64)
        self.assertAlmostEqual(share([0, allowed], bound), 1)
        self.assertAlmostEqual(share([0, -2 * allowed], bound), 2)

    def test_ulp_of_the_type(self):
        bound = ErrorBound(accumulation=0, output_ulp=0.5)
        for dtype, digits in (("bf16", 8), ("f16", 11), ("f32", 24), ("tf32", 24)):
            self.assertEqual(share([2.0**-digits, 0], bound, dtype), 1, dtype)

    def test_nan_is_the_worst(self):
        bound = ErrorBound(accumulation=100, output_ulp=0.5)
        self.assertEqual(share([float("nan"), 0], bound), float("inf"))

    def test_integers_are_exact(self):
        bound = ErrorBound(accumulation=100, output_ulp=0.5)
        self.assertEqual(share([0, 0], bound, "i32"), 0)
        self.assertEqual(share([0, 1], bound, "i32"), float("inf"))


if __name__ == "__main__":
    unittest.main()
