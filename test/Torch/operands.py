# RUN: %torch-python %s
"""Operands that do not fit are PyTorch's error or ours, and never read beyond their end."""

import unittest
from unittest import mock

import numpy as np
import torch
import torch.nn.functional as F

import conv.torch
import conv.torch.functional as CF
from conv.torch import _measurements, causal_conv1d_fn


class Residuals(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.x, self.w = torch.randn(2, 8, 7, 5), torch.randn(8, 8, 3, 3)

    def test_shape(self):
        for shape in ((1, 8, 7, 5), (3, 8, 7, 5), (2, 8, 7, 1), (8, 7, 5)):
            with self.subTest(shape), self.assertRaisesRegex(ValueError, r"expects a residual \(2, 8, 7, 5\), but got"):
                CF.convolution(self.x, self.w, None, torch.randn(shape), padding=1)

    def test_type(self):
        with self.assertRaisesRegex(ValueError, "expects a residual of torch.float32, as the input, but got torch.float64"):
            CF.convolution(self.x, self.w, None, self.x.double(), padding=1)

    def test_vmap(self):
        images, residual = torch.randn(3, 2, 8, 7, 5), torch.randn(2, 8, 7, 5)
        result = torch.vmap(lambda x: CF.convolution(x, self.w, None, residual, padding=1))(images)
        expected = torch.stack([torch.nn.functional.conv2d(x, self.w, padding=1) + residual for x in images])
        torch.testing.assert_close(result, expected, rtol=2e-5, atol=2e-5)


class Others(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.x, self.w = torch.randn(2, 8, 7, 5), torch.randn(4, 8, 3, 3)
        self.window = [1, 1], [0, 0], [0, 0], [1, 1], False, [0, 0], 1

    def test_what_the_raw_operator_gets(self):
        run = torch.ops.conv.convolution
        for weight, bias in ((self.w, torch.randn(2)), (self.w[:, :4], None), (self.w, torch.randn(4, 1))):
            with self.subTest((weight.shape, bias)), self.assertRaises(RuntimeError):
                run(self.x, weight.contiguous(), bias, *self.window)

    def test_a_bias_of_double(self):
        bias = torch.randn(4, dtype=torch.float64)
        result = torch.ops.conv.convolution(self.x, self.w, bias, *self.window)
        expected = torch.nn.functional.conv2d(self.x, self.w, bias.float())
        torch.testing.assert_close(result, expected, rtol=2e-5, atol=2e-5)

    def test_no_channels(self):
        """PyTorch's result has no channels either, but the gradient of the bias has its size."""
        for function in (CF.conv2d, F.conv2d):
            x, w, b = (torch.randn(*shape, requires_grad=True) for shape in ((2, 0, 6, 5), (4, 0, 3, 3), (4,)))
            result = function(x, w, b)
            grads = torch.autograd.grad(result.sum(), (x, w, b))
            self.assertEqual(result.shape, (2, 0, 4, 3))
            self.assertEqual([grad.shape for grad in grads], [x.shape, w.shape, b.shape])

    def test_max_error(self):
        with self.assertRaisesRegex(ValueError, "expects max_error to be finite and 0 or more, but got nan"):
            CF.conv2d(self.x, self.w, max_error=float("nan"))


class Examples(unittest.TestCase):
    """A tensor is a sequence of its images, but no example."""

    def test_what_is_no_tuple(self):
        x, model = torch.randn(1, 2, 5, 5), torch.nn.Conv2d(2, 2, 3)
        for call in (
            conv.torch.optimize,
            conv.torch.warmup,
            conv.torch.report,
            lambda model, example: conv.torch.save(model, example, "none"),
            lambda model, example: conv.torch.compile_kernels(model, example, "host"),
        ):
            with self.assertRaisesRegex(TypeError, r"expects an example that is a tuple .* such as \(x,\), but got Tensor"):
                call(model, x)
            with self.assertRaisesRegex(TypeError, "expects a model that is a torch.nn.Module, but got function"):
                call(F.relu, (x,))

    def test_without_data(self):
        x, model = torch.randn(1, 2, 5, 5), torch.nn.Conv2d(2, 2, 3)
        for given in ((model, (x.to("meta"),)), (torch.nn.Conv2d(2, 2, 3, device="meta"), (x,))):
            with self.assertRaisesRegex(ValueError, "expects a model and an example with data, but got tensors on meta"):
                conv.torch.optimize(*given)


class Sizes(unittest.TestCase):
    """Only integers that kernels take reach one; PyTorch's function refuses all others."""

    def setUp(self):
        self.x, self.w = torch.ones(1, 2, 5, 5), torch.ones(2, 2, 3, 3)

    def test_what_pytorch_refuses(self):
        for options in (
            *({name: value} for name in ("stride", "padding", "dilation") for value in (1.0, (1.5, 1), True, 1 << 64 | 1)),
            {"groups": True},
            {"bias": 1.0},
        ):
            for ours, theirs in ((CF.conv2d, F.conv2d), (CF.conv_transpose2d, F.conv_transpose2d)):
                with self.subTest((ours.__name__, options)):
                    with self.assertRaises(Exception) as expected:
                        theirs(self.x, self.w, **options)
                    with self.assertRaises(type(expected.exception)):
                        ours(self.x, self.w, **options)

    def test_nested_tensors(self):
        nested = torch.nested.nested_tensor([torch.ones(2, 5, 5), torch.ones(2, 5, 5)])
        with self.assertRaises(NotImplementedError):
            CF.conv2d(nested, self.w)

    def test_unknown_settings(self):
        with self.assertRaisesRegex(AttributeError, "expects a setting enabled, measure, .*, but got 'measured'"):
            conv.torch.settings.measured = True

    def test_other_integers(self):
        one = np.int64(1)
        for stride in (one, (one, 1), torch.tensor(1)):
            self.assertEqual(CF.conv2d(self.x, self.w, stride=stride, padding=[1]).shape, (1, 2, 5, 5))

    def test_one_kernel(self):
        for stride in (1.0, 1 << 64 | 1, (1, 1, 1)):
            with self.assertRaisesRegex(ValueError, "expects stride, padding and dilation of one integer or 2, but got"):
                CF.convolution(self.x, self.w, stride=stride)
        with self.assertRaisesRegex(ValueError, r"expects images \(N, C, ...\)"):
            CF.convolution(self.x[0, 0], self.w[0, 0])


class Layouts(unittest.TestCase):
    """PyTorch's rule for the memory of results looks at strides alone, also at those of dimensions of size 1."""

    def test_results(self):
        last, filters = torch.channels_last, torch.ones(2, 1, 3, 3)
        wide = torch.ones(2, 4, 5, 6).to(memory_format=last)
        images = {
            "one channel": torch.ones(2, 1, 5, 6).as_strided((2, 1, 5, 6), (30, 1, 6, 1)),
            "one channel, contiguous": torch.ones(2, 1, 5, 6),
            "one channel of several": wide[:, 1:2],
            "the same channel": torch.ones(2, 1, 5, 6).expand(2, 3, 5, 6),
            "some channels": wide[:, :3],
            "one row": torch.ones(2, 5, 4).transpose(1, 2).unsqueeze(2),
        }
        for name, image in images.items():
            for weight in (filters, filters.to(memory_format=last)):
                weight = weight.expand(2, image.shape[1], 3, 3) if image.shape[1] > 1 else weight
                with self.subTest((name, weight.stride())):
                    expected = F.conv2d(image, weight, padding=1)
                    self.assertEqual(CF.conv2d(image, weight, padding=1).stride(), expected.stride())


class Measurements(unittest.TestCase):
    def test_large_layers_are_measured_on_the_cpu(self):
        """PyTorch runs a layer of the CPU whose kernel is slower; timing small ones would take longer than it can save."""
        for size, runs in ((48, "torch"), (16, "torch"), (8, "conv")):
            layer = conv.torch.Conv2d(8, 23, (3, 5))
            with mock.patch.object(_measurements, "measure", return_value=(2.0, 1.0)):
                layer(torch.randn(2, 8, size, size))
            [row] = [row for row in conv.torch.report() if f"2x8x{size}x{size} -> 23" in row.problem]
            self.assertEqual((row.runs, row.reason), (runs, "measured" if runs == "torch" else ""))


class Numbers(unittest.TestCase):
    """`seq_idx` may give the same number to several sequences."""

    def setUp(self):
        torch.manual_seed(0)
        self.numbers = torch.tensor([[0, 0, 1, 0, 0, 0, 1, 1, 0], [2, -1, 2, 2, -1, -1, 2, 0, 2]])
        apart = [[0, 0, 1, 2, 2, 2, 3, 3, 4], [0, -1, 1, 1, -1, -1, 2, 3, 4]]
        self.apart = torch.tensor(apart)
        self.x, self.w = torch.randn(2, 8, 9), torch.randn(8, 4)
        conv.torch.settings.measure = False
        self.addCleanup(setattr, conv.torch.settings, "measure", None)
        self.addCleanup(setattr, conv.torch.settings, "enabled", True)

    def run_with(self, numbers, create_graph):
        x, w = (tensor.transpose(1, 2).contiguous().transpose(1, 2) for tensor in (self.x, self.w[None]))
        x, w = x.requires_grad_(), w[0].contiguous().requires_grad_()
        y = causal_conv1d_fn(x, w, None, numbers, activation="silu")
        return y.detach(), *torch.autograd.grad(y.square().sum(), (x, w), create_graph=create_graph)

    def test_numbers_that_recur(self):
        for enabled in (True, False):
            conv.torch.settings.enabled = enabled
            for create_graph in (False, True):
                with self.subTest((enabled, create_graph)):
                    ours = self.run_with(self.numbers, create_graph)
                    theirs = self.run_with(self.apart, create_graph)
                    torch.testing.assert_close(ours, theirs, rtol=2e-5, atol=2e-5)


if __name__ == "__main__":
    unittest.main()
