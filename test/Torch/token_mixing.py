# RUN: %torch-python %s
"""The blocks of examples/token_mixing.py, trained for 200 steps beside plain PyTorch."""

import copy
import pathlib
import sys
import unittest

import torch
import torch.nn.functional as F
from close import DEVICE, assert_conv_ran

import conv.torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))
import token_mixing  # noqa: E402

STEPS, WIDTH, TOKENS = 200, 12, 11


def plain_dynamic_conv(x, kernel, activation):
    taps = kernel.shape[3]
    windows = F.pad(x, (0, 0, taps - 1, 0)).unfold(1, taps, 1)
    return F.silu((windows * kernel).sum(-1))


def plain_causal_conv1d(x, weight, bias, activation):
    padded = F.pad(x, (weight.shape[1] - 1, 0))
    return F.silu(F.conv1d(padded, weight[:, None], bias, groups=x.shape[1]))


class TokenMixing(unittest.TestCase):
    def compare(self, block, name, plain):
        """The losses match f64 within a few units in the last place of an f32, as those of PyTorch in f32 do.

        On the CPU one thread computes the losses, and they must be equal in each run. With several threads they varied from
        run to run; the likely reason is the order of sums in PyTorch's operators, which 200 steps of training amplify.
        """
        torch.manual_seed(0)
        torch.set_num_threads(1)
        conv.torch.settings.measure = False
        tokens = torch.randint(TOKENS, (3, 14))
        ours = token_mixing.Model(block(WIDTH), WIDTH, TOKENS)
        theirs = copy.deepcopy(ours)
        setattr(theirs.block, name, plain)
        exact = copy.deepcopy(theirs).double()
        again = copy.deepcopy(ours)
        runs = [
            torch.tensor(token_mixing.train(model, tokens, STEPS), dtype=torch.float64)
            for model in (ours, theirs, exact)
        ]
        if DEVICE == "cpu":
            self.assertEqual(token_mixing.train(again, tokens, STEPS), runs[0].tolist())
        our_error, their_error = ((run - runs[2]).abs().max().item() for run in runs[:2])
        print(
            f"{block.__name__}: loss {runs[2][0]:.3f} to {runs[2][-1]:.3g}, off by {our_error:.1e}, PyTorch by {their_error:.1e}"
        )
        self.assertLess(runs[0][-1], runs[0][0] / 10)
        bound = 8 * 2**-22  # Losses start between 2 and 4, where 2**-22 is a unit in the last place.
        if DEVICE != "cpu":  # On a GPU, PyTorch sums f32 in another order than f64, and training amplifies the difference.
            bound = max(bound, 2 * their_error)
        self.assertLess(our_error, bound)

    def test_jet_block(self):
        self.compare(token_mixing.JetBlock, "dynamic_conv", plain_dynamic_conv)

    def test_mamba_block(self):
        self.compare(token_mixing.MambaBlock, "causal_conv1d", plain_causal_conv1d)

    def test_zz_conv_ran(self):
        assert_conv_ran(conv.torch.report(), 8)


if __name__ == "__main__":
    unittest.main()
