# RUN: conv-compile %S/../Tools/Inputs/constants.mlir --target=host,sim:gfx942 -o %t.convpack && %python %s %t.convpack
"""A layer whose artifact stores the weights takes only the image, and computes what its program says."""

import sys
import unittest

import conv
import numpy as np

PACK = sys.argv.pop()


def expected(x: np.ndarray) -> np.ndarray:
    """Compute the program of Tools/Inputs/constants.mlir in float64."""
    filter = np.arange(1.0, 9.0).reshape(4, 2)
    mean, variance = np.array([0.5, -0.25, 1.0, 0.125]), np.array([1.0, 2.0, 3.0, 0.25])
    gamma, beta = np.array([1.0, 0.75, 1.25, 2.0]), np.array([0.25, 0.5, -1.0, 0.0])
    sums = np.einsum("kc,nchw->nkhw", filter, x.astype(np.float64))
    channel = (slice(None), None, None)
    scaled = (sums - mean[channel]) / np.sqrt(variance + 1e-5)[channel] * gamma[channel] + beta[channel]
    return np.maximum(scaled, 0)


class Constants(unittest.TestCase):
    def test_calls_pass_no_weights(self) -> None:
        x = np.random.default_rng(0).standard_normal((1, 2, 5, 5), dtype=np.float32)
        for device in ("host", "sim:gfx942"):
            layer = conv.load(PACK, device)["layer"]
            self.assertEqual([argument.name for argument in layer.arguments], ["x", "output"])
            np.testing.assert_allclose(layer(x), expected(x), rtol=1e-5, atol=1e-5)

    def test_a_file_in_memory_is_not_kept(self) -> None:
        with open(PACK, "rb") as file:
            content = bytearray(file.read())
        layer = conv.load(content, "host")["layer"]
        content[:] = bytes(len(content))
        x = np.ones((1, 2, 5, 5), dtype=np.float32)
        np.testing.assert_allclose(layer(x), expected(x), rtol=1e-5, atol=1e-5)

    def test_entries_list_them(self) -> None:
        constants = conv.load(PACK).entries[0].constants
        self.assertEqual(
            [(constant.tensor.name, constant.tensor.shape) for constant in constants],
            [("filter", (4, 2, 1, 1))] + [(name, (4,)) for name in ("bias", "bias_1", "bias_2", "bias_3")],
        )


unittest.main()
