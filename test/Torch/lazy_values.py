# RUN: %torch-python %s
"""Tensors whose values are not in memory: PyTorch negates (`x.conj().imag`) and zeroes some lazily."""

import unittest

import torch
import torch.nn.functional as F
from close import DEVICE_NAME, assert_close, assert_conv_ran

import conv
import conv.torch
import conv.torch.functional as CF


def negated(tensor):
    """The same values, which memory has with the other sign."""
    return torch._neg_view(tensor.neg())


class LazyValues(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.x, self.w, self.b = torch.randn(2, 3, 7, 5), torch.randn(4, 3, 3, 3), torch.randn(4)

    def test_operands(self):
        residual = torch.randn(2, 4, 5, 3)
        exact = F.conv2d(*(tensor.double() for tensor in (self.x, self.w, self.b))) + residual.double()
        operands = [self.x, self.w, self.b, residual]
        for place in range(4):
            given = [negated(tensor) if at == place else tensor for at, tensor in enumerate(operands)]
            self.assertTrue(given[place].is_neg())
            for context in (torch.no_grad, torch.enable_grad, torch.inference_mode):
                with context():
                    for _ in range(2):  # The second call takes the short way.
                        assert_close(CF.convolution(*given), exact)
                    window = [1, 1], [0, 0], [0, 0], [1, 1], False, [0, 0], 1
                    assert_close(torch.ops.conv.convolution(*given[:3], *window, residual=given[3]), exact)

    def test_imaginary_part_of_a_conjugate(self):
        x = torch.randn(2, 3, 7, 5, dtype=torch.complex64).conj().imag
        self.assertTrue(x.is_neg())
        assert_close(CF.conv2d(x, self.w), F.conv2d(x.double(), self.w.double()))

    def test_gradients(self):
        for lazy in (negated, torch.clone):
            x, w = lazy(self.x).requires_grad_(), self.w.clone().requires_grad_()
            start = negated(torch.randn(2, 4, 5, 3))
            grads = torch.autograd.grad(CF.conv2d(x, w), (x, w), start)
            exact = [tensor.detach().double().requires_grad_() for tensor in (x, w)]
            expected = torch.autograd.grad(F.conv2d(*exact), exact, start.double())
            for grad, reference in zip(grads, expected):
                assert_close(grad, reference)

    def test_zeros_without_memory(self):
        zeros = torch._efficientzerotensor(2, 3, 7, 5, device=self.x.device)
        with torch.no_grad():
            self.assertTrue(torch.equal(CF.conv2d(zeros, self.w), torch.zeros(2, 4, 5, 3)))

    def test_freed_storage(self):
        """Frameworks that shard parameters free them between uses. Reading one is an error, as for PyTorch."""
        weight = torch.nn.Parameter(self.w.clone())
        CF.conv2d(self.x, weight)
        weight.untyped_storage().resize_(0)
        for context in (torch.no_grad, torch.enable_grad):
            for function in (F.conv2d, CF.conv2d):
                with context(), self.assertRaises(RuntimeError):
                    function(self.x, weight)
        # A parameter may be a part of a storage that several share.
        shared = torch.cat([torch.zeros(64), self.w.flatten()])
        part = shared[64:].view_as(self.w)
        assert_close(CF.conv2d(self.x, part), F.conv2d(self.x.double(), self.w.double()))
        shared.untyped_storage().resize_(0)
        for context in (torch.no_grad, torch.enable_grad):
            for function in (F.conv2d, CF.conv2d):
                with context(), self.assertRaises(RuntimeError):
                    function(self.x, part)
        weight.untyped_storage().resize_(4 * weight.numel())
        weight.data.copy_(self.w)
        assert_close(CF.conv2d(self.x, weight).detach(), F.conv2d(self.x.double(), self.w.double()))

    def test_token_mixing(self):
        x, kernel, weight = torch.randn(2, 9, 8), torch.randn(2, 9, 8, 3), torch.randn(8, 3)
        expected = conv.torch.dynamic_conv(x, kernel)
        self.assertTrue(torch.equal(conv.torch.dynamic_conv(negated(x), kernel), expected))
        self.assertTrue(torch.equal(conv.torch.dynamic_conv(x, negated(kernel)), expected))
        x = x.transpose(1, 2).contiguous()
        expected = conv.torch.causal_conv1d_fn(x, weight)
        self.assertTrue(torch.equal(conv.torch.causal_conv1d_fn(negated(x), negated(weight)), expected))

    def test_updated_states(self):
        """A state that is a negation is updated like any other."""
        x, weight, state = torch.randn(2, 8), torch.randn(8, 3), torch.randn(2, 8, 2)
        lazy = negated(state)
        for _ in range(2):
            results = [conv.torch.causal_conv1d_update(x, each, weight) for each in (state, lazy)]
            torch.testing.assert_close(*results)
            torch.testing.assert_close(state, lazy)

    def test_functions_of_artifacts(self):
        """A plain function takes memory, so it asks for the values."""
        problem = conv.Problem(n=2, c=3, k=4, input=(7, 5), filter=(3, 3), function="layer")
        layer = conv.load(conv.compile(problem, "host"))["layer"]
        x = negated(torch.randn(2, 7, 5, 3, device="cpu"))
        w = torch.randn(4, 3, 3, 3, device="cpu")
        for call in (lambda: layer(x, w), lambda: layer.bind(x, w, out=torch.empty(2, 5, 3, 4, device="cpu"))):
            with self.assertRaisesRegex(conv.Error, "argument 'input': expects .* lazy negation: call tensor.resolve_neg"):
                call()
        layer(x.resolve_neg(), w)

    def test_tensors_without_memory(self):
        x, w = torch.randn(2, 3, 7, 5, device="cpu"), torch.randn(4, 3, 3, 3, device="cpu")
        for other in (x.to_sparse(), x.to_mkldnn()):
            with self.assertRaisesRegex(conv.Error, "expects a tensor with its values in memory, but got one without"):
                conv.jit.conv2d(other, w)

    def test_zz_conv_ran(self):
        rows = [row for row in conv.torch.report() if row.reason not in ("alignment", "measured")]
        assert_conv_ran([row for row in rows if row.device == DEVICE_NAME or row.runs == "conv"], 5)


if __name__ == "__main__":
    unittest.main()
