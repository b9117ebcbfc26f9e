# RUN: %torch-python %s
"""The operators of conv under PyTorch's compilers and transformations."""

import unittest

import close
import torch
import torch.nn.functional as F

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
            torch.library.opcheck(
                torch.ops.conv.convolution_backward.default,
                (grad, x.detach(), self.w.detach(), *window, "zeros", [True, True, True]),
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


if __name__ == "__main__":
    unittest.main()
