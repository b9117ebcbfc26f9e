# RUN: %torch-python %s
"""Causal convolutions, their states and gradients, on sizes that no tile divides, against PyTorch in f64."""

import doctest
import itertools
import unittest

import torch
import torch.nn.functional as F
from close import DEVICE, DEVICE_NAME, assert_close, assert_conv_ran, pairs

import conv.torch
from conv.torch import causal_conv1d_fn, causal_conv1d_update

LEFT = (
    "element-type",
    "empty",
    "disabled",
    "alignment",
    "converted",
)  # The tests of this file give PyTorch these cases.
TYPES = (torch.float32, torch.bfloat16, torch.float16)


def definition(x, weight, bias=None, initial_states=None, activation=None):
    """The convolution by the definition of the documentation."""
    channels, taps = weight.shape
    past = x.new_zeros(*x.shape[:2], taps - 1) if initial_states is None else initial_states
    y = F.conv1d(torch.cat([past, x], -1), weight[:, None], bias, groups=channels)
    return F.silu(y) if activation else y


def by_sequence(x, weight, bias, seq_idx, activation):
    """The convolution of each sequence of a packed batch by itself."""
    y = torch.zeros_like(x)
    for b, row in enumerate(seq_idx):
        for number in row.unique():
            if number >= 0:
                own = row == number
                y[b, :, own] = definition(x[b : b + 1, :, own], weight, bias, None, activation)[0]
    return y


def draw(*shape, dtype=torch.float32):
    return torch.randn(shape).to(dtype).requires_grad_()


def exact(tensors):
    return [None if tensor is None else tensor.detach().double().requires_grad_() for tensor in tensors]


class Causal(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        conv.torch.settings.measure = False  # Without timing, conv's kernels always run.

    def compare(self, x, weight, bias=None, states=None, activation=None):
        y = causal_conv1d_fn(x, weight, bias, initial_states=states, activation=activation)
        references = exact((x, weight, bias, states))
        expected = definition(*references, activation)
        assert_close(y, expected, "result")
        self.assertEqual(y.dtype, x.dtype)
        given = [tensor for tensor in (x, weight, bias, states) if tensor is not None]
        start = torch.randn_like(y)
        grads = torch.autograd.grad(y, given, start)
        references = [tensor for tensor in references if tensor is not None]
        for tensor, grad, wanted in zip(given, grads, torch.autograd.grad(expected, references, start.double())):
            self.assertEqual((grad.dtype, grad.shape), (tensor.dtype, tensor.shape))
            # Rounded are the gradient and the gradient of the sum before it.
            roundings = 1 + (activation is not None)
            rounded = x.dtype if x.dtype == weight.dtype else None  # An f32 bias sums up rounded gradients, too.
            assert_close(grad, wanted, "gradient", roundings, rounded)
        return y

    def test_widths_and_layouts(self):
        for taps, last, activation in pairs((1, 2, 3, 4, 8), (False, True), (None, "silu")):
            x = draw(2, 13, 7).transpose(1, 2) if last else draw(2, 7, 13)
            with self.subTest(taps=taps, last=last, activation=activation):
                y = self.compare(x, draw(7, taps), draw(7), activation=activation)
                self.assertEqual(y.stride(), x.stride())
                self.compare(x, draw(7, taps), activation=activation)

    def test_types(self):
        for dtype, last, activation in pairs(TYPES, (False, True), (None, "swish")):
            x = draw(1, 11, 24, dtype=dtype).transpose(1, 2) if last else draw(1, 24, 11, dtype=dtype)
            with self.subTest(dtype=dtype, last=last, activation=activation):
                self.compare(x, draw(24, 4, dtype=dtype), draw(24, dtype=dtype), activation=activation)
                self.compare(x, draw(24, 4, dtype=dtype), draw(24), activation=activation)

    def test_initial_states(self):
        """Initial states work for sequences that are longer and shorter than the states."""
        for tokens, last, activation in pairs((1, 2, 3, 4, 9), (False, True), (None, "silu")):
            x = draw(2, tokens, 5).transpose(1, 2) if last else draw(2, 5, tokens)
            with self.subTest(tokens=tokens, last=last, activation=activation):
                self.compare(x, draw(5, 4), draw(5), draw(2, 5, 3), activation)
        for dtype in TYPES:
            x, weight, states = draw(2, 8, 9, dtype=dtype), draw(8, 3, dtype=dtype), draw(2, 2, 8, dtype=dtype)
            self.compare(x, weight, None, states.transpose(1, 2), "silu")

    def test_states_without_tokens(self):
        """Filters of one tap see no state, but its gradient exists, and is as empty."""
        x, w = torch.randn(2, 8, 5, requires_grad=True), torch.randn(8, 1, requires_grad=True)
        states = torch.empty(2, 8, 0, requires_grad=True)
        y, final = causal_conv1d_fn(x, w, initial_states=states, return_final_states=True)
        torch.testing.assert_close(y, x * w)
        grads = torch.autograd.grad(y.sum() + final.sum(), (x, w, states))
        self.assertEqual([grad.shape for grad in grads], [x.shape, w.shape, states.shape])
        tokens, kernel = torch.randn(1, 5, 8), torch.randn(1, 5, 8, 1)
        packed, state = torch.tensor([0, 2, 5]), torch.empty(2, 0, 8, requires_grad=True)
        y, final = conv.torch.dynamic_conv(
            tokens, kernel, cu_seqlens=packed, initial_state=state, return_final_state=True
        )
        self.assertEqual(final.shape, state.shape)
        self.assertEqual(torch.autograd.grad(y.sum(), state)[0].shape, state.shape)

    def test_what_comes_before_does_not_leak(self):
        """NaN in the first token or in the states reaches W - 1 more tokens of the same sequence, and no other sequence."""
        x, weight, states = torch.randn(2, 3, 8), torch.randn(3, 4), torch.randn(2, 3, 3)
        x[0, :, 0] = states[1] = float("nan")
        y = causal_conv1d_fn(x, weight, initial_states=states)
        self.assertEqual(y.isnan().any(1).tolist(), [[True] * 4 + [False] * 4, [True] * 3 + [False] * 5])

    def test_final_states(self):
        for tokens in (1, 2, 3, 7):
            x, weight, states = draw(2, 5, tokens), draw(5, 4), draw(2, 5, 3)
            for initial in (None, states):
                y, final = causal_conv1d_fn(x, weight, None, None, initial, True)
                past = torch.zeros(2, 5, 3) if initial is None else initial
                self.assertTrue(torch.equal(final, torch.cat([past, x], -1)[:, :, -3:]))
                out = torch.empty(2, 3, 5).transpose(1, 2)
                _, written = causal_conv1d_fn(x.detach(), weight, None, None, initial, True, out)
                self.assertIs(written, out)
                self.assertTrue(torch.equal(out, final))
                (grad,) = torch.autograd.grad(y.sum() + final.square().sum(), x)
                both = definition(x, weight, None, initial).sum() + torch.cat([past, x], -1)[:, :, -3:].square().sum()
                torch.testing.assert_close(grad, torch.autograd.grad(both, x)[0], rtol=1e-4, atol=1e-5)

    def test_chunks_continue_each_other(self):
        x, weight, bias = torch.randn(2, 6, 17), torch.randn(6, 4), torch.randn(6)
        whole, states, chunks = causal_conv1d_fn(x, weight, bias, activation="silu"), None, []
        for chunk in x.split([5, 1, 2, 9], -1):
            y, states = causal_conv1d_fn(chunk, weight, bias, None, states, True, activation="silu")
            chunks.append(y)
        torch.testing.assert_close(torch.cat(chunks, -1), whole, rtol=1e-5, atol=1e-5)

    def test_packed_sequences(self):
        seq_idx = torch.tensor([[0, 0, 0, 1, 2, 2, -1, -1, 3, 3, 3], [4] * 10 + [5]], dtype=torch.int32)
        for dtype, activation in itertools.product((torch.float32, torch.bfloat16), (None, "silu")):
            operands = draw(2, 5, 11, dtype=dtype), draw(5, 4, dtype=dtype), draw(5, dtype=dtype)
            y = causal_conv1d_fn(*operands, seq_idx, activation=activation)
            references = exact(operands)
            expected = by_sequence(*references, seq_idx, activation)
            assert_close(y, expected)
            start = torch.randn_like(y)
            wanted = torch.autograd.grad(expected, references, start.double())
            for ours, theirs in zip(torch.autograd.grad(y, operands, start), wanted):
                assert_close(ours, theirs, "gradient")

    def test_memory_that_is_not_dense(self):
        both = draw(2, 12, 9)
        self.compare(both[:, :6], draw(6, 4), draw(6), activation="silu")
        self.compare(draw(2, 9, 12)[:, :, 6:].transpose(1, 2), draw(4, 6).t(), draw(12)[::2])
        self.compare(
            draw(2, 6, 1).expand(2, 6, 9), draw(1, 4).expand(6, 4), draw(1).expand(6), draw(2, 1, 3).expand(2, 6, 3)
        )

    def test_several_types(self):
        """Operands of two types are computed in the wider type, and the report mentions the conversion."""
        x, weight, states = draw(2, 6, 9, dtype=torch.bfloat16), draw(6, 4), draw(2, 6, 3, dtype=torch.bfloat16)
        self.compare(x, weight, draw(6), states, "silu")
        self.assertIn("converted", {row.reason for row in conv.torch.report()})
        with torch.autocast(DEVICE, torch.bfloat16):
            y = causal_conv1d_fn(x.float(), weight, draw(6))
        self.assertEqual(y.dtype, torch.bfloat16)

    def test_gradients_of_gradients(self):
        x, weight, bias, states = draw(1, 3, 5, dtype=torch.float64), *exact((draw(3, 3), draw(3), draw(1, 3, 2)))
        seq_idx = torch.tensor([[0, 0, 1, 1, -1]])
        for activation, packed in itertools.product((None, "silu"), (None, seq_idx)):

            def function(*tensors):
                past = {} if packed is not None else {"initial_states": tensors[3]}
                return causal_conv1d_fn(*tensors[:3], packed, **past, activation=activation)

            tensors = (x, weight, bias) if packed is not None else (x, weight, bias, states)
            torch.autograd.gradcheck(function, tensors)
            torch.autograd.gradgradcheck(function, tensors)
        x, weight = draw(1, 3, 5), draw(3, 3)
        (grad,) = torch.autograd.grad(causal_conv1d_fn(x, weight).pow(3).sum(), x, create_graph=True)
        (expected,) = torch.autograd.grad(definition(x, weight).pow(3).sum(), x, create_graph=True)
        for ours, theirs in zip(*(torch.autograd.grad(g.square().sum(), (x, weight)) for g in (grad, expected))):
            torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-2)

    def test_operator_is_sound(self):
        for last, activation in itertools.product((False, True), ("", "silu")):
            x = draw(2, 9, 6).detach().transpose(1, 2) if last else draw(2, 6, 9).detach()
            operands = x.requires_grad_(), draw(6, 4), draw(6)
            for states in (None, draw(2, 6, 3)):
                torch.library.opcheck(torch.ops.conv.causal_conv1d.default, (*operands, None, states, activation))
                plain = [None if tensor is None else tensor.detach() for tensor in (*operands, None, states)]
                mask = [True, True, True, states is not None]
                torch.library.opcheck(
                    torch.ops.conv.causal_conv1d_backward.default, (torch.randn(2, 6, 9), *plain, activation, None, mask)
                )
        state, indices = torch.zeros(5, 6, 4), torch.tensor([3, 0])
        torch.library.opcheck(
            torch.ops.conv.causal_conv1d_update.default,
            (torch.randn(2, 6, 1), state, torch.randn(6, 4), None, "silu", None, indices),
        )

    def test_compile_and_export(self):
        def mix(x, weight, bias, states):
            y, final = causal_conv1d_fn(x, weight, bias, None, states, True, activation="silu")
            return y * 2, final

        operands = draw(2, 5, 7), draw(5, 4), draw(5), draw(2, 5, 3)
        compiled = torch.compile(mix, fullgraph=True, backend="aot_eager")
        for ours, theirs in zip(compiled(*operands), mix(*operands)):
            torch.testing.assert_close(ours, theirs)
        grads, expected = (torch.autograd.grad(f(*operands)[0].sum(), operands) for f in (compiled, mix))
        for ours, theirs in zip(grads, expected):
            torch.testing.assert_close(ours, theirs)

        def decode(x, state, weight):
            return causal_conv1d_update(x, state, weight, activation="silu") + 1

        x, weight = torch.randn(2, 5), torch.randn(5, 4)
        states = [torch.ones(2, 5, 3), torch.ones(2, 5, 3)]
        y = torch.compile(decode, fullgraph=True, backend="aot_eager")(x, states[0], weight)
        self.assertTrue(torch.equal(y, decode(x, states[1], weight)))
        self.assertTrue(torch.equal(*states))

        class Mix(torch.nn.Module):
            def forward(self, x, weight):
                return causal_conv1d_fn(x, weight, activation="silu")

        plain = [tensor.detach() for tensor in operands[:2]]
        program = torch.export.export(Mix(), tuple(plain))
        self.assertTrue(torch.equal(program.module()(*plain), Mix()(*plain)))

    def test_update(self):
        """Updates with one or several tokens at a time compute the convolution of the whole sequence."""
        for dtype, (length, steps, activation) in itertools.product(
            TYPES, ((3, (1, 1, 2, 5, 1), "silu"), (5, (1, 3, 7), None), (4, (4, 4), "swish"))
        ):
            total = sum(steps)
            x, weight, bias = torch.randn(2, 6, total).to(dtype), torch.randn(6, 4).to(dtype), torch.randn(6).to(dtype)
            expected = definition(*(tensor.double() for tensor in (x, weight, bias)), None, activation)
            state, ring, seen = torch.zeros(2, 6, length, dtype=dtype), torch.zeros(2, 6, length, dtype=dtype), 0
            for count in steps:
                tokens = x[:, :, seen : seen + count]
                lengths = torch.full((2,), seen, dtype=torch.int32)
                y = causal_conv1d_update(tokens, state, weight, bias, activation)
                in_ring = causal_conv1d_update(tokens, ring, weight, bias, activation, cache_seqlens=lengths)
                assert_close(y, expected[:, :, seen : seen + count])
                self.assertTrue(torch.equal(in_ring, y))
                seen += count
            last = torch.cat([torch.zeros(2, 6, length, dtype=dtype), x], -1)[:, :, -length:]
            self.assertTrue(torch.equal(state, last))
            places = torch.arange(seen - length, seen) % length
            self.assertTrue(torch.equal(ring[:, :, places], last))

    def test_update_of_one_token(self):
        state, x, weight = torch.randn(3, 5, 2), torch.randn(3, 5), torch.randn(5, 3)
        expected = (torch.cat([state, x[:, :, None]], -1) * weight).sum(-1)
        y = causal_conv1d_update(x, state, weight)
        torch.testing.assert_close(y, expected)
        self.assertTrue(torch.equal(state[:, :, 1], x))

    def test_update_of_nothing(self):
        """An empty batch of a selection changes no state."""
        state, weight = draw(3, 4, 3), draw(4, 4)
        before = state.clone()
        for x in (draw(0, 4), draw(0, 4, 2)):
            y = causal_conv1d_update(x, state, weight, conv_state_indices=torch.zeros(0, dtype=torch.int32))
            self.assertEqual(y.shape, x.shape)
            self.assertTrue(torch.equal(state, before))

    def test_update_of_a_selection(self):
        """Continuous batching: states are in any order, and padding changes no state."""
        for indices in ([4, 0, 2], [4, -1, 0], [-1, 1, -7], [-1, -1, -1]):
            for lengths in (None, torch.tensor([5, 0, 9])):
                states, x, weight = torch.randn(6, 5, 4), torch.randn(3, 5, 2), torch.randn(5, 3)
                expected, results = states.clone(), torch.zeros(3, 5, 2)
                for place, index in enumerate(indices):
                    if index >= 0:
                        one = slice(index, index + 1), slice(place, place + 1)
                        length = None if lengths is None else lengths[one[1]]
                        results[one[1]] = causal_conv1d_update(
                            x[one[1]], expected[one[0]], weight, cache_seqlens=length
                        )
                y = causal_conv1d_update(
                    x, states, weight, None, None, lengths, torch.tensor(indices, dtype=torch.int32)
                )
                torch.testing.assert_close(y, results)
                self.assertTrue(torch.equal(states, expected))

    @unittest.skipIf(DEVICE != "cpu", "the examples show tensors without a device")
    def test_examples_of_the_documentation(self):
        self.assertEqual(doctest.testmod(conv.torch._causal_functions), (0, 4))
        self.assertEqual(doctest.testmod(conv.torch._tokens), (0, 3))

    def test_errors(self):
        x, weight = torch.ones(2, 3, 5), torch.ones(3, 4)
        state = torch.ones(2, 3, 3)
        for message, function in (
            (r"expects x \(B, D, T\), but got \(3, 5\)", lambda: causal_conv1d_fn(x[0], weight)),
            (r"expects weight \(3, W\), .*, but got \(4, 3\)", lambda: causal_conv1d_fn(x, weight.t())),
            (r"expects bias \(3\), but got \(2\,\)", lambda: causal_conv1d_fn(x, weight, torch.ones(2))),
            (f"expects x of a floating type on {DEVICE_NAME}, but got torch.int64", lambda: causal_conv1d_fn(x.long(), weight)),
            (
                r"initial_states \(2, 3, 3\) of torch.float32, but got \(2, 3, 4\)",
                lambda: causal_conv1d_fn(x, weight, initial_states=torch.ones(2, 3, 4)),
            ),
            (
                "final_states_out .*, but got .* of torch.float64",
                lambda: causal_conv1d_fn(x, weight, return_final_states=True, final_states_out=state.double()),
            ),
            (
                r"seq_idx of integers \(2, 5\), but got torch.float32",
                lambda: causal_conv1d_fn(x, weight, seq_idx=torch.ones(2, 5)),
            ),
            (
                "seq_idx without initial_states and return_final_states",
                lambda: causal_conv1d_fn(x, weight, None, torch.zeros(2, 5, dtype=torch.int), state),
            ),
            (r"expects x \(B, D\) or \(B, D, T\)", lambda: causal_conv1d_update(x[None], state, weight)),
            (
                r"conv_state \(2, 3, L\) .* at least 3, but got \(2, 3, 2\)",
                lambda: causal_conv1d_update(x, state[..., 1:], weight),
            ),
            (
                "one type, but got torch.float32 and torch.float16",
                lambda: causal_conv1d_update(x, state, weight.half()),
            ),
            (
                r"cache_seqlens of integers \(2,\), but got torch.int64 \(3,\)",
                lambda: causal_conv1d_update(x, state, weight, cache_seqlens=torch.zeros(3, dtype=torch.long)),
            ),
        ):
            with self.assertRaisesRegex(ValueError, message):
                function()
        for function in (causal_conv1d_fn, lambda x, w, **rest: causal_conv1d_update(x, state, w, **rest)):
            with self.assertRaisesRegex(NotImplementedError, "activation None, 'silu' or 'swish', but got 'relu'"):
                function(x, weight, activation="relu")
            with self.assertRaisesRegex(NotImplementedError, r"activation None, 'silu' or 'swish', but got \['silu'\]"):
                function(x, weight, activation=["silu"])
            with self.assertRaisesRegex(TypeError, "expects weight to be a tensor, but got NoneType"):
                function(x, None)
        with self.assertRaisesRegex(TypeError, "expects conv_state to be a tensor, but got NoneType"):
            causal_conv1d_update(x, None, weight)
        with self.assertRaisesRegex(ValueError, r"conv_state_indices of integers \(2,\), but got torch.bool"):
            causal_conv1d_update(x, state, weight, conv_state_indices=torch.tensor([True, False]))

    def test_what_pytorch_runs(self):
        self.assertEqual(causal_conv1d_fn(torch.ones(2, 3, 0), torch.ones(3, 4)).shape, (2, 3, 0))
        wide = draw(1, 3, 4, dtype=torch.float64)
        self.compare(wide, draw(3, 2, dtype=torch.float64), activation="silu")
        conv.torch.settings.enabled = False
        try:
            self.compare(draw(1, 3, 4), draw(3, 2))
        finally:
            conv.torch.settings.enabled = True
        reasons = {row.reason for row in conv.torch.report() if row.runs == "torch"}
        self.assertLessEqual({"element-type", "empty", "disabled"}, reasons)

    @unittest.skipIf(DEVICE != "cpu", "of the CPU")
    def test_y_the_faster_one_stays(self):
        """On the CPU, whose kernels have no main loop for depthwise convolutions, both ways are timed."""
        conv.torch.settings.measure = None
        x, weight = torch.randn(1, 19, 31), torch.randn(19, 4)
        assert_close(causal_conv1d_fn(x, weight), definition(x.double(), weight.double()))
        (row,) = [row for row in conv.torch.report() if row.problem.startswith("forward f32 1x19x31")]
        self.assertGreater(row.conv_seconds, 0)
        self.assertEqual(row.runs, "torch" if row.torch_seconds < 0.97 * row.conv_seconds else "conv")

    def test_zz_conv_ran(self):
        assert_conv_ran([row for row in conv.torch.report() if row.reason not in (*LEFT, "measured")], 60)


if __name__ == "__main__":
    unittest.main()
