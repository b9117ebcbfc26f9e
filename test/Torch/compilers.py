# RUN: %torch-python %s
"""The operators of conv under PyTorch's compilers and transformations."""

import copy
import functools
import unittest

import close
import torch
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode

import conv.torch
import conv.torch.functional as CF


class Compilers(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.x = torch.randn(2, 4, 7, 9, requires_grad=True)
        self.w = torch.randn(6, 2, 3, 3, requires_grad=True)
        self.b = torch.randn(6, requires_grad=True)

    def test_operator_is_sound(self):
        window = ([2, 1], [1, 0], [1, 0], [1, 1], False, [0, 0], 2)
        for last in (False, True):
            memory_format = torch.channels_last if last else torch.contiguous_format
            x = self.x.detach().to(memory_format=memory_format).requires_grad_()
            torch.library.opcheck(torch.ops.conv.convolution.default, (x, self.w, self.b, *window))
            torch.library.opcheck(torch.ops.conv.convolution.default, (x, self.w, None, *window, "circular"))
            grad = torch.randn(2, 6, 4, 7)
            for dtype in (None, torch.bfloat16):
                torch.library.opcheck(
                    torch.ops.conv.convolution_backward.default,
                    (grad, x.detach(), self.w.detach(), *window, "zeros", [True, True, True]),
                    {"weight_dtype": dtype},
                )

    def test_compile(self):
        """torch.compile captures one graph, also if gradients are needed, and no further graph for the same shapes."""
        graphs = []

        def backend(graph, example):
            graphs.append(graph)
            return graph.forward

        def network(x, w, b):
            return CF.conv2d(x, w, b, padding=1, groups=2).relu()

        compiled = torch.compile(network, fullgraph=True, backend=backend)
        for _ in range(3):
            grads = torch.autograd.grad(compiled(self.x, self.w, self.b).sum(), (self.x, self.w, self.b))
        self.assertEqual(len(graphs), 1)
        expected = F.conv2d(self.x, self.w, self.b, padding=1, groups=2).relu().sum()
        for ours, theirs in zip(grads, torch.autograd.grad(expected, (self.x, self.w, self.b))):
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)

    def test_aot_autograd(self):
        compiled = torch.compile(
            lambda x, w, b: CF.conv2d(x, w, b, padding=1, groups=2).sigmoid(), fullgraph=True, backend="aot_eager"
        )
        grads = torch.autograd.grad(compiled(self.x, self.w, self.b).sum(), (self.x, self.w, self.b))
        expected = F.conv2d(self.x, self.w, self.b, padding=1, groups=2).sigmoid().sum()
        for ours, theirs in zip(grads, torch.autograd.grad(expected, (self.x, self.w, self.b))):
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)

    def test_autocast(self):
        """A region of autocast is part of the one graph that torch.compile and torch.export capture."""

        class Region(torch.nn.Module):
            def forward(self, x, w, b):
                with torch.autocast(close.DEVICE, torch.bfloat16):
                    return CF.conv2d(x, w, b, padding=1, groups=2)

        given = self.x, self.w, self.b
        expected = Region()(*given)
        compiled = torch.compile(Region(), fullgraph=True, backend="aot_eager")(*given)
        torch.testing.assert_close(compiled, expected, rtol=0.02, atol=0.02)
        compiled.float().sum().backward()
        self.assertEqual(self.w.grad.dtype, torch.float32)
        program = torch.export.export(Region(), tuple(tensor.detach() for tensor in given), strict=True)
        torch.testing.assert_close(program.module()(*given), expected, rtol=0.02, atol=0.02)

    def test_dynamic_shapes(self):
        compiled = torch.compile(
            lambda x, w: CF.conv2d(x, w, groups=2), fullgraph=True, backend="aot_eager", dynamic=True
        )
        for batch in (2, 3, 5):
            x = torch.randn(batch, 4, 7, 9)
            torch.testing.assert_close(compiled(x, self.w), F.conv2d(x, self.w, groups=2), rtol=1e-4, atol=1e-4)

    def test_export(self):
        module = torch.nn.Sequential(conv.torch.Conv2d(4, 6, 3), torch.nn.ReLU(), conv.torch.ConvTranspose2d(6, 2, 2))
        program = torch.export.export(module, (self.x.detach(),))
        self.assertEqual(sum("conv.convolution" in str(node.target) for node in program.graph.nodes), 2)
        torch.testing.assert_close(program.module()(self.x.detach()), module(self.x.detach()))

    def test_meta(self):
        y = CF.conv2d(torch.empty(2, 4, 7, 9, device="meta"), torch.empty(6, 2, 3, 3, device="meta"), groups=2)
        self.assertEqual((y.shape, y.device.type), ((2, 6, 5, 7), "meta"))

    def test_vmap(self):
        images = torch.randn(3, 1, 4, 7, 9)
        filters = torch.randn(3, 6, 2, 3, 3)
        convolve = torch.vmap(lambda x: CF.conv2d(x, self.w, groups=2))
        torch.testing.assert_close(convolve(images), torch.stack([F.conv2d(x, self.w, groups=2) for x in images]))
        convolve = torch.vmap(lambda x, w: CF.conv2d(x, w, groups=2))
        each = torch.stack([F.conv2d(x, w, groups=2) for x, w in zip(images, filters)])
        torch.testing.assert_close(convolve(images, filters), each, rtol=1e-4, atol=1e-4)

    def test_functional_gradients(self):
        grad = torch.func.grad(lambda w: CF.conv2d(self.x.detach(), w, groups=2).square().sum())(self.w.detach())
        expected = torch.func.grad(lambda w: F.conv2d(self.x.detach(), w, groups=2).square().sum())(self.w.detach())
        torch.testing.assert_close(grad, expected, rtol=1e-4, atol=1e-3)

    def both_ways(self, transform):
        """The transformed function of conv, called by its function and as an operator, and that of PyTorch."""
        window = [1, 1], [0, 0], [0, 0], [1, 1], False, [0, 0], 2
        expected = transform(lambda x, w: F.conv2d(x, w, groups=2))
        for ours in (
            lambda x, w: CF.conv2d(x, w, groups=2),
            lambda x, w: torch.ops.conv.convolution(x, w, None, *window),
        ):
            torch.testing.assert_close(transform(ours), expected, rtol=1e-4, atol=1e-3)

    def test_transforms_of_transforms(self):
        x, w, images = self.x.detach(), self.w.detach(), torch.randn(3, 1, 4, 7, 9)

        def loss(f, x, w):
            return f(x, w).square().sum()

        self.both_ways(lambda f: torch.func.grad(lambda w: torch.vmap(lambda x: loss(f, x, w))(images).sum())(w))
        self.both_ways(lambda f: torch.vmap(torch.func.grad(lambda x: loss(f, x, w)))(images))
        self.both_ways(lambda f: torch.func.jvp(torch.vmap(lambda x: f(x, w)), (images,), (images,)))
        self.both_ways(lambda f: torch.func.functionalize(torch.func.grad(lambda w: loss(f, x, w)))(w))
        per_sample = torch.vmap(torch.func.grad(lambda x: loss(lambda x, w: CF.conv2d(x, w, groups=2), x, w)))
        torch.testing.assert_close(torch.compile(per_sample, backend="aot_eager")(images), per_sample(images))

    def test_transforms_of_sequences(self):
        """Transforms without a rule see a composition of PyTorch's operators."""
        x, w = torch.randn(2, 8, 5), torch.randn(8, 3)
        tokens, kernel = x.mT.contiguous(), torch.randn(2, 5, 4, 3)

        def plain(x, w):
            return F.silu(F.conv1d(F.pad(x, (2, 0)), w[:, None], groups=8))

        def plain_dynamic(x, kernel):
            return (F.pad(x, (0, 0, 2, 0)).unfold(1, 3, 1).unflatten(2, (4, 2)) * kernel[:, :, :, None]).sum(-1).flatten(2)

        causal = functools.partial(conv.torch.causal_conv1d_fn, activation="silu")
        for ours, theirs, first, second in (
            (causal, plain, x, w),
            (conv.torch.dynamic_conv, plain_dynamic, tokens, kernel),
        ):
            for transform in (
                lambda f: torch.func.jvp(lambda x: f(x, second), (first,), (first,)),
                lambda f: torch.func.jvp(torch.vmap(lambda x: f(x, second)), (first[None],), (first[None],)),
                lambda f: torch.func.grad(lambda w: torch.vmap(lambda x: f(x, w))(first[None]).square().sum())(second),
                lambda f: torch.vmap(torch.func.grad(lambda x: f(x, second).square().sum()))(first[None]),
            ):
                torch.testing.assert_close(transform(ours), transform(theirs), rtol=1e-4, atol=1e-4)

    def test_graphs_of_transforms(self):
        """A graph that is traced through torch.func computes its convolutions, also in the forward pass."""
        x, w = self.x.detach(), self.w.detach()

        def gradient(x):
            return torch.func.grad(lambda w: CF.conv2d(x, w, groups=2).square().sum())(w)

        graph = make_fx(gradient)(x)
        torch.testing.assert_close(graph(2 * x), gradient(2 * x))
        w = w.to("meta")
        self.assertEqual(gradient(x.to("meta")).shape, w.shape)

    def test_vmap_under_autocast(self):
        """Like PyTorch's, a batch of convolutions is not cast, so that batch norms get the types that they take."""
        images = torch.randn(3, 2, 4, 7, 9)
        with torch.autocast("cpu", torch.bfloat16):
            self.both_ways(lambda f: torch.vmap(lambda x: f(x, self.w.detach()))(images))
            batch = torch.vmap(lambda x: CF.conv2d(x, self.w.detach(), groups=2))
            compiled = torch.compile(batch, backend="aot_eager", fullgraph=True)
            torch.testing.assert_close(compiled(images), batch(images), rtol=1e-4, atol=1e-4)
            network = torch.nn.Sequential(conv.torch.Conv2d(4, 4, 3), torch.nn.BatchNorm2d(4)).eval()
            self.assertEqual(torch.vmap(network)(images).dtype, torch.float32)

    def test_gradients_of_padding_below_a_mode(self):
        """A mode sees PyTorch's own operators, below which there is no graph of gradients."""
        x = self.x.detach().double().requires_grad_()
        for mode in ("zeros", "reflect", "replicate", "circular"):
            size = 4 if mode == "zeros" else 3
            layer = conv.torch.Conv2d(4, 2, size, padding="same", padding_mode=mode).double()
            (expected,) = torch.autograd.grad(layer(x).square().sum(), x)
            x.grad = None
            with FlopCounterMode(display=False):
                layer(x).square().sum().backward()
            torch.testing.assert_close(x.grad, expected)
            self.assertTrue(torch.autograd.gradgradcheck(layer, x, fast_mode=True, atol=1e-4))

    def test_flop_counter(self):
        """PyTorch counts the same operations for conv's operators as for its own, with gradients and in compiled code."""
        network = torch.nn.Sequential(torch.nn.Conv2d(4, 6, 3, groups=2), torch.nn.ConvTranspose2d(6, 4, 2, 2))
        x = self.x.detach()
        ours = copy.deepcopy(network)
        conv.torch.replace(ours)

        def count(run):
            with FlopCounterMode(display=False) as counter:
                run()
            return counter.get_total_flops()

        expected = count(lambda: network(x).sum().backward())
        self.assertGreater(expected, 0)
        for one in (ours, torch.compile(ours, backend="aot_eager")):
            self.assertEqual(count(lambda one=one: one(x).sum().backward()), expected)
        with torch.no_grad():
            fast = conv.torch.optimize(ours, (x,), compile_rest=False)
            self.assertEqual(count(lambda: fast(x)), count(lambda: network(x)))
            for backend in ("aot_eager", "inductor"):
                compiled = torch.compile(conv.torch.optimize(ours, (x,)), backend=backend)
                for _ in range(2):  # Dynamo traces inside the first counter, and not inside the second.
                    self.assertEqual(count(lambda compiled=compiled: compiled(x)), count(lambda: network(x)))
        tokens, filters = torch.randn(2, 8, 5, requires_grad=True), torch.randn(8, 3, requires_grad=True)
        products = 2 * tokens.numel() * 3
        self.assertEqual(count(lambda: conv.torch.causal_conv1d_fn(tokens, filters).sum().backward()), 3 * products)
        state = torch.zeros(2, 8, 2)
        self.assertEqual(count(lambda: conv.torch.causal_conv1d_update(tokens[:, :, 0], state, filters)), products // 5)
        kernel = torch.randn(2, 5, 4, 3, requires_grad=True)
        self.assertEqual(count(lambda: conv.torch.dynamic_conv(tokens.mT, kernel).sum().backward()), 3 * products)

    def test_optimized_layers(self):
        """torch.compile captures one graph of a module that has an optimized model as a layer."""
        network = torch.nn.Sequential(torch.nn.Conv2d(4, 6, 3), torch.nn.Dropout()).eval()
        x = self.x.detach()
        for compile_rest in (False, True):
            optimized = conv.torch.optimize(network, (x,), compile_rest=compile_rest)
            outer = torch.nn.Sequential(optimized, torch.nn.ReLU())
            with torch.no_grad():
                compiled = torch.compile(outer, fullgraph=True, backend="eager")
                torch.testing.assert_close(compiled(x), network(x).relu())
            with self.assertRaisesRegex(ValueError, "input 0: expects the shape"):
                outer(x[:, :, 1:])


if __name__ == "__main__":
    unittest.main()
