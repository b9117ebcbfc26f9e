# RUN: %torch-python %s
"""New batches and lengths of a token mixing layer compile nothing: the second shape compiles a kernel for all others."""

import unittest

import torch
import torch.nn.functional as F
from close import assert_close

import conv.torch
from conv import _compiler
from conv.torch import causal_conv1d_update, dynamic_conv


def definition(x, kernel):
    taps = kernel.shape[3]
    windows = F.pad(x, (0, 0, taps - 1, 0)).unfold(1, taps, 1)
    return (windows * kernel).sum(-1)


class RunTimeSizes(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        conv.torch._choices.forget()
        conv.torch._calls.forget()

    def count(self, call):
        """How many artifacts a call requests from the compiler."""
        def total():
            counts = _compiler.statistics()
            return counts["memory_hits"] + counts["file_hits"] + counts["compilations"]

        before = total()
        call()
        return total() - before

    def train(self, b, t, state=False):
        x = torch.randn(b, t, 10, requires_grad=True)
        kernel = torch.randn(b, t, 10, 3, requires_grad=True)
        y = dynamic_conv(x, kernel)
        exact = [tensor.detach().double().requires_grad_() for tensor in (x, kernel)]
        expected = definition(*exact)
        assert_close(y, expected, "result")
        start = torch.randn_like(y)
        grads = torch.autograd.grad(y, (x, kernel), start)
        for grad, reference in zip(grads, torch.autograd.grad(expected, exact, start.double())):
            assert_close(grad, reference, "gradient")

    def test_training(self):
        self.assertEqual(self.count(lambda: self.train(2, 7)), 3)  # A kernel of this shape for each direction.
        self.assertEqual(self.count(lambda: self.train(2, 9)), 3)  # Kernels for all other shapes.
        for b, t in ((1, 1), (3, 7), (2, 130), (5, 8), (2, 7)):
            with self.subTest(b=b, t=t):
                self.assertEqual(self.count(lambda b=b, t=t: self.train(b, t)), 0)
        rows = [row for row in conv.torch.report() if row.problem.startswith("dynamic forward")]
        self.assertEqual({row.problem: row.calls for row in rows}, {
            "dynamic forward f32 ?x?x10, 3 taps (BTGW)": 5,
            "dynamic forward f32 2x7x10, 3 taps (BTGW)": 2,
        })
        self.assertEqual({row.runs for row in rows}, {"conv"})

    def test_packed(self):
        def run(*lengths):
            starts = torch.tensor([0, *lengths]).cumsum(0)
            x, kernel = torch.randn(1, int(starts[-1]), 8), torch.randn(1, int(starts[-1]), 8, 4)
            y = dynamic_conv(x, kernel, cu_seqlens=starts)
            parts = [slice(int(a), int(b)) for a, b in zip(starts, starts[1:]) if a < b]
            expected = torch.cat([definition(x[:, part].double(), kernel[:, part].double()) for part in parts], 1)
            assert_close(y, expected, "result")

        self.assertEqual(self.count(lambda: run(3, 5)), 1)
        self.assertEqual(self.count(lambda: run(3, 0, 5)), 1)
        for lengths in ((1,), (9, 1, 1, 2), (40, 3), (2,) * 30):
            self.assertEqual(self.count(lambda lengths=lengths: run(*lengths)), 0)

    def test_decoding(self):
        def run(batch, states, indices=False, channels_last=False):
            x, weight = torch.randn(batch, 6), torch.randn(6, 3)
            state = torch.randn(states, 6, 2)
            if channels_last:
                state = state.transpose(1, 2).contiguous().transpose(1, 2)
            seen = torch.randperm(states)[:batch] if indices else torch.arange(batch)
            window = torch.cat([state[seen], x[..., None]], 2)
            y = causal_conv1d_update(x, state, weight, conv_state_indices=seen.int() if indices else None)
            assert_close(y, (window.double() * weight.double()).sum(2), "result")
            self.assertTrue(torch.equal(state[seen], window[:, :, 1:]))

        for options in ({}, {"channels_last": True}, {"indices": True}):
            with self.subTest(**options):
                more = 3 if options.get("indices") else 0
                self.assertEqual(self.count(lambda: run(4, 4 + more, **options)), 1)
                self.assertEqual(self.count(lambda: run(6, 6 + more, **options)), 1)
                for batch in (1, 2, 33):
                    self.assertEqual(self.count(lambda batch=batch: run(batch, batch + more, **options)), 0)

    def test_final_states(self):
        def run(b, t):
            x, kernel = torch.randn(b, t, 8), torch.randn(b, t, 8, 4)
            _, state = dynamic_conv(x, kernel, return_final_state=True)
            self.assertTrue(torch.equal(state, F.pad(x, (0, 0, 3, 0))[:, t:]))

        run(2, 5)
        run(3, 7)
        for b, t in ((1, 1), (4, 2), (2, 64)):
            self.assertEqual(self.count(lambda b=b, t=t: run(b, t)), 0)

    def test_what_has_no_such_kernel(self):
        """Problems with groups that are too large get a kernel for each shape."""
        for b, t in ((1, 4), (2, 5), (1, 6)):
            x, kernel = torch.randn(b, t, 40, requires_grad=True), torch.randn(b, t, 2, 3, requires_grad=True)
            dynamic_conv(x, kernel).sum().backward()
            expected = definition(x.detach(), torch.ones(b, t, 40, 3))  # The sums of windows.
            self.assertEqual(kernel.grad.shape, kernel.shape)
            assert_close(kernel.grad.sum(-1), expected.unflatten(2, (2, 20)).sum(-1).double(), "gradient", roundings=20)
        rows = [row for row in conv.torch.report() if row.problem.startswith("dynamic backward_kernel")]
        self.assertEqual(len(rows), 3)
        self.assertEqual({row.runs for row in rows}, {"conv"})

    def test_nothing_to_compute(self):
        for b, t in ((0, 3), (2, 0)):
            x = torch.randn(b, t, 8)
            self.assertEqual(dynamic_conv(x, torch.randn(b, t, 8, 4)).shape, x.shape)


if __name__ == "__main__":
    unittest.main()
