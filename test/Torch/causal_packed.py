# RUN: %torch-python %s
"""Causal convolutions of packed sequences, given by `seq_idx` or `cu_seqlens`, against each sequence by itself in f64."""

import itertools
import unittest

import torch
from causal import TYPES, by_sequence, definition, draw, exact
from close import DEVICE, assert_close, assert_conv_ran, pairs

import conv.torch
from conv.torch import causal_conv1d_fn, causal_conv1d_varlen_states

LEFT = ("element-type", "empty", "converted")  # The tests of this file give PyTorch these cases.


def one_by_one(x, weight, bias, starts, states, activation):
    """The convolution of each sequence (1, D, T) by itself, and the last tokens of each sequence."""
    past, results, last = weight.shape[1] - 1, [], []
    for number, (first, end) in enumerate(zip(starts, starts[1:])):
        before = x.new_zeros(1, x.shape[1], past) if states is None else states[number : number + 1]
        own = x[:, :, first:end]
        results.append(definition(own, weight, bias, before, activation)) if end > first else None
        everything = torch.cat([before, own], -1)
        last.append(everything[:, :, everything.shape[2] - past :])
    return torch.cat(results, -1), torch.cat(last)


class PackedCausal(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        conv.torch.settings.measure = False  # Without timing, conv's kernels always run.

    def compare(self, starts, x, weight, bias=None, states=None, activation=None, dtype=torch.int32):
        lists = torch.tensor(starts, dtype=dtype)
        y, last = causal_conv1d_fn(x, weight, bias, None, states, True, activation=activation, cu_seqlens=lists)
        references = exact((x, weight, bias, states))
        expected, last_expected = one_by_one(*references[:3], starts, references[3], activation)
        assert_close(y, expected)
        self.assertEqual(y.stride(), x.stride())
        self.assertTrue(torch.equal(last.double(), last_expected))
        given, references = (  # Filters of one tap have states without elements.
            [tensor for tensor in tensors if tensor is not None and tensor.numel() > 0]
            for tensors in ((x, weight, bias, states), references)
        )
        results, exact_results = [y, last], [expected, last_expected]
        if weight.shape[1] == 1:  # Final states have no elements, either.
            results, exact_results = [y], [expected]
        starts = [torch.randn_like(result) for result in results]
        grads = torch.autograd.grad(results, given, starts, allow_unused=True, materialize_grads=True)
        starts = [start.double() for start in starts]
        wanted = torch.autograd.grad(exact_results, references, starts, allow_unused=True, materialize_grads=True)
        for ours, theirs in zip(grads, wanted):
            # Rounded are the gradient of the sum and the result.
            assert_close(ours, theirs, "gradient", 2, x.dtype if x.dtype == weight.dtype else None)

    def draw_tokens(self, tokens, channels, dtype=torch.float32, last=True):
        if last:
            return draw(1, tokens, channels, dtype=dtype).transpose(1, 2)
        return draw(1, channels, tokens, dtype=dtype)

    def test_starts(self):
        """Sequences may be empty, shorter than a filter, or alone; channels or tokens are last in memory."""
        for starts, last, dtype in pairs(
            ([0, 13], [0, 0, 2, 3, 3, 13], [0, 1, 2, 3, 4], [0, 5, 11, 19]),
            (True, False),
            (torch.int32, torch.int64, torch.int16),
        ):
            with self.subTest(starts=starts, last=last, dtype=dtype):
                x = self.draw_tokens(starts[-1], 12, last=last)
                self.compare(starts, x, draw(12, 4), draw(12), activation="silu", dtype=dtype)

    def test_types_and_states(self):
        for dtype, activation, taps, with_states in pairs(TYPES, (None, "silu"), (1, 3), (False, True)):
            with self.subTest(dtype=dtype, activation=activation, taps=taps, states=with_states):
                states = draw(4, 24, taps - 1, dtype=dtype) if with_states else None
                x = self.draw_tokens(17, 24, dtype)
                self.compare([0, 4, 5, 5, 17], x, draw(24, taps, dtype=dtype), draw(24), states, activation)

    def test_numbers(self):
        """Sequences start anywhere in a row; the last token of a row has the number of the first token of the next row."""
        seq_idx = torch.tensor([[0, 0, 0, 1, 2, 2, -1, -1, 3, 3, 3], [3] * 10 + [5]], dtype=torch.int32)
        for dtype, last, activation in pairs(TYPES, (True, False), (None, "silu")):
            with self.subTest(dtype=dtype, last=last, activation=activation):
                x = draw(2, 11, 8, dtype=dtype).transpose(1, 2) if last else draw(2, 8, 11, dtype=dtype)
                operands = x, draw(8, 4, dtype=dtype), draw(8, dtype=dtype)
                y = causal_conv1d_fn(*operands, seq_idx, activation=activation)
                references = exact(operands)
                expected = by_sequence(*references, seq_idx, activation)
                assert_close(y, expected)
                start = torch.randn_like(y)
                wanted = torch.autograd.grad(expected, references, start.double())
                for ours, theirs in zip(torch.autograd.grad(y, operands, start), wanted):
                    assert_close(ours, theirs, "gradient", 2)

    def test_other_sequences_do_not_matter(self):
        """NaN in one sequence reaches no token of another sequence, and no gradient of it."""
        for first, end in itertools.combinations(range(9), 2):
            x = torch.randn(1, 8, 6).transpose(1, 2)
            x[:, :, first:end] = float("nan")
            x.requires_grad_()
            starts = torch.tensor([0, first, end, 8])
            y = causal_conv1d_fn(x, torch.randn(6, 4), activation="silu", cu_seqlens=starts)
            (grad,) = torch.autograd.grad(y, x, torch.ones_like(y))
            inside = torch.zeros(8, dtype=torch.bool)
            inside[first:end] = True
            for result in (y, grad):
                self.assertTrue(torch.equal(result.isnan().all(1)[0], inside))
                self.assertFalse(result[:, :, ~inside].isnan().any())

    def test_filter_gradients_have_nothing_of_other_sequences(self):
        """The gradient of a tap that meets no token is zero, and large tokens before a border do not hide a gradient."""
        for dtype, last, activation in pairs(TYPES, (True, False), (None, "silu")):
            x, weight = self.draw_tokens(9, 6, dtype, last), draw(6, 4, dtype=dtype)
            y = causal_conv1d_fn(x, weight, activation=activation, cu_seqlens=torch.arange(10))
            given = torch.randn_like(y)
            kept = given.clone()
            (grad,) = torch.autograd.grad(y, weight, given)
            self.assertTrue(torch.equal(given, kept))
            self.assertEqual(grad[:, :3].count_nonzero().item(), 0)
            self.assertEqual(grad[:, 3].count_nonzero().item(), 6)
            starts = [0, 4, 9]
            x = x.detach().clone()
            x[:, :, 3] = 2.0**14
            y = causal_conv1d_fn(x, weight, cu_seqlens=torch.tensor(starts))
            given = torch.randn_like(y)
            given[:, :, 3] = 0  # Only the first sequence's own gradient of that token could see it.
            (grad,) = torch.autograd.grad(y, weight, given)
            exact_x, exact_weight = exact((x, weight))
            expected, _ = one_by_one(exact_x, exact_weight, None, starts, None, None)
            assert_close(grad, torch.autograd.grad(expected, exact_weight, given.double())[0], "gradient")

    def test_operator_is_sound(self):
        starts, seq_idx = torch.tensor([0, 2, 2, 9]), torch.tensor([[0] * 4 + [1] * 5])
        for packed in ((None, None, "silu", starts), (seq_idx, None, "", None)):
            operands = draw(1, 9, 6).transpose(1, 2), draw(6, 4), draw(6)
            torch.library.opcheck(torch.ops.conv.causal_conv1d.default, (*operands, *packed))

    def test_compile(self):
        def mix(x, weight, starts):
            return causal_conv1d_fn(x, weight, activation="silu", cu_seqlens=starts) * 2

        operands = draw(1, 9, 6).transpose(1, 2), draw(6, 4), torch.tensor([0, 4, 9])
        compiled = torch.compile(mix, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(*operands), mix(*operands))
        grads, expected = (torch.autograd.grad(f(*operands).sum(), operands[:2]) for f in (compiled, mix))
        for ours, theirs in zip(grads, expected):
            torch.testing.assert_close(ours, theirs)

    def test_nothing_more_is_compiled(self):
        """The third and later lengths and numbers of sequences use the kernel of the second."""
        kernels = []
        for starts in ([0, 5, 21], [0, 3, 9, 23], [0, 1, 2, 3, 31], [0, 12, 40]):
            x, weight = self.draw_tokens(starts[-1], 20), draw(20, 4)
            lists = torch.tensor(starts)
            y = causal_conv1d_fn(x, weight, activation="silu", cu_seqlens=lists)
            assert_close(y, one_by_one(x.double(), weight.double(), None, starts, None, "silu")[0])
            kernels.append(sum("x20," in row.problem for row in conv.torch.report()))
        self.assertEqual(kernels, [1, 2, 2, 2])

    def test_varlen_states(self):
        x, starts = torch.randn(9, 5), torch.tensor([0, 2, 2, 9])
        states = causal_conv1d_varlen_states(x, starts, 3)
        zeros = torch.zeros(5, 3)
        expected = torch.stack([torch.cat([zeros, x[a:b].t()], 1)[:, -3:] for a, b in ((0, 2), (2, 2), (2, 9))])
        self.assertTrue(torch.equal(states, expected))

    @unittest.skipIf(DEVICE != "cpu", "starts in the memory of a GPU are not read on the host")
    def test_errors(self):
        x, weight = torch.ones(1, 3, 5), torch.ones(3, 4)
        for message, keywords in (
            ("does not decrease", {"cu_seqlens": torch.tensor([0, 4, 3])}),
            ("starts at 0", {"cu_seqlens": torch.tensor([1, 4])}),
            ("does not exceed the 5 tokens", {"cu_seqlens": torch.tensor([0, 6])}),
            ("two or more integers on cpu", {"cu_seqlens": torch.tensor([0.0, 5.0])}),
            ("seq_idx or cu_seqlens", {"cu_seqlens": torch.tensor([0, 5]), "seq_idx": torch.zeros(1, 5).int()}),
            (r"initial_states \(2, 3, 3\)", {"cu_seqlens": torch.tensor([0, 1, 5]), "initial_states": torch.ones(1, 3, 3)}),
        ):
            with self.assertRaisesRegex(ValueError, message):
                causal_conv1d_fn(x, weight, **keywords)
        with self.assertRaisesRegex(ValueError, r"x \(T, D\) and a positive state_len, but got \(1, 3, 5\) and 3"):
            causal_conv1d_varlen_states(x, torch.tensor([0, 5]), 3)

    def test_zz_conv_ran(self):
        assert_conv_ran([row for row in conv.torch.report() if row.reason not in LEFT], 20)


if __name__ == "__main__":
    unittest.main()
