# RUN: %torch-python %s
"""Dynamic convolutions of packed sequences, with initial and final states, against PyTorch in f64."""

import itertools
import unittest

import torch
from close import DEVICE_NAME, assert_close, assert_conv_ran, pairs
from dynamic import definition, draw, draw_kernel

import conv.torch
from conv.torch import causal_conv1d_update, dynamic_conv

LEFT = ("element-type", "empty", "alignment")  # The tests of this file give PyTorch these cases.


def one_by_one(x, kernel, order, activation, starts, states=None, normalize=None):
    """The convolution of each packed sequence by itself after its initial tokens, and the last tokens of each."""
    past = kernel.shape[3 if order == "BTGW" else 2] - 1
    results, last = [], []
    for number, (first, end) in enumerate(zip(starts, starts[1:])):
        own = x[:, first:end]
        before = own.new_zeros(1, past, x.shape[2]) if states is None else states[number : number + 1]
        zeros = kernel.new_zeros(1, past, *kernel.shape[2:])
        everything = torch.cat([before, own], 1)
        results.append(
            definition(everything, torch.cat([zeros, kernel[:, first:end]], 1), order, activation, normalize)[:, past:]
        )
        last.append(everything[:, everything.shape[1] - past :])
    return torch.cat(results, 1), torch.cat(last)


class Packed(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def compare(self, starts, kernel, order="BTGW", activation=None, dtype=torch.int32, states=None, normalize=None):
        x = draw(1, starts[-1], 12, dtype=kernel.dtype)
        lists = torch.tensor(starts, dtype=dtype)
        given = [tensor for tensor in (x, kernel, states) if tensor is not None]
        y, last = dynamic_conv(
            x,
            kernel,
            order=order,
            activation=activation,
            cu_seqlens=lists,
            initial_state=states,
            return_final_state=True,
            normalize=normalize,
        )
        exact = [tensor.detach().double().requires_grad_() for tensor in given]
        expected, last_expected = one_by_one(*exact[:2], order, activation, starts, exact[2] if states is not None else None, normalize)
        assert_close(y, expected, "result")
        self.assertTrue(torch.equal(last.double(), last_expected))
        start, start_last = torch.randn_like(y), torch.randn_like(last)
        grads = torch.autograd.grad((y, last), given, (start, start_last))
        references = torch.autograd.grad(
            (expected, last_expected), exact, (start.double(), start_last.double()), materialize_grads=True
        )
        for grad, reference in zip(grads, references):
            assert_close(grad, reference, "gradient", roundings=3)

    def test_lengths(self):
        """Sequences may be empty, shorter than a kernel, or alone."""
        for starts, order, dtype in pairs(
            ([0, 13], [0, 0, 2, 3, 3, 13], [0, 1, 2, 3, 4], [0, 7, 7], [0, 5, 11, 19]),
            ("BTGW", "BTWG"),
            (torch.int32, torch.int64, torch.int16),
        ):
            with self.subTest(starts=starts, order=order, dtype=dtype):
                kernel = draw_kernel(1, starts[-1], 12, 4, order)
                self.compare(starts, kernel, order, dtype=dtype)

    def test_no_tokens(self):
        """Sequences without a token return their states, whose gradients are those of the final ones."""
        x, kernel, states = draw(1, 0, 6), draw_kernel(1, 0, 6, 4, "BTGW"), draw(2, 3, 6)
        for first in (None, states):
            y, last = dynamic_conv(
                x, kernel, cu_seqlens=torch.tensor([0, 0, 0]), initial_state=first, return_final_state=True
            )
            self.assertEqual(y.shape, x.shape)
            self.assertTrue(torch.equal(last, torch.zeros(2, 3, 6) if first is None else states))
            last.sum().backward()
        self.assertTrue(torch.equal(states.grad, torch.ones(2, 3, 6)))

    def test_types_and_activations(self):
        for element, activation, groups in pairs(
            (torch.float32, torch.bfloat16, torch.float16), (None, "silu"), (12, 3)
        ):
            with self.subTest(element=element, activation=activation, groups=groups):
                kernel = draw_kernel(1, 17, groups, 3, "BTWG", element)
                self.compare([0, 4, 5, 17], kernel, "BTWG", activation)

    def test_states_of_packed_sequences(self):
        for order, activation, normalize in pairs(("BTGW", "BTWG"), (None, "silu"), (None, "softmax", "l2")):
            with self.subTest(order=order, activation=activation, normalize=normalize):
                kernel = draw_kernel(1, 14, 6, 4, order)
                self.compare(
                    [0, 1, 1, 6, 14], kernel, order, activation, states=draw(4, 3, 12), normalize=normalize
                )
        for dtype, tokens in itertools.product((torch.bfloat16, torch.float32), (14, 40)):
            starts = [0, 0, 3, tokens - 3, tokens]
            self.compare(starts, draw(1, tokens, 12, 3, dtype=dtype), states=draw(4, 2, 12, dtype=dtype))

    def test_normalized(self):
        """Normalisation includes the taps that meet tokens before the sequence."""
        for normalize, order in itertools.product(("softmax", "l2"), ("BTGW", "BTWG")):
            self.compare([0, 1, 1, 6, 14], draw_kernel(1, 14, 12, 4, order), order, "silu", normalize=normalize)

    def test_nothing_crosses(self):
        """NaN stays in its sequence, forward and backward."""
        x, kernel = torch.randn(1, 12, 8), torch.randn(1, 12, 8, 4)
        starts, inside = torch.tensor([0, 5, 8, 12]), slice(5, 8)
        x[:, inside], kernel[:, inside] = torch.nan, torch.nan
        x.requires_grad_(), kernel.requires_grad_()
        y = dynamic_conv(x, kernel, cu_seqlens=starts)
        grads = torch.autograd.grad(y, (x, kernel), torch.ones_like(y))
        for tensor in (y, *grads):
            outside = torch.cat([tensor[:, :5], tensor[:, 8:]], 1)
            self.assertFalse(outside.isnan().any())
        self.assertTrue(y[:, inside].isnan().all())

    def test_tokens_after_the_last_start(self):
        """Tokens after the last start are one more sequence, which has no final state."""
        x, kernel = torch.randn(1, 9, 4), torch.randn(1, 9, 4, 3)
        y, last = dynamic_conv(x, kernel, cu_seqlens=torch.tensor([0, 2, 5]), return_final_state=True)
        expected, _ = one_by_one(x, kernel, "BTGW", None, [0, 2, 5, 9])
        torch.testing.assert_close(y, expected)
        self.assertEqual(last.shape, (2, 2, 4))

    def test_states(self):
        """A sequence in chunks has the results and gradients of the whole sequence."""
        for order, activation, chunks in pairs(
            ("BTGW", "BTWG"), (None, "silu"), ((5, 6), (1, 1, 9), (2, 9))
        ):
            x, kernel = draw(2, 11, 6), draw_kernel(2, 11, 3, 4, order)
            state, results, seen = draw(2, 3, 6), [], 0
            first = state
            for count in chunks:
                part = slice(seen, seen + count)
                y, state = dynamic_conv(
                    x[:, part],
                    kernel[:, part],
                    order=order,
                    activation=activation,
                    initial_state=state,
                    return_final_state=True,
                )
                results.append(y)
                seen += count
            exact = [tensor.detach().double().requires_grad_() for tensor in (x, kernel, first)]
            zeros = exact[1].new_zeros(2, 3, *kernel.shape[2:])
            everything = torch.cat([exact[2], exact[0]], 1)
            whole = definition(everything, torch.cat([zeros, exact[1]], 1), order, activation)[:, 3:]
            result, last = torch.cat(results, 1), everything[:, -3:]
            assert_close(result, whole, "result")
            self.assertTrue(torch.equal(state.double(), last))
            starts = torch.randn_like(result), torch.randn_like(state)
            grads = torch.autograd.grad((result, state), (x, kernel, first), starts)
            references = torch.autograd.grad((whole, last), exact, [start.double() for start in starts])
            for grad, reference in zip(grads, references):
                assert_close(grad, reference, "gradient", roundings=6)

    def test_one_tap(self):
        """Kernels of one tap have states of zero tokens."""
        x, kernel = torch.randn(2, 5, 4), torch.randn(2, 5, 4, 1)
        y, last = dynamic_conv(x, kernel, initial_state=torch.empty(2, 0, 4), return_final_state=True)
        torch.testing.assert_close(y, x * kernel[..., 0])
        self.assertEqual(last.shape, (2, 0, 4))

    def test_operators_are_sound(self):
        x, kernel = draw(1, 7, 6), draw(1, 7, 3, 4)
        starts, state = torch.tensor([0, 2, 7]), draw(1, 3, 6)
        for optional in ((starts, None), (None, state)):
            torch.library.opcheck(torch.ops.conv.dynamic_conv.default, (x, kernel, "BTGW", "silu", *optional))
            torch.library.opcheck(torch.ops.conv.final_states.default, (x, 3, *optional))

    def test_gradients_of_gradients(self):
        starts = torch.tensor([0, 2, 2, 5])
        for optional in ({"cu_seqlens": starts}, {"initial_state": draw(1, 2, 6)}):
            x, kernel = draw(1, 5, 6), draw(1, 5, 3, 3)
            given = [x, kernel, *(tensor for tensor in optional.values() if tensor.requires_grad)]

            def penalty(*tensors):
                state = {"initial_state": tensors[2]} if len(tensors) > 2 else optional
                y = dynamic_conv(*tensors[:2], activation="silu", **state)
                return sum(g.square().sum() for g in torch.autograd.grad(y.square().sum(), tensors, create_graph=True))

            torch.autograd.gradcheck(
                lambda *tensors: penalty(*tensors), [tensor.detach().double().requires_grad_() for tensor in given]
            )

    def test_compile(self):
        """There is one graph, although starts change and states are passed on."""
        graphs = []

        def backend(graph, example):
            graphs.append(graph)
            return graph.forward

        def mix(x, kernel, starts):
            return dynamic_conv(x, kernel, cu_seqlens=starts, return_final_state=True)

        x, kernel = draw(1, 9, 6), draw(1, 9, 6, 4)
        compiled = torch.compile(mix, fullgraph=True, backend=backend)
        for starts in ([0, 3, 9], [0, 9, 9], [0, 0, 4]):
            lists = torch.tensor(starts)
            for ours, theirs in zip(compiled(x, kernel, lists), mix(x, kernel, lists)):
                torch.testing.assert_close(ours, theirs)
        self.assertEqual(len(graphs), 1)

    @unittest.skipIf(DEVICE_NAME != "cpu", "reading them would wait for the GPU, so nobody checks them")
    def test_starts_that_are_wrong(self):
        x, kernel = torch.ones(1, 5, 6), torch.ones(1, 5, 6, 3)
        for message, starts in (
            ("starts at 0, does not decrease, and does not exceed the 5 tokens, but got", [1, 5]),
            ("does not decrease", [0, 3, 2, 5]),
            ("does not exceed the 5 tokens", [0, 6]),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                dynamic_conv(x, kernel, cu_seqlens=torch.tensor(starts))

    def test_errors(self):
        x, kernel = torch.ones(1, 5, 6), torch.ones(1, 5, 6, 3)
        for message, options in (
            (f"of two or more integers on {DEVICE_NAME}", {"cu_seqlens": [0]}),
            (f"of two or more integers on {DEVICE_NAME}", {"cu_seqlens": [0.0, 5.0]}),
            (r"initial_state \(1, 2, 6\) of torch.float32", {"initial_state": torch.ones(1, 3, 6)}),
            (r"initial_state \(1, 2, 6\) of torch.float32", {"initial_state": torch.ones(1, 2, 6).half()}),
            (
                r"initial_state \(2, 2, 6\)",
                {"cu_seqlens": [0, 2, 5], "initial_state": torch.ones(1, 2, 6)},
            ),
        ):
            starts = options.get("cu_seqlens")
            given = {**options, "cu_seqlens": torch.tensor(starts)} if starts else options
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                dynamic_conv(x, kernel, **given)
        with self.assertRaisesRegex(ValueError, "packed into a batch of one"):
            dynamic_conv(x.expand(2, 5, 6), kernel.expand(2, 5, 6, 3), cu_seqlens=torch.tensor([0, 5]))

        for name, wrong in (("cu_seqlens", [0, 5]), ("initial_state", 1.0)):
            with self.assertRaisesRegex(TypeError, f"expects {name} to be a tensor, but got {type(wrong).__name__}"):
                dynamic_conv(x, kernel, **{name: wrong})

    def test_speculative_decoding(self):
        """Each sequence accepts some of the tokens of a step; a ring buffer has room for the rejected ones."""
        x, weight = torch.randn(3, 6, 40), torch.randn(6, 4)
        ring, seen = torch.zeros(3, 6, 8), torch.zeros(3, dtype=torch.int64)
        results = torch.zeros(3, 6, 40)
        for accepted in ([1, 3, 5], [5, 1, 2], [4, 4, 1], [2, 5, 5], [1, 1, 1]):
            guesses = torch.stack([row[:, n : n + 5] for row, n in zip(x, seen.tolist())])
            for row, n in zip(guesses, accepted):
                row[:, n:] = torch.nan  # These guesses are wrong.
            y = causal_conv1d_update(guesses, ring, weight, cache_seqlens=seen)
            for b, n in enumerate(accepted):
                results[b, :, seen[b] : seen[b] + n] = y[b, :, :n]
            seen += torch.tensor(accepted)
        windows = torch.nn.functional.pad(x, (3, 0)).unfold(2, 4, 1)
        for b, n in enumerate(seen.tolist()):
            torch.testing.assert_close(results[b, :, :n], (windows * weight[:, None]).sum(-1)[b, :, :n])

    def test_update_of_strided_states(self):
        """States may be channels-last slices of a larger cache, and tokens a transposed view."""
        x, weight, bias = torch.randn(3, 2, 8), torch.randn(8, 4), torch.randn(8)
        cache = torch.randn(3, 5, 16)
        state = cache[:, :3, 8:].transpose(1, 2)
        expected = torch.cat([state, x.transpose(1, 2)], -1)
        y = causal_conv1d_update(x.transpose(1, 2), state, weight, bias, "silu")
        sums = (expected.unfold(2, 4, 1) * weight[:, None]).sum(-1) + bias[:, None]
        torch.testing.assert_close(y, torch.nn.functional.silu(sums))
        self.assertTrue(torch.equal(state, expected[:, :, -3:]))

    def test_zz_conv_ran(self):
        assert_conv_ran([row for row in conv.torch.report() if row.reason not in LEFT], 60)
        problems = [row.problem for row in conv.torch.report() if row.runs == "conv"]
        for what in ("packed", "initial state", "backward_state", "final state", "causal update"):
            self.assertTrue(any(what in problem for problem in problems), what)


if __name__ == "__main__":
    unittest.main()
