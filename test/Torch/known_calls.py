# RUN: %torch-python %s
"""Functions of artifacts on PyTorch's tensors: calls like earlier ones are one call, and unusual tensors are refused as ever."""

import contextlib
import gc
import sys
import unittest
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import conv
import conv.jit


@contextlib.contextmanager
def expect_known():
    """The code in Python must not run a function here."""
    with mock.patch.object(conv.Function, "_run", side_effect=AssertionError("not known")):
        yield


class KnownCalls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        problem = conv.Problem(n=2, c=3, k=4, input=(7, 5), filter=(3, 3), bias=True, function="layer")
        cls.pack = conv.compile(problem, "host")

    def setUp(self):
        torch.manual_seed(0)
        self.layer = conv.load(self.pack)["layer"]
        self.x, self.w, self.b = torch.randn(2, 7, 5, 3), torch.randn(4, 3, 3, 3), torch.randn(4)
        self.y = self.layer(self.x, self.w, self.b)
        image, taps = self.x.permute(0, 3, 1, 2), self.w.permute(0, 3, 1, 2)
        expected = torch.nn.functional.conv2d(image, taps, self.b).permute(0, 2, 3, 1)
        torch.testing.assert_close(self.y, expected, rtol=1e-4, atol=1e-4)

    def test_results(self):
        out = torch.empty_like(self.y)
        self.layer(self.x, self.w, self.b, out=out)
        with expect_known():
            result = self.layer(self.x, self.w, self.b)
            self.assertIs(self.layer(self.x, self.w, self.b, out=out), out)
        for mine in (result, out):
            torch.testing.assert_close(mine, self.y, rtol=0, atol=0)
        self.assertIs(type(result), torch.Tensor)
        self.assertFalse(result.requires_grad)
        self.assertEqual((result.dtype, result.stride(), result.is_inference()), (torch.float32, self.y.stride(), False))

    def test_gradients(self):
        """Parameters are refused while PyTorch tracks gradients, and taken otherwise; their results are plain tensors."""
        w = torch.nn.Parameter(self.w)
        with torch.no_grad():
            self.layer(self.x, w, self.b)
            self.layer(w.new_empty(2, 7, 5, 3), w, self.b)
            with expect_known():
                result = self.layer(self.x, w, self.b)
        self.assertEqual((type(result), result.requires_grad), (torch.Tensor, False))
        for operands in ((self.x, w, self.b), (self.x.requires_grad_(), self.w, self.b)):
            with self.assertRaisesRegex(conv.Error, "expects a tensor that needs no gradient, but got one with requires_grad"):
                self.layer(*operands)
        class Subclass(torch.Tensor):
            pass

        self.assertIs(type(self.layer(self.x.detach().as_subclass(Subclass), self.w, self.b)), torch.Tensor)
        with torch.inference_mode(), expect_known():
            self.layer(self.x, self.w, self.b)
        x = torch.nn.Parameter(self.x.detach())
        with torch.no_grad():
            self.layer(x, self.w, self.b)
            with expect_known():
                self.assertIs(type(self.layer(x, self.w, self.b)), torch.Tensor)

    def test_what_is_refused(self):
        lazy, meta = torch._neg_view(self.x), self.x.to("meta")
        with FakeTensorMode(allow_non_fake_inputs=True):
            fake = torch.empty(2, 7, 5, 3)
        cases = {
            "lazy negation": lazy,
            "got one without": self.x.to_sparse(),
            "expects function 'layer' for|expects a device of": meta,
            "expects a buffer, but got null": fake,
            "expects type f32, but got f64": self.x.double(),
            "expects shape": self.x[:1],
            "expects strides": torch.empty(2, 7, 3, 5).transpose(2, 3),
        }
        for message, x in cases.items():
            with self.subTest(message), self.assertRaisesRegex((conv.Error, RuntimeError), message):
                self.layer(x, self.w, self.b)

    def test_a_tensor_that_changes(self):
        """What a tensor is now counts, not what it was."""
        x = self.x.clone()
        self.layer(x, self.w, self.b)
        x.set_(torch.zeros(2, 7, 5, 3))
        torch.testing.assert_close(self.layer(x, self.w, self.b), self.b.expand(2, 5, 3, 4))
        x.resize_(1, 7, 5, 3)
        with self.assertRaisesRegex(conv.Error, "expects shape"):
            self.layer(x, self.w, self.b)

    def test_functions_of_torch_func(self):
        """A tensor that left a transform of torch.func has no memory of its own."""
        kept = []
        torch.func.vmap(lambda x: kept.append(x) or x)(torch.randn(3, 2, 7, 5, 3))
        with self.assertRaises(Exception):
            self.layer(kept[0], self.w, self.b)

    def test_jit(self):
        x, w = (t.permute(0, 3, 1, 2) for t in (self.x, self.w))
        first = conv.jit.conv2d(x, w, self.b, activation="relu")
        with mock.patch.object(conv.jit, "framework_of", side_effect=AssertionError("not known")):
            second = conv.jit.conv2d(x, w, self.b, activation="relu")
        torch.testing.assert_close(first, second, rtol=0, atol=0)
        self.assertEqual(first.stride(), second.stride())
        torch.testing.assert_close(first, self.y.permute(0, 3, 1, 2).relu())

    def test_two_frameworks(self):
        """The first operand's framework makes the results."""
        numbers = [t.numpy() for t in (self.x, self.w, self.b)]
        for _ in range(2):
            self.assertIs(type(self.layer(self.x, *numbers[1:])), torch.Tensor)
            self.assertIs(type(self.layer(numbers[0], self.w, self.b)), type(numbers[0]))

    def test_nothing_leaks(self):
        out = torch.empty_like(self.y)
        tracked = (self.x, self.w, self.b, out, torch.float32, torch.Tensor, self.layer)

        def work(count):
            for _ in range(count):
                self.layer(self.x, self.w, self.b, out=out)
                self.layer(self.x, self.w, self.b)

        def state():
            gc.collect()
            return [sys.getrefcount(each) for each in tracked], len(gc.get_objects())

        work(10)
        before = state()
        work(50000)
        after = state()
        for mine, reference in zip((*after[0], after[1]), (*before[0], before[1])):
            self.assertLess(abs(mine - reference), 100)


if __name__ == "__main__":
    unittest.main()
