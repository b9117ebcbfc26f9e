# RUN: rm -rf %t && mkdir %t && %torch-python %s %t
"""Which operators around a convolution are folded into it: their order decides, and no order may change a result."""

import itertools
import sys
import unittest
import warnings

import torch
import torch.nn.functional as F

import conv
import conv.torch
from conv.torch import _optimize

FOLDER = sys.argv.pop()
OPERATORS = ("norm", "residual", "relu", "silu")


class Chain(torch.nn.Module):
    """A convolution and the operators after it."""

    def __init__(self, names):
        super().__init__()
        self.names, self.conv = names, torch.nn.Conv2d(3, 3, 3, padding=1)
        self.norms = torch.nn.ModuleList(torch.nn.BatchNorm2d(3) for name in names if name == "norm")
        for norm in self.norms:
            norm.running_mean.normal_()
            norm.running_var.uniform_(0.5, 2)
            torch.nn.init.uniform_(norm.weight, -1.5, 1.5)

    def forward(self, x):
        norms, y = iter(self.norms), self.conv(x)
        for name in self.names:
            y = next(norms)(y) if name == "norm" else y + x if name == "residual" else getattr(F, name)(y)
        return y


class Orders(torch.nn.Module):
    def __init__(self, chains):
        super().__init__()
        self.chains = torch.nn.ModuleList(map(Chain, chains))

    def forward(self, x):
        return [chain(x) for chain in self.chains]


class Memory(torch.nn.Module):
    """Operators that see the order of their operand in memory."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)

    def forward(self, x):
        y = self.conv(x)
        pairs = y.reshape(*y.shape[:-1], y.shape[-1] // 2, 2).contiguous()
        return torch.as_strided(y, (2, 8), (8, 1)), torch.view_as_real(torch.view_as_complex(pairs)), y.view(torch.int32)


class Fold(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def check(self, model, *example):
        """The folded graph itself, without what `optimize` does if a result differs."""
        model.eval()
        with torch.no_grad():
            expected = model(*example)
            graph = _optimize.graph_of(model, example, channels_last=True, max_error=0.0)
            results = graph(*example)
        torch.testing.assert_close(results, expected, rtol=2e-5, atol=2e-5)
        return graph

    def test_orders(self):
        chains = [names for length in (1, 2, 3) for names in itertools.product(OPERATORS, repeat=length)]
        graph = self.check(Orders(chains), torch.randn(2, 3, 6, 5))
        activations = sum(node.target in (torch.ops.aten.relu.default, torch.ops.aten.silu.default) for node in graph.graph.nodes)
        self.assertLess(activations, sum(name in ("relu", "silu") for chain in chains for name in chain))

    def test_reads_of_memory(self):
        self.check(Memory(), torch.randn(2, 3, 6, 6))

    def test_an_image_without_a_batch(self):
        self.check(torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU()), torch.randn(3, 6, 5))

    def test_double(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)).double().eval()
        model[1].running_mean.normal_()
        x = torch.randn(2, 3, 6, 5, dtype=torch.float64)
        graph = _optimize.graph_of(model, (x,), channels_last=True, max_error=0.0)
        torch.testing.assert_close(graph(x), model(x), rtol=1e-13, atol=1e-13)

    def test_modes(self):
        x = torch.randn(2, 3, 6, 5)
        fast = conv.torch.optimize(torch.nn.Conv2d(3, 4, 3), (x,), compile_rest=False)
        outer = torch.nn.Sequential(fast, torch.nn.ReLU())
        self.assertEqual(outer.eval()(x).shape, outer.train()(x).shape)


class Targets(unittest.TestCase):
    def test_tf32_is_a_permission(self):
        """PyTorch allows tf32 by default, also for chips that have none."""
        model, example = torch.nn.Conv2d(8, 8, 1).eval(), (torch.randn(1, 8, 4, 4),)
        kernels, refused = conv.torch.compile_kernels(model, example, "gfx942,gfx90a,host")
        targets = {entry.target for entry in conv.load(kernels).entries}
        self.assertEqual((targets, refused), ({"gfx942", "gfx90a", "host"}, {}))

    def test_unknown(self):
        with self.assertRaisesRegex(conv.Error, "expects a target of .*, but got gfx9999"):
            conv.torch.save(torch.nn.Conv2d(8, 8, 1).eval(), (torch.randn(1, 8, 4, 4),), f"{FOLDER}/x", targets="host,gfx9999")


if __name__ == "__main__":
    warnings.simplefilter("ignore", UserWarning)
    unittest.main()
