# RUN: %torch-python %s
"""Calls like an earlier one skip the checks of the first, and give what the first would."""

import contextlib
import itertools
import unittest
from unittest import mock

import torch
import torch.nn.functional as F
from torch.autograd import forward_ad

import conv.torch
import conv.torch.functional as CF
from conv.torch import _autograd, _calls, _choices, _gradients, _shortcuts


class Shortcuts(unittest.TestCase):
    def setUp(self):
        conv.torch.settings.measure = False
        _choices.forget()
        _calls.forget()
        torch.manual_seed(0)
        self.x, self.w, self.b = torch.randn(2, 4, 7, 9), torch.randn(6, 4, 3, 3), torch.randn(6)

    def tearDown(self):
        conv.torch.settings.enabled = True

    def compare(self, ours, theirs):
        """Both give the same, or raise the same."""
        try:
            expected = theirs()
        except Exception as error:
            with self.assertRaises(type(error)):
                ours()
            return
        torch.testing.assert_close(ours(), expected, rtol=1e-4, atol=1e-4)

    def test_second_call(self):
        """It asks for no choice, and goes through no check."""
        calls = (
            lambda: CF.conv2d(self.x, self.w, self.b, padding=1),
            lambda: CF.conv_transpose2d(self.x, self.w[:4], None, 2, output_padding=1),
        )
        for call in calls:
            first = call()
            with mock.patch.object(_autograd, "convolution", side_effect=AssertionError):
                torch.testing.assert_close(call(), first)

    def test_ranks(self):
        """Operands of one rank are bad input of another, also after a call that took them."""
        x, w = torch.randn(2, 4, 9), torch.randn(6, 4, 3)
        for grad in (False, True):
            w.requires_grad_(grad)
            CF.conv1d(x, w)
            CF.conv_transpose1d(x, w[:4])
            self.compare(lambda: CF.conv2d(x, w), lambda: F.conv2d(x, w))
            self.compare(lambda: CF.conv_transpose3d(x, w[:4]), lambda: F.conv_transpose3d(x, w[:4]))
            self.compare(lambda: CF.conv1d(x, w), lambda: F.conv1d(x, w))

    def test_modules(self):
        """Of each padding mode; with and without gradients."""
        for mode in ("zeros", "circular"):
            module = conv.torch.Conv2d(4, 6, 3, padding=1, padding_mode=mode)
            first = module(self.x)
            grads = torch.autograd.grad(first.square().sum(), list(module.parameters()))
            with mock.patch.object(_autograd, "convolution", side_effect=AssertionError):
                again = module(self.x)
                with torch.no_grad():
                    torch.testing.assert_close(module(self.x), first)
            self.assertTrue(again.requires_grad)
            torch.testing.assert_close(torch.autograd.grad(again.square().sum(), list(module.parameters())), grads)

    def test_sizes_that_equal_valid_ones(self):
        for valid in (1, (1, 1)):
            CF.conv2d(self.x, self.w, self.b, valid, valid, valid)
        equal = (1.0, True, (1.0, 1), (True, 1), [1, 1], [1, 1.0])
        for place in range(3):
            for size in equal:
                sizes = [(1, 1)] * 3
                sizes[place] = size
                with self.subTest(sizes):
                    self.compare(
                        lambda: CF.conv2d(self.x, self.w, self.b, *sizes),
                        lambda: F.conv2d(self.x, self.w, self.b, *sizes),
                    )
        for groups in (1.0, True):
            with self.assertRaises(TypeError):
                CF.conv2d(self.x, self.w, self.b, 1, 1, 1, groups)

    def test_modules_that_change(self):
        theirs, ours = torch.nn.Conv2d(4, 6, 3), conv.torch.Conv2d(4, 6, 3)
        ours.load_state_dict(theirs.state_dict())
        changes = ("stride", (2, 2)), ("padding", (1, 0)), ("dilation", (2, 1)), ("padding", "valid"), ("bias", None)
        for name, value in changes:
            with self.subTest(name=name, value=value):
                for module in (theirs, ours):
                    module(self.x)
                    setattr(module, name, value)
                self.compare(lambda: ours(self.x), lambda: theirs(self.x))
        for module in (theirs, ours):
            module.weight.data = module.weight.data.to(memory_format=torch.channels_last)
        self.assertEqual(ours(self.x).stride(), theirs(self.x).stride())
        self.compare(lambda: ours(self.x), lambda: theirs(self.x))

    def test_what_observes_a_call(self):
        """Nothing is hidden from it, whatever ran before."""
        x, w = self.x, self.w

        def both(transform):
            for function in (CF.conv2d, F.conv2d):
                function(x, w)
            self.compare(lambda: transform(CF.conv2d), lambda: transform(F.conv2d))

        def autocast(f):
            with torch.autocast("cpu", torch.bfloat16):
                return f(x, w).dtype, torch.tensor(0)

        def dual(f):
            with forward_ad.dual_level():
                return forward_ad.unpack_dual(f(forward_ad.make_dual(x, x), w)).tangent

        self.assertEqual(autocast(CF.conv2d), autocast(F.conv2d))
        both(dual)
        both(lambda f: torch.vmap(lambda x: f(x[None], w))(x))
        both(lambda f: torch.func.grad(lambda w: f(x, w).square().sum())(w))
        both(lambda f: f(x.to("meta"), w.to("meta")).shape.numel() * torch.ones(1))
        seen = []

        class Mode(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                seen.append(function)
                return function(*args, **(kwargs or {}))

        with Mode():
            CF.conv2d(x, w)
        self.assertIn(CF.conv2d, seen)

    def test_settings(self):
        """They hold from the next call on."""
        CF.conv2d(self.x, self.w)
        [(_, _, (choice, *_), *_)] = _shortcuts._entries.values()
        calls = choice.calls
        CF.conv2d(self.x, self.w)
        self.assertEqual(choice.calls, calls + 1)
        self.assertEqual((choice.runs, choice.reason, choice.detail), ("conv", "", ""))
        conv.torch.settings.enabled = False
        self.compare(lambda: CF.conv2d(self.x, self.w), lambda: F.conv2d(self.x, self.w))
        self.assertEqual(choice.calls, calls + 1)
        _calls.forget()
        self.assertFalse(_shortcuts._entries)

    def test_calls_that_pytorch_runs(self):
        """Of types without kernels, and where its kernel was faster: they skip all checks, too, and are counted."""
        CF.conv2d(self.x, self.w)
        [faster] = _choices.all_choices()
        faster.kernel, faster.reason = None, "measured"
        wide = self.x.double(), self.w.double()
        for operands in ((self.x, self.w), wide):
            expected = F.conv2d(*operands)
            for count in range(3):
                patch = mock.patch.object(_autograd, "convolution", side_effect=AssertionError)
                with patch if count == 2 else contextlib.nullcontext():
                    torch.testing.assert_close(CF.conv2d(*operands), expected)
        self.assertEqual({choice.reason: choice.calls for choice in _choices.all_choices()}, {"measured": 4, "element-type": 3})
        weight = self.w.clone().requires_grad_()
        CF.conv2d(self.x, weight).sum().backward()
        expected = torch.autograd.grad(F.conv2d(self.x, weight).sum(), weight)[0]
        torch.testing.assert_close(weight.grad, expected, rtol=1e-4, atol=1e-3)
        self.assertEqual(faster.calls, 5)

    def test_second_backward(self):
        """It asks for no choice either, whichever gradients are wanted, whatever the strides of the output's, and whatever
        hooks make of the saved tensors."""
        last = torch.channels_last
        window = dict(stride=(1, 2), padding=(1, 0), dilation=1, groups=2)
        weights = {CF.conv2d: torch.randn(6, 2, 3, 3), CF.conv_transpose2d: torch.randn(4, 3, 3, 3)}
        for ours, theirs in ((CF.conv2d, F.conv2d), (CF.conv_transpose2d, F.conv_transpose2d)):
            start = torch.randn_like(theirs(self.x, weights[ours], None, **window))
            starts = start, start.to(memory_format=last), torch._neg_view(start), start[:1, :1, :1, :1].expand_as(start)
            for number, mask in itertools.product(range(4), range(1, 8)):
                repacked = torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t.contiguous(memory_format=last))
                for hooks in (contextlib.nullcontext(), contextlib.nullcontext(), repacked):
                    operands = [
                        tensor.clone().requires_grad_(bool(mask >> place & 1))
                        for place, tensor in enumerate((self.x, weights[ours], self.b))
                    ]
                    with hooks:
                        result = ours(*operands, **window)
                    result.backward(starts[number])
                    wanted = [tensor for tensor in operands if tensor.requires_grad]
                    expected = torch.autograd.grad(theirs(*operands, **window), wanted, starts[number])
                    for tensor, grad in zip(wanted, expected):
                        torch.testing.assert_close(tensor.grad, grad, rtol=1e-4, atol=1e-4)
                with mock.patch.object(_gradients, "_choose", side_effect=AssertionError):
                    ours(*operands, **window).backward(starts[number])

    def test_gradients_that_pytorch_computes(self):
        """They skip all checks, too, and are counted, also where only one of them has a kernel."""
        x, w = self.x.clone().requires_grad_(), self.w.clone().requires_grad_()
        result = CF.conv2d(x, w)
        start = torch.randn_like(result)
        expected = torch.autograd.grad(F.conv2d(x, w), (x, w), start)

        def check(name):
            grads = torch.autograd.grad(result, (x, w), start, retain_graph=True)
            torch.testing.assert_close(grads, expected, rtol=1e-4, atol=1e-4, msg=name)

        check("first")
        choices = [c for c in _choices.all_choices() if c.problem.direction != "forward"]
        self.assertEqual([choice.calls for choice in choices], [1, 1])
        for left in range(2):
            choices[left].kernel, choices[left].reason = None, "measured"
            check("chosen again")
            with mock.patch.object(_gradients, "_choose", side_effect=AssertionError):
                check("known")
        self.assertEqual([choice.calls for choice in choices], [5, 5])
        conv.torch.settings.enabled = False
        check("disabled")
        self.assertEqual([choice.calls for choice in choices], [5, 5])

    def test_gradients_of_gradients(self):
        def second(f):
            x, w, b = (tensor.clone().requires_grad_() for tensor in (self.x, self.w, self.b))
            f(x, w, b)
            grads = torch.autograd.grad(f(x, w, b).square().mean(), (x, w, b), create_graph=True)
            return torch.autograd.grad(sum(grad.square().sum() for grad in grads), (x, w, b))

        self.compare(lambda: second(CF.conv2d), lambda: second(F.conv2d))

    def test_operands_changed_in_place(self):
        def change(f):
            w = self.w.clone().requires_grad_()
            f(self.x, w)
            result = f(self.x, w)
            with torch.no_grad():
                w += 1
            result.sum().backward()

        self.compare(lambda: change(CF.conv2d), lambda: change(F.conv2d))

    def test_tensors_that_left_a_transform(self):
        """They wrap the tensor with the data."""
        left = []
        torch.func.jvp(lambda x: left.append(x * 2) or x, (self.x,), (self.x,))
        torch.func.grad(lambda x: left.append(x * 2) or x.sum())(self.x)
        for tensor in left:
            for weight in (self.w, self.w.clone().requires_grad_()):
                for _ in range(2):
                    torch.testing.assert_close(CF.conv2d(tensor, weight), F.conv2d(self.x * 2, weight), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
