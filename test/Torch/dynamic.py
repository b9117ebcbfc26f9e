# RUN: %torch-python %s
"""Dynamic convolutions and their gradients, on sizes that no tile divides, against PyTorch in f64."""

import itertools
import unittest

import torch
import torch.nn.functional as F
from close import DEVICE, DEVICE_NAME, assert_close, assert_conv_ran, pairs

import conv.torch
from conv.torch import dynamic_conv

LEFT = ("element-type", "empty", "disabled", "problem-size")  # The tests of this file give PyTorch these cases.


def normalized(kernel, normalize):
    """Normalise the taps, which are the last dimension."""
    if normalize == "softmax":
        return kernel.softmax(-1)
    return kernel / (kernel.square().sum(-1, keepdim=True) + 1e-6).sqrt() if normalize else kernel


def definition(x, kernel, order, activation, normalize=None):
    """The sum over windows, by the definition of the operation."""
    kernel = normalized(kernel if order == "BTGW" else kernel.transpose(2, 3), normalize)
    groups, taps = kernel.shape[2:]
    windows = F.pad(x, (0, 0, taps - 1, 0)).unfold(1, taps, 1).unflatten(2, (groups, -1))
    y = (windows * kernel[:, :, :, None]).sum(-1).flatten(2)
    return F.silu(y) if activation else y


def draw(*shape, dtype=torch.float32):
    return torch.randn(shape).to(dtype).requires_grad_()


def draw_kernel(b, t, g, w, order, dtype=torch.float32):
    return draw(*(b, t, g, w) if order == "BTGW" else (b, t, w, g), dtype=dtype)


class Dynamic(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def compare(self, x, kernel, order="BTGW", activation=None, normalize=None):
        result = dynamic_conv(x, kernel, order=order, activation=activation, normalize=normalize)
        exact = [tensor.detach().double().requires_grad_() for tensor in (x, kernel)]
        expected = definition(*exact, order, activation, normalize)
        assert_close(result, expected, "result")
        self.assertTrue(result.is_contiguous())
        start = torch.randn_like(result)
        grads = torch.autograd.grad(result, (x, kernel), start)
        references = torch.autograd.grad(expected, exact, start.double())
        for tensor, grad, reference in zip((x, kernel), grads, references):
            # With an activation, the gradient of the sum is rounded, too.
            self.assertEqual((grad.dtype, grad.shape), (tensor.dtype, tensor.shape))
            assert_close(grad, reference, "gradient", roundings=2 if activation else 1)

    def test_widths(self):
        for taps, order in itertools.product(range(1, 9), ("BTGW", "BTWG")):
            with self.subTest(taps=taps, order=order):
                self.compare(draw(2, 13, 7), draw_kernel(2, 13, 7, taps, order), order)

    def test_types_and_activations(self):
        for dtype, order, activation in pairs(
            (torch.float32, torch.bfloat16, torch.float16), ("BTGW", "BTWG"), (None, "silu", "swish")
        ):
            with self.subTest(dtype=dtype, order=order, activation=activation):
                self.compare(draw(1, 11, 24, dtype=dtype), draw_kernel(1, 11, 24, 4, order, dtype), order, activation)

    def test_groups(self):
        for groups, order, activation in pairs((1, 2, 5), ("BTGW", "BTWG"), (None, "silu")):
            with self.subTest(groups=groups, order=order, activation=activation):
                self.compare(draw(2, 9, 10), draw_kernel(2, 9, groups, 3, order), order, activation)

    def test_normalized(self):
        """Kernels have various widths and groups; the gradient is with respect to the kernel before normalisation."""
        for taps, order, normalize in pairs((2, 3, 4, 8), ("BTGW", "BTWG"), ("softmax", "l2")):
            with self.subTest(taps=taps, order=order, normalize=normalize):
                self.compare(draw(2, 13, 7), draw_kernel(2, 13, 7, taps, order), order, None, normalize)
        for dtype, activation, groups in pairs((torch.bfloat16, torch.float16), (None, "silu"), (1, 4, 48)):
            with self.subTest(dtype=dtype, activation=activation, groups=groups):
                kernel = draw_kernel(1, 11, groups, 4, "BTGW", dtype)
                self.compare(draw(1, 11, 48, dtype=dtype), kernel, "BTGW", activation, "softmax")

    def test_normalized_single_taps(self):
        """The softmax of a single tap is 1."""
        x, kernel = draw(2, 5, 6), draw(2, 5, 6, 1)
        y = dynamic_conv(x, kernel, normalize="softmax")
        self.assertTrue(torch.equal(y, x))
        (grad,) = torch.autograd.grad(y, kernel, torch.randn_like(y))
        self.assertEqual(grad.abs().max().item(), 0)

    def test_large_logits(self):
        """Softmax works if exponentials overflow and if logits are equal, and l2 works for vectors with tiny norms."""
        x, kernel = draw(1, 9, 8), draw(1, 9, 8, 4)
        kernel.data[:, ::2] *= 200
        kernel.data[:, 1] = 3
        self.compare(x, kernel, normalize="softmax")
        self.compare(x, (kernel.detach() * 1e-7).requires_grad_(), normalize="l2")

    def test_tiny(self):
        """Sequences may be shorter than a kernel."""
        self.compare(draw(1, 1, 1), draw(1, 1, 1, 1))
        self.compare(draw(1, 1, 3), draw(1, 1, 3, 4), activation="silu")
        self.compare(draw(3, 2, 5), draw(3, 2, 5, 8))

    def test_memory_that_is_not_dense(self):
        x = draw(2, 9, 30)[:, :, 3:27:2]
        self.compare(x, draw(2, 18, 12, 4)[:, ::2])
        self.compare(draw(2, 12, 9).transpose(1, 2), draw(2, 9, 12, 4).transpose(2, 3), "BTWG", "silu")
        self.compare(draw(2, 9, 12), draw(2, 9, 1, 4).expand(2, 9, 12, 4))
        memory = torch.randn(1 + 9 * 8).to(torch.bfloat16)
        self.compare(memory[1:].view(1, 9, 8).requires_grad_(), draw(1, 9, 8, 4, dtype=torch.bfloat16))

    def test_transposed_kernels_are_not_copied(self):
        kernel = draw(2, 9, 4, 12).transpose(2, 3)
        y = dynamic_conv(draw(2, 9, 12), kernel)
        (grad,) = torch.autograd.grad(y.sum(), kernel)
        self.assertEqual(grad.stride(), kernel.stride())
        self.assertTrue(any("2x9x12, 4 taps (BTWG)" in row.problem for row in conv.torch.report()))

    def test_gradients_of_gradients(self):
        for order, activation, normalize in (
            *itertools.product(("BTGW", "BTWG"), (None, "silu"), (None,)),
            ("BTGW", "silu", "softmax"),
            ("BTWG", None, "l2"),
        ):
            x, kernel = draw(2, 5, 6), draw_kernel(2, 5, 3, 3, order)
            options = {"order": order, "activation": activation, "normalize": normalize}

            def penalty(function, *tensors):
                grads = torch.autograd.grad(function(*tensors).square().sum(), tensors, create_graph=True)
                return torch.autograd.grad(sum(grad.pow(3).sum() for grad in grads), tensors)

            ours = penalty(lambda x, k: dynamic_conv(x, k, **options), x, kernel)
            exact = [tensor.detach().double().requires_grad_() for tensor in (x, kernel)]
            for ours, theirs in zip(ours, penalty(lambda x, k: definition(x, k, **options), *exact)):
                torch.testing.assert_close(ours.double(), theirs, rtol=1e-4, atol=1e-4)

    def test_gradcheck_in_f64(self):
        """The composition of PyTorch operators, which replaces missing kernels, has the right derivatives."""
        for order, groups, activation, normalize in (
            ("BTGW", 2, None, None),
            ("BTWG", 4, "silu", None),
            ("BTWG", 2, "silu", "softmax"),
            ("BTGW", 2, None, "l2"),
        ):
            x, kernel = draw(1, 4, 4, dtype=torch.float64), draw_kernel(1, 4, groups, 3, order, torch.float64)

            def function(x, kernel):
                return dynamic_conv(x, kernel, order=order, activation=activation, normalize=normalize)

            torch.autograd.gradcheck(function, (x, kernel))
            torch.autograd.gradgradcheck(function, (x, kernel))

    def test_autocast(self):
        x, kernel = draw(1, 7, 8), draw(1, 7, 8, 4, dtype=torch.bfloat16)
        with torch.autocast(DEVICE, torch.bfloat16):
            y = dynamic_conv(x, kernel)
        self.assertEqual(y.dtype, torch.bfloat16)
        gx, gk = torch.autograd.grad(y.float().sum(), (x, kernel))
        self.assertEqual((gx.dtype, gk.dtype), (torch.float32, torch.bfloat16))

    def test_operator_is_sound(self):
        x, kernel = draw(2, 7, 6), draw(2, 7, 3, 4)
        for order, activation, normalize in (("BTGW", "", ""), ("BTWG", "silu", ""), ("BTGW", "silu", "softmax")):
            k = kernel if order == "BTGW" else kernel.detach().transpose(2, 3).requires_grad_()
            torch.library.opcheck(
                torch.ops.conv.dynamic_conv.default, (x, k, order, activation, None, None, normalize)
            )
            grad = torch.randn(2, 7, 6)
            arguments = (grad, x.detach(), k.detach(), order, activation, None, None, normalize, [True, True, False])
            torch.library.opcheck(torch.ops.conv.dynamic_conv_backward.default, arguments)

    def test_compile(self):
        """torch.compile captures one graph, also if gradients are needed, and no further graph for the same shapes."""
        graphs = []

        def backend(graph, example):
            graphs.append(graph)
            return graph.forward

        x, kernel = draw(2, 7, 6), draw(2, 7, 6, 4)
        for backend in (backend, "aot_eager"):
            compiled = torch.compile(
                lambda x, k: dynamic_conv(x, k, activation="silu") * 2, fullgraph=True, backend=backend
            )
            for _ in range(3):
                grads = torch.autograd.grad(compiled(x, kernel).sum(), (x, kernel))
            expected = torch.autograd.grad(2 * definition(x, kernel, "BTGW", "silu").sum(), (x, kernel))
            for ours, theirs in zip(grads, expected):
                torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
        self.assertEqual(len(graphs), 1)

    def test_export_and_meta(self):
        class Mix(torch.nn.Module):
            def forward(self, x, kernel):
                return dynamic_conv(x, kernel, activation="silu")

        operands = draw(2, 7, 6).detach(), draw(2, 7, 6, 4).detach()
        program = torch.export.export(Mix(), operands)
        self.assertEqual(sum("conv.dynamic_conv" in str(node.target) for node in program.graph.nodes), 1)
        self.assertTrue(torch.equal(program.module()(*operands), Mix()(*operands)))
        meta = dynamic_conv(torch.empty(2, 7, 6, device="meta"), torch.empty(2, 7, 6, 4, device="meta"))
        self.assertEqual((meta.shape, meta.device.type), ((2, 7, 6), "meta"))

    def test_transformations(self):
        x, kernel = draw(3, 2, 5, 6).detach(), draw(2, 5, 6, 3).detach()
        batched = torch.vmap(dynamic_conv, in_dims=(0, None))(x, kernel)
        each = torch.stack([definition(one, kernel, "BTGW", None) for one in x])
        torch.testing.assert_close(batched, each, rtol=1e-5, atol=1e-5)
        grad = torch.func.grad(lambda k: dynamic_conv(x[0], k).square().sum())(kernel)
        expected = torch.func.grad(lambda k: definition(x[0], k, "BTGW", None).square().sum())(kernel)
        torch.testing.assert_close(grad, expected, rtol=1e-4, atol=1e-4)

    def test_errors(self):
        x, kernel = torch.ones(2, 5, 6), torch.ones(2, 5, 6, 3)
        for message, arguments, options in (
            (r"expects x \(B, T, D\) and kernel \(B, T, G, W\), but got \(5, 6\)", (x[0], kernel), {}),
            (r"B and T of x, \(2, 5\), but got \(2, 4\)", (x, kernel[:, :4]), {}),
            ("that divide the 6 channels of x, but got 3 taps for 4 groups", (x, kernel[:, :, :4]), {}),
            (
                f"one floating type on one device, but got torch.float32 on {DEVICE_NAME} and torch.float64",
                (x, kernel.double()),
                {},
            ),
            ("one floating type", (x.int(), kernel.int()), {}),
            ("order: expects 'BTGW' or 'BTWG', but got 'BTDW'", (x, kernel), {"order": "BTDW"}),
            ("taps, for groups that divide", (x, kernel[..., :0]), {}),
            ("normalize: expects None, 'softmax' or 'l2', but got 'sum'", (x, kernel), {"normalize": "sum"}),
        ):
            with self.assertRaisesRegex(ValueError, message):
                dynamic_conv(*arguments, **options)
        with self.assertRaisesRegex(NotImplementedError, "expects activation None, 'silu' or 'swish', but got 'relu'"):
            dynamic_conv(x, kernel, activation="relu")

    def test_what_pytorch_runs(self):
        """The report has the reasons why the compiler refuses types and sizes."""
        reasons = {row.reason for row in conv.torch.report()}
        self.compare(draw(1, 3, 2, dtype=torch.float64), draw(1, 3, 2, 2, dtype=torch.float64), activation="silu")
        self.compare(draw(1, 70, 2), draw(1, 70, 2, 65), activation="silu")
        self.assertEqual(dynamic_conv(torch.ones(2, 0, 3), torch.ones(2, 0, 3, 4)).shape, (2, 0, 3))
        conv.torch.settings.enabled = False
        try:
            self.compare(draw(1, 3, 2), draw(1, 3, 2, 2))
        finally:
            conv.torch.settings.enabled = True
        reasons = {row.reason for row in conv.torch.report() if row.runs == "torch"}
        self.assertEqual(reasons, set(LEFT))

    def test_zz_conv_ran(self):
        assert_conv_ran([row for row in conv.torch.report() if row.reason not in LEFT], 60)


if __name__ == "__main__":
    unittest.main()
