# RUN: %torch-python %s
"""`max_error` reaches the compiler, forward and backward, however a convolution is called."""

import contextlib
import tempfile
import unittest
from unittest import mock

import torch
import torch.nn.functional as F
from close import assert_close

import conv
import conv.jit
import conv.torch
import conv.torch.functional as CF
from conv.torch import _calls, _choices


class MaxError(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.x, self.w = torch.randn(2, 8, 9, 7, requires_grad=True), torch.randn(8, 8, 3, 3, requires_grad=True)

    @contextlib.contextmanager
    def compiles(self, *expected):
        """All that is compiled, directions with a `max_error` of 3."""
        _choices.forget()
        _calls.forget()
        asked = []
        compile_problem = _choices.compile_problem

        def record(problem, *others):
            asked.append((problem.direction, problem.max_error))
            return compile_problem(problem, *others)

        with mock.patch.object(_choices, "compile_problem", record):
            yield
        self.assertEqual(sorted(asked), sorted((direction, 3) for direction in expected))
        self.assertEqual({row.runs for row in conv.torch.report()} - {"eager", "compile"}, {"conv"})

    def test_functions(self):
        everything = "forward", "backward_data", "backward_weight"
        with self.compiles(*everything):
            CF.conv2d(self.x, self.w, max_error=3).sum().backward()
        with self.compiles("forward", "backward_data"):
            y = CF.conv_transpose2d(self.x, self.w.detach(), max_error=3)
            y.sum().backward()
        assert_close(y, F.conv_transpose2d(self.x.double(), self.w.double()))
        with self.compiles("forward"), torch.no_grad():
            CF.convolution(self.x, self.w, activation="relu", max_error=3)
        with self.compiles("forward"), torch.no_grad():
            torch.compile(CF.conv2d, backend="aot_eager", fullgraph=True)(self.x, self.w, max_error=3)
        with self.assertRaisesRegex(ValueError, "expects max_error to be finite and 0 or more, but got -1"):
            CF.conv2d(self.x, self.w, max_error=-1)
        # Modules say so when they are made, and not in their first call.
        network, text = torch.nn.Sequential(torch.nn.Conv2d(8, 4, 3)), "expects max_error to be finite and 0 or more"
        for wrong in (-1, float("nan"), "3"):
            for make in (
                lambda wrong=wrong: conv.torch.Conv2d(8, 4, 3, max_error=wrong),
                lambda wrong=wrong: conv.torch.replace(network, max_error=wrong),
                lambda wrong=wrong: conv.torch.intercept(max_error=wrong),
                lambda wrong=wrong: conv.torch.optimize(network, (self.x,), max_error=wrong),
            ):
                self.assertRaisesRegex(ValueError, f"{text}, but got {wrong!r}", make)
        self.assertIs(type(network[0]), torch.nn.Conv2d)

    def test_another_error_is_another_kernel(self):
        with torch.no_grad(), self.compiles("forward"):
            CF.conv2d(self.x, self.w, max_error=3)
        with torch.no_grad():
            CF.conv2d(self.x, self.w)
        self.assertEqual(sorted("max_error 3" in row.problem for row in conv.torch.report()), [False, True])

    def test_modules(self):
        modules = (
            conv.torch.Conv2d(8, 4, 3, max_error=3),
            conv.torch.Conv2d(8, 4, 3, 1, 1, padding_mode="reflect", max_error=3),
            conv.torch.LazyConv2d(4, 3, max_error=3),
        )
        for module in modules:
            with torch.no_grad(), self.compiles("forward"):
                module(self.x)
        with torch.no_grad(), self.compiles("backward_data"):
            conv.torch.ConvTranspose2d(8, 4, 3, max_error=3)(self.x)

    def test_models(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(8, 4, 3), torch.nn.ReLU())
        with torch.no_grad(), self.compiles("forward"), conv.torch.intercept(max_error=3):
            model(self.x)
        with torch.no_grad(), self.compiles("forward"):
            conv.torch.optimize(model, (self.x.detach(),), max_error=3)
        conv.torch.replace(model, max_error=3)
        with torch.no_grad(), self.compiles("forward"):
            model(self.x)

    def test_saved(self):
        """Functions of a file are found though `torch.export` makes an integer a number."""
        model, x = torch.nn.Conv2d(8, 4, 3), self.x.detach()
        with tempfile.TemporaryDirectory() as folder:
            conv.torch.save(model, (x,), f"{folder}/net.convpack", max_error=3)
            _choices.forget()
            with mock.patch.object(_choices, "compile_problem", side_effect=AssertionError), torch.no_grad():
                assert_close(conv.torch.load(f"{folder}/net.convpack")(x), model.double()(x.double()))

    def test_jit(self):
        x, w = self.x.detach(), self.w.detach()
        with mock.patch.object(conv._compiler, "compile", wraps=conv._compiler.compile) as compile_one:
            y = conv.jit.conv2d(x, w, max_error=3)
            self.assertEqual(compile_one.call_args.args[0].max_error, 3)
        assert_close(y, F.conv2d(x.double(), w.double()))
        with self.assertRaisesRegex(conv.Error, "expects max_error to be finite and 0 or more, but got -1"):
            conv.jit.conv2d(x, w, max_error=-1)


if __name__ == "__main__":
    unittest.main()
