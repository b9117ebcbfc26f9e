# RUN: %torch-python %s
"""Functions and their gradients, on sizes that no tile divides, against PyTorch in f64."""

import itertools
import sys
import threading
import unittest

import torch
import torch.nn.functional as F
from close import DEVICE, assert_close, assert_conv_ran, pairs

import conv.torch
import conv.torch.functional as CF
from conv.torch import _casts

FORWARD = {1: (CF.conv1d, F.conv1d), 2: (CF.conv2d, F.conv2d), 3: (CF.conv3d, F.conv3d)}
TRANSPOSED = {
    1: (CF.conv_transpose1d, F.conv_transpose1d),
    2: (CF.conv_transpose2d, F.conv_transpose2d),
    3: (CF.conv_transpose3d, F.conv_transpose3d),
}
SIZES = {1: (13,), 2: (7, 11), 3: (5, 6, 7)}
LAST = {2: torch.channels_last, 3: torch.channels_last_3d}
#: Numbers of spatial dimensions, and whether channels are last in memory.
FORMS = ((1, False), (2, False), (2, True), (3, False), (3, True))


def draw(*shape, dtype):
    return torch.randn(shape).to(dtype).requires_grad_()


class Functional(unittest.TestCase):
    def setUp(self):
        conv.torch.settings.measure = False  # Without timing, conv's kernels always run.
        torch.manual_seed(0)

    def compare(self, ours, theirs, tensors, **options):
        result = ours(*tensors, **options)
        exact = [None if tensor is None else tensor.detach().double().requires_grad_() for tensor in tensors]
        expected = theirs(*exact, **options)
        assert_close(result, expected, "result")
        if (
            result.dim() < 5
        ):  # PyTorch's 3-D kernels lose channels-last on the CPU, but not on GPUs.
            self.assertEqual(result.stride(), theirs(*tensors, **options).stride())
        given = [tensor for tensor in tensors if tensor is not None]
        start = torch.randn_like(result)
        grads = torch.autograd.grad(result, given, start)
        references = torch.autograd.grad(expected, [tensor for tensor in exact if tensor is not None], start.double())
        for tensor, grad, reference in zip(given, grads, references):
            assert_close(grad, reference, "gradient")
            self.assertEqual(grad.dtype, tensor.dtype)

    def test_forward(self):
        dtypes = (torch.float32, torch.bfloat16, torch.float16)
        for (rank, last), dtype, groups in pairs(FORMS, dtypes, (1, 3)):
            x = draw(2, 6, *SIZES[rank], dtype=dtype)
            w = draw(9, 6 // groups, *(3, 2, 3)[:rank], dtype=dtype)
            if last:
                x = x.detach().to(memory_format=LAST[rank]).requires_grad_()
            with self.subTest(rank=rank, dtype=dtype, last=last, groups=groups):
                self.compare(*FORWARD[rank], (x, w, draw(9, dtype=dtype)), stride=2, padding=1, groups=groups)
                self.compare(*FORWARD[rank], (x, w, None), dilation=2, padding=2, groups=groups)

    def test_transposed(self):
        for (rank, last), groups in itertools.product(FORMS, (1, 2)):
            x, w = draw(2, 4, *SIZES[rank], dtype=torch.float32), draw(4, 3, *(3, 4, 2)[:rank], dtype=torch.float32)
            if last:
                x = x.detach().to(memory_format=LAST[rank]).requires_grad_()
            bias = draw(3 * groups, dtype=torch.float32)
            with self.subTest(rank=rank, last=last, groups=groups):
                self.compare(*TRANSPOSED[rank], (x, w, bias), stride=2, padding=1, output_padding=1, groups=groups)
                self.compare(*TRANSPOSED[rank], (x, w, None), stride=1, output_padding=1, dilation=2, groups=groups)

    def test_same_and_valid(self):
        x, w = draw(1, 3, 9, 10, dtype=torch.float32), draw(4, 3, 3, 2, dtype=torch.float32)
        for padding in ("same", "valid"):
            self.compare(CF.conv2d, F.conv2d, (x, w, None), padding=padding, dilation=(1, 3))

    def test_memory_that_is_not_dense(self):
        x = draw(2, 12, 9, 20, dtype=torch.float32)[:, ::2, :, 1::2]
        w = draw(3, 3, 6, 5, dtype=torch.float32).permute(3, 2, 0, 1)
        self.compare(CF.conv2d, F.conv2d, (x, w, None), padding=1)
        self.compare(CF.conv2d, F.conv2d, (draw(1, 6, 9, 9, dtype=torch.float32).expand(2, 6, 9, 9), w, None))

    def test_unaligned(self):
        """Tensors may have addresses that are not aligned for vector loads."""
        memory = torch.randn(1 + 2 * 8 * 6 * 6, dtype=torch.float32).to(torch.bfloat16)
        x = memory[1:].view(2, 8, 6, 6)
        w = torch.randn(8, 8, 3, 3).to(torch.bfloat16)
        assert_close(CF.conv2d(x, w), F.conv2d(x.double(), w.double()))

    def test_unbatched(self):
        x, w = draw(3, 9, 9, dtype=torch.float32), draw(4, 3, 3, 3, dtype=torch.float32)
        self.compare(CF.conv2d, F.conv2d, (x, w, None))
        self.compare(CF.conv_transpose2d, F.conv_transpose2d, (draw(4, 5, 5, dtype=torch.float32), w, None))

    def test_fused(self):
        from conv.torch._reference import ACTIVATIONS

        x, w, b = (draw(*shape, dtype=torch.float32).detach() for shape in ((2, 5, 9, 8), (7, 5, 3, 3), (7,)))
        residual = torch.randn(2, 7, 9, 8)
        for activation, function in ACTIVATIONS.items():
            result = CF.convolution(x, w, b, residual, activation, padding=1, alpha=0.3)
            exact = F.conv2d(x.double(), w.double(), b.double(), padding=1) + residual.double()
            assert_close(result, function(exact, 0.3), activation)
        for mode in ("reflect", "replicate", "circular"):
            padded = F.pad(x.double(), (2, 2, 2, 2), mode=mode)
            assert_close(CF.convolution(x, w, padding=2, padding_mode=mode), F.conv2d(padded, w.double()), mode)

    def test_autocast(self):
        x, w = draw(1, 4, 8, 8, dtype=torch.float32), draw(4, 4, 3, 3, dtype=torch.float32)
        with torch.autocast(DEVICE, torch.bfloat16):
            result = CF.conv2d(x, w)
            self.assertEqual(result.dtype, F.conv2d(x, w).dtype)
        gx, gw = torch.autograd.grad(result.float().sum(), (x, w))
        self.assertEqual((gx.dtype, gw.dtype), (torch.float32, torch.float32))

    def test_autocast_rounds_no_parameter_gradient(self):
        """Parameters are f32 and so are their gradients, which no rounding to 16 bits passes through."""
        for function, reference, channels in ((CF.conv2d, F.conv2d, (6, 4)), (CF.conv_transpose2d, F.conv_transpose2d, (4, 6))):
            x, w = draw(2, 4, 9, 8, dtype=torch.float32), draw(*channels, 3, 3, dtype=torch.float32)
            b = draw(6, dtype=torch.float32)
            with torch.autocast(DEVICE, torch.bfloat16):
                result = function(x, w, b, padding=1)
            self.assertEqual(result.dtype, torch.bfloat16)
            start = torch.randn_like(result)
            for _ in range(2):  # The second time, calls take the short way.
                grads = torch.autograd.grad(result, (x, w, b), start, retain_graph=True)
            self.assertEqual({grad.dtype for grad in grads}, {torch.float32})
            exact = [tensor.detach().bfloat16().double().requires_grad_() for tensor in (x, w, b)]
            expected = torch.autograd.grad(reference(*exact, padding=1), exact, start.double())
            for ours, theirs in zip(grads[1:], expected[1:]):
                torch.testing.assert_close(ours.double(), theirs, rtol=1e-5, atol=1e-4)
            assert_close(grads[0].bfloat16(), expected[0])

    def test_weight_changed_before_the_gradient_with_autocast(self):
        """The gradient needs the copy that the forward pass made, as with PyTorch's autocast; that of the gradient does not
        take another weight in silence."""
        x, w = draw(1, 2, 6, 5, dtype=torch.float32), draw(3, 2, 3, 3, dtype=torch.float32)
        for further in (False, True):
            with torch.autocast(DEVICE, torch.bfloat16):
                y, expected = CF.conv2d(x, w), F.conv2d(x.detach(), w)
            with torch.no_grad():
                w.add_(1)
            if further:
                with self.assertRaisesRegex(RuntimeError, "expects an unchanged weight"):
                    torch.autograd.grad(y.float().sum(), w, create_graph=True)
            else:
                ours, theirs = (torch.autograd.grad(result.float().sum(), w)[0].bfloat16() for result in (y, expected))
                assert_close(ours, theirs.double())

    def test_one_copy_of_a_weight_with_autocast(self):
        """It lives as long as PyTorch's own copies, but a weight that was changed in place gets another one."""
        weight, other = (torch.nn.Parameter(torch.randn(4, 3, 1, 1)) for _ in range(2))
        copy = torch.no_grad()(lambda tensor=weight: _casts.cast(tensor, torch.bfloat16))
        region = lambda **options: torch.autocast(DEVICE, torch.bfloat16, **options)
        with region():
            first = copy()
            with region(), torch.inference_mode():
                self.assertIs(copy(), first)
            self.assertIsNot(copy(other), first)
            self.assertTrue(torch.equal(first, weight.bfloat16()))
            with torch.no_grad():
                weight.add_(1)
            self.assertTrue(torch.equal(copy(), weight.bfloat16()))
            first = copy()
            torch.clear_autocast_cache()
            self.assertIsNot(copy(), first)
            known = len(_casts._copies)
            copy(weight * 1), copy(weight.detach())  # PyTorch keeps no copies of these either.
            self.assertEqual(len(_casts._copies), known)
        weight.data.add_(1)  # Without a new version: a later region must not see an old copy.
        with region():
            self.assertTrue(torch.equal(copy(), weight.bfloat16()))
        packed = []
        with region(), torch.autograd.graph.saved_tensors_hooks(packed.append, lambda tensor: tensor):
            copy()
        self.assertEqual(packed, [])  # Checkpoints expect the same tensors when they run a region again.
        with region():
            first = copy()
            with region(cache_enabled=False):
                self.assertIsNot(copy(), first)
        with region(cache_enabled=False):
            self.assertIsNot(copy(), copy())
        self.assertIsNot(copy(), copy())
        self.assertEqual(_casts._copies, {})

    def test_no_copy_of_a_weight_outlives_a_region(self):
        """Whatever the default type is, of which PyTorch may keep no copies."""
        weight = torch.randn(3, 2, 3, 3, device=DEVICE, requires_grad=True)
        for dtype in (torch.float16, torch.bfloat16, torch.float64):
            previous = torch.get_default_dtype()
            torch.set_default_dtype(dtype)
            try:
                with torch.autocast(DEVICE, torch.bfloat16), torch.no_grad():
                    _casts.cast(weight, torch.bfloat16)
            finally:
                torch.set_default_dtype(previous)
            self.assertEqual(_casts._copies, {})

    def test_modules_made_in_inference_mode(self):
        """Their parameters have no version, by which a copy could be known."""
        x = torch.randn(2, 3, 5, 5)
        with torch.inference_mode():
            module = conv.torch.Conv2d(3, 4, 3)
            expected = F.conv2d(x.bfloat16(), module.weight.bfloat16(), module.bias.bfloat16())
        for context in (torch.inference_mode(), torch.no_grad()):
            with context, torch.autocast(DEVICE, torch.bfloat16):
                assert_close(module(x), expected.double(), roundings=3)
        with torch.autocast(DEVICE, torch.bfloat16):
            module(x).float().sum().backward()
        assert_close(module.bias.grad, torch.full((4,), 18.0))

    def test_copies_of_weights_in_threads(self):
        """No copy outlives the regions of all threads, each of which makes PyTorch forget those of the others."""
        weights = [torch.nn.Parameter(torch.randn(4, 3, 1, 1, device=DEVICE)) for _ in range(4)]
        wrong = []

        def work(weight):
            for step in range(30):
                with torch.autocast(DEVICE, torch.bfloat16), torch.no_grad():
                    for again in range(3):
                        if not torch.equal(_casts.cast(weight, torch.bfloat16), weight.bfloat16()):
                            wrong.append((step, again))
                weight.data.add_(1)

        threads = [threading.Thread(target=work, args=(weight,)) for weight in weights]
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            sys.setswitchinterval(interval)
        self.assertEqual((wrong, _casts._copies), ([], {}))

    def test_training_after_evaluation_with_autocast(self):
        """The copy that inference made serves training, too, and has a gradient."""
        x, w = torch.randn(2, 3, 5, 5), torch.nn.Parameter(torch.randn(4, 3, 3, 3))
        with torch.autocast(DEVICE, torch.bfloat16):
            with torch.inference_mode():
                expected = CF.conv2d(x, w).clone()
            y = CF.conv2d(x, w)
        self.assertTrue(torch.equal(y, expected))
        (grad,) = torch.autograd.grad(y.float().sum(), w)
        assert_close(grad, torch.autograd.grad(F.conv2d(x, w.double().float()).sum(), w)[0], dtype=torch.bfloat16)

    def test_gradients_of_gradients_with_autocast(self):
        x, w = draw(1, 2, 6, 5, dtype=torch.float32), draw(3, 2, 3, 3, dtype=torch.float32)

        def penalty(function):
            with torch.autocast(DEVICE, torch.bfloat16):
                y = function(x, w, padding=1)
            (gw,) = torch.autograd.grad(y.float().sum(), w, create_graph=True)
            return torch.autograd.grad(gw.square().sum(), x)

        for ours, theirs in zip(penalty(CF.conv2d), penalty(F.conv2d)):
            torch.testing.assert_close(ours, theirs, rtol=2e-2, atol=2e-2 * theirs.abs().max().item())

    def test_gradients_of_gradients(self):
        for options in ({"padding": 1}, {"padding": "same"}, {"stride": 2, "padding": 1}):
            x = torch.randn(1, 2, 6, 5, requires_grad=True)
            w = torch.randn(3, 2, 3, 2, requires_grad=True)

            def penalty(function):
                y = function(x, w, **options)
                gx, gw = torch.autograd.grad(y.square().sum(), (x, w), create_graph=True)
                return torch.autograd.grad(gx.square().sum() + gw.pow(3).sum(), (x, w))

            for ours, theirs in zip(penalty(CF.conv2d), penalty(F.conv2d)):
                torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-2)

    def test_errors_are_those_of_pytorch(self):
        x, w = torch.ones(1, 3, 5, 5), torch.ones(4, 3, 3, 3)
        for ours, theirs, arguments, options in (
            (CF.conv2d, F.conv2d, (torch.ones(1, 2, 5, 5), w), {}),
            (CF.conv2d, F.conv2d, (x, w.double()), {}),
            (CF.conv2d, F.conv2d, (x, w, torch.ones(5)), {}),
            (CF.conv2d, F.conv2d, (x, w), {"stride": 0}),
            (CF.conv2d, F.conv2d, (x, w), {"padding": -1}),
            (CF.conv2d, F.conv2d, (x, w), {"groups": 2}),
            (CF.conv2d, F.conv2d, (x, w), {"padding": "same", "stride": 2}),
            (CF.conv2d, F.conv2d, (x, torch.ones(4, 3, 9, 9)), {}),
            (CF.conv2d, F.conv2d, (torch.ones(5, 5), w), {}),
            (CF.conv_transpose2d, F.conv_transpose2d, (x, torch.ones(3, 4, 3, 3)), {"output_padding": 2}),
        ):
            with self.assertRaises((RuntimeError, ValueError)) as expected:
                theirs(*arguments, **options)
            with self.assertRaisesRegex(type(expected.exception), ".") as caught:
                ours(*arguments, **options)
            self.assertEqual(str(caught.exception).split(".")[0], str(expected.exception).split(".")[0])

    def test_what_pytorch_keeps(self):
        """The report has the reasons why types and sizes are no problems for the compiler."""
        before = len(conv.torch.report())
        x, w = torch.randn(1, 2, 5, 5, dtype=torch.float64), torch.randn(3, 2, 3, 3, dtype=torch.float64)
        self.assertTrue(torch.equal(CF.conv2d(x, w), F.conv2d(x, w)))
        self.assertEqual(CF.conv2d(torch.ones(0, 2, 5, 5), w.float()).shape, (0, 3, 3, 3))
        CF.conv_transpose2d(torch.ones(1, 3, 4, 4), torch.ones(3, 2, 2, 2), output_padding=1, dilation=2)
        reasons = {row.reason for row in conv.torch.report() if row.runs == "torch"}
        self.assertEqual(reasons, {"element-type", "empty", "output-padding"})
        self.assertEqual(len(conv.torch.report()), before + 3)

    def test_zz_conv_ran(self):
        assert_conv_ran(
            [row for row in conv.torch.report() if row.reason not in ("element-type", "empty", "output-padding")], 60
        )


if __name__ == "__main__":
    unittest.main()
