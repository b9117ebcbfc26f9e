# RUN: %torch-python %s
"""Modules: the constructors, parameters and state of PyTorch, and replacing modules in place."""

import copy
import inspect
import threading
import unittest
import warnings
from unittest import mock

import torch
from close import assert_close, assert_conv_ran

import conv
import conv.torch

NAMES = ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")


class Modules(unittest.TestCase):
    def setUp(self):
        conv.torch.settings.measure = False  # Without timing, conv's kernels always run.
        torch.manual_seed(0)

    def test_like_pytorch(self):
        options = (
            {},
            {"stride": 2, "padding": 1, "bias": False},
            {"groups": 2, "dilation": 2, "padding": 2},
            {"padding": 2, "padding_mode": "reflect"},
            {"padding": 1, "padding_mode": "circular"},
            {"padding": "same", "padding_mode": "replicate", "dilation": 3},
        )
        for name in NAMES:
            rank = int(name[-2])
            for given in options:
                if "Transpose" in name and "padding_mode" in given:
                    continue
                theirs = getattr(torch.nn, name)(4, 6, 3, **given)
                ours = getattr(conv.torch, name)(4, 6, 3, **given)
                self.assertEqual(repr(ours), repr(theirs))
                ours.load_state_dict(theirs.state_dict())
                x = torch.randn(2, 4, *(9, 7, 8)[:rank])
                with self.subTest(name=name, given=given):
                    assert_close(ours(x), copy.deepcopy(theirs).double()(x.double()))

    def test_signatures(self):
        """Constructors have PyTorch's parameters, and `max_error`; subclasses have their own."""
        for name in [prefix + name for prefix in ("", "Lazy") for name in NAMES]:
            ours, theirs = (inspect.signature(getattr(module, name)) for module in (conv.torch, torch.nn))
            *same, last = ours.parameters.values()
            self.assertEqual(same, list(theirs.parameters.values()))
            self.assertEqual((last.name, last.kind, last.default), ("max_error", last.KEYWORD_ONLY, 0.0))

        class Mine(conv.torch.Conv2d):
            def __init__(self, channels):
                super().__init__(channels, channels, kernel_size=1, max_error=3)

        self.assertEqual(list(inspect.signature(Mine).parameters), ["channels"])
        self.assertEqual(Mine(2).max_error, 3)

    def test_output_size(self):
        ours = conv.torch.ConvTranspose2d(3, 4, 3, stride=2, padding=1)
        x = torch.randn(1, 3, 5, 5)
        self.assertEqual(ours(x, output_size=(10, 9)).shape, (1, 4, 10, 9))
        with self.assertRaises(ValueError):
            ours(x, output_size=(20, 9))

    def test_replace(self):
        class Mine(torch.nn.Conv2d):
            pass

        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), Mine(4, 4, 1), torch.nn.ConvTranspose2d(4, 2, 2, 2)
        )
        expected = model.eval()(torch.ones(1, 3, 9, 9)).detach()
        state, parameters = model.state_dict(), list(map(id, model.parameters()))
        fired = []
        model[0].register_forward_hook(lambda *_: fired.append(1))
        found = {item.name: item.reason for item in conv.torch.replace(model)}
        self.assertEqual([name for name, reason in found.items() if not reason], ["0", "3"])
        self.assertIn("class", found["2"])
        self.assertEqual((state.keys(), parameters), (model.state_dict().keys(), list(map(id, model.parameters()))))
        torch.testing.assert_close(model(torch.ones(1, 3, 9, 9)), expected)
        self.assertEqual(fired, [1])
        self.assertEqual(conv.torch.replace(model[0:2]), [], "swapping twice does nothing")

    def test_replace_with_another_error(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), conv.torch.Conv2d(4, 4, 1, max_error=1), torch.nn.LazyConv2d(4, 1))
        for given, expected in ((None, [0, 1, 0]), (2, [2, 2, 2]), (None, [2, 2, 2]), (0, [0, 0, 0])):
            conv.torch.replace(model, max_error=given)
            self.assertEqual([getattr(module, "max_error", 0) for module in model], expected)

    def test_replace_quantised(self):
        """Modules for quantised inference and quantisation-aware training are named and left alone."""
        import torch.ao.nn.qat
        import torch.ao.nn.quantized
        from torch.ao.quantization import get_default_qat_qconfig

        trained = torch.ao.nn.qat.Conv2d(4, 4, 3, qconfig=get_default_qat_qconfig("fbgemm"))
        fused = torch.ao.nn.intrinsic.ConvReLU2d(torch.nn.Conv2d(4, 4, 3), torch.nn.ReLU())
        model = torch.nn.Sequential(torch.ao.nn.quantized.Conv2d(4, 4, 3, device="cpu"), trained, fused)
        found = {item.name: item.reason for item in conv.torch.replace(model)}
        self.assertEqual(found.keys(), {"0", "1", "2.0"})
        self.assertIn("quantisation", found["0"])
        self.assertIn("quantisation", found["1"])
        self.assertEqual(found["2.0"], "")

    def test_replace_parametrized(self):
        """Parametrised weights stay parametrised, are trained and copied, and lose the parametrisation on request."""
        from torch.nn.utils import parametrizations, parametrize

        def make(norm):
            torch.manual_seed(0)
            return torch.nn.Sequential(norm(torch.nn.Conv2d(4, 6, 3)), norm(torch.nn.ConvTranspose2d(6, 4, 2)))

        x = torch.randn(2, 4, 9, 7)
        for norm in (parametrizations.weight_norm, parametrizations.spectral_norm, torch.nn.utils.weight_norm):
            with self.subTest(norm=norm):
                ours, theirs = make(norm), make(norm)
                self.assertEqual([item.reason for item in conv.torch.replace(ours)], ["", ""])
                self.assertEqual(ours.state_dict().keys(), theirs.state_dict().keys())
                is_parametrized = parametrize.is_parametrized(ours[0])
                for network in (copy.deepcopy(ours), ours) if is_parametrized else (ours,):
                    theirs = make(norm)
                    results = [each(x) for each in (network, theirs)]
                    torch.testing.assert_close(*results, rtol=1e-5, atol=1e-6)
                    for result in results:
                        result.square().mean().backward()
                    for mine, other in zip(network.parameters(), theirs.parameters()):
                        torch.testing.assert_close(mine.grad, other.grad, rtol=1e-4, atol=1e-6)
                self.assertEqual(conv.torch.replace(ours), [], "swapping twice does nothing")
                if is_parametrized:
                    parametrize.remove_parametrizations(ours[0], "weight")
                    self.assertIs(type(ours[0]), conv.torch.Conv2d)

    def test_lazy(self):
        """Lazy modules of conv.torch, and lazy modules that are replaced, get their sizes at the first call."""
        for name in NAMES:
            rank = int(name[-2])
            x = torch.randn(2, 4, *(9, 7, 8)[:rank])
            model = torch.nn.Sequential(getattr(torch.nn, "Lazy" + name)(6, 3, padding=1))
            self.assertEqual([item.reason for item in conv.torch.replace(model)], [""])
            for module in (model, getattr(conv.torch, "Lazy" + name)(6, 3, padding=1)):
                result = module(x)
                became = module[0] if module is model else module
                self.assertIs(type(became), getattr(conv.torch, name))
                like = getattr(torch.nn, name)(4, 6, 3, padding=1)
                like.load_state_dict(became.state_dict())
                assert_close(result, like.double()(x.double()), name)

    def test_restore(self):
        """Everything is PyTorch's again, parametrized and lazy modules too, and can be scripted."""
        from torch.nn.utils import parametrizations

        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3), parametrizations.weight_norm(torch.nn.ConvTranspose2d(4, 2, 2)), torch.nn.LazyConv2d(3, 1)
        )
        kinds = [kind.__mro__[1:] if "Parametrized" in kind.__name__ else kind for kind in map(type, model)]
        conv.torch.replace(model, max_error=2)
        with self.assertRaisesRegex(RuntimeError, "but got conv.torch.Conv2d: conv.torch.restore"):
            torch.jit.script(model[0])
        self.assertEqual(conv.torch.restore(model), ["0", "1", "2"])
        now = [kind.__mro__[1:] if "Parametrized" in kind.__name__ else kind for kind in map(type, model)]
        self.assertEqual(now, kinds)
        self.assertFalse(any("max_error" in vars(module) for module in model))
        x = torch.randn(1, 3, 7, 7)
        expected = model(x)
        torch.testing.assert_close(torch.jit.script(model[0])(x), model[0](x))
        conv.torch.replace(model)
        torch.testing.assert_close(model(x), expected, rtol=1e-4, atol=1e-5)
        self.assertEqual(conv.torch.restore(torch.nn.Sequential(conv.torch.Conv3d(1, 1, 1))), ["0"])
        self.assertEqual(conv.torch.restore(torch.nn.Sequential(torch.nn.Conv2d(1, 1, 1))), [])

    def test_onnx(self):
        """An export to ONNX sees PyTorch's operators, with no conversion of the model."""
        model = torch.nn.Sequential(conv.torch.Conv2d(3, 4, 3, padding=1, padding_mode="reflect"), conv.torch.ConvTranspose2d(4, 2, 2))
        x = torch.randn(1, 3, 7, 7)
        for is_onnx in (False, True):
            with mock.patch.object(torch.onnx, "is_in_onnx_export", lambda is_onnx=is_onnx: is_onnx):
                program = torch.export.export(model, (x,))
            names = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
            self.assertEqual(any(name.startswith("conv.") for name in names), not is_onnx, names)
            torch.testing.assert_close(program.module()(x), model(x))

    def test_training_step(self):
        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, padding=1),
            torch.nn.BatchNorm2d(8),
            torch.nn.ReLU(),
            torch.nn.Conv2d(8, 4, 3, stride=2),
        )
        exact = copy.deepcopy(model).double()
        conv.torch.replace(model)
        x = torch.randn(4, 3, 10, 10)
        for network, image in ((model, x), (exact, x.double())):
            network(image).square().mean().backward()
        for (name, mine), reference in zip(model.named_parameters(), exact.parameters()):
            if name != "0.bias":  # Batch norm cancels this bias, whose gradient is only rounding errors.
                torch.testing.assert_close(mine.grad.double(), reference.grad, rtol=1e-4, atol=1e-6)

    def test_copies_and_pickles(self):
        import pickle

        ours = conv.torch.Conv2d(3, 4, 3)
        x = torch.randn(1, 3, 6, 6)
        for other in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
            self.assertTrue(torch.equal(other(x), ours(x)))

    def test_threads(self):
        ours = conv.torch.Conv2d(5, 7, 3)
        x = torch.randn(3, 5, 12, 13)
        expected, results = ours(x), []
        threads = [threading.Thread(target=lambda: results.append(ours(x))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(all(torch.equal(result, expected) for result in results) and len(results) == 8)

    def test_background(self):
        """Calls run on PyTorch until the kernel is compiled."""
        conv.torch.settings.background = True
        try:
            ours = conv.torch.Conv2d(3, 11, 5)
            x = torch.randn(1, 3, 17, 17)
            expected = copy.deepcopy(ours).double()(x.double())
            for _ in range(200):
                assert_close(ours(x), expected)
                row = next(row for row in conv.torch.report() if "17x17 -> 11" in row.problem)
                if row.runs == "conv":
                    break
                torch.zeros(1)
                import time

                time.sleep(0.05)
            self.assertEqual(row.runs, "conv")
        finally:
            conv.torch.settings.background = False

    def test_results_that_differ(self):
        """A kernel whose result differs from PyTorch's when both are timed is not used."""
        from conv.torch import _choices

        problem = conv.Problem(n=1, c=1, k=1, input=(1,), filter=(1,))
        choice = _choices.Choice(problem, "cuda:0", "", "")
        choice.kernel = object()
        with self.assertWarnsRegex(UserWarning, "differ by 1 of the largest element"):
            choice.measure(lambda: torch.zeros(3), lambda: torch.tensor([0.5, float("inf"), 2.0]))
        self.assertEqual((choice.kernel, choice.reason), (None, "differs"))

    def test_no_compiler(self):
        """If kernels cannot be compiled, results are right, and a warning says that PyTorch computed them."""
        from conv.torch import _choices

        ours, x = conv.torch.Conv2d(3, 9, 5), torch.randn(1, 3, 11, 11)
        error = conv.Error(conv.ErrorKind.SYSTEM, "cannot read 'tuned.db'")
        with mock.patch.object(_choices, "compile_problem", side_effect=error):
            with self.assertWarnsRegex(UserWarning, "PyTorch's kernels run.*cannot read 'tuned.db'"):
                assert_close(ours(x), copy.deepcopy(ours).double()(x.double()))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                ours(x)
        for key in [key for key, choice in _choices._choices.items() if choice.reason == "compiler"]:
            del _choices._choices[key]

    def test_other_values(self):
        """What is no module is refused by its type."""
        for value in (None, torch.zeros(1), torch.nn.Conv2d):
            for function in (conv.torch.replace, conv.torch.restore):
                with self.assertRaisesRegex(TypeError, f"expects a model .*, but got {type(value).__name__}"):
                    function(value)

    def test_disabled(self):
        conv.torch.settings.enabled = False
        try:
            ours = conv.torch.Conv2d(3, 13, 5)
            ours(torch.randn(1, 3, 9, 9))
            self.assertIn("disabled", {row.reason for row in conv.torch.report()})
        finally:
            conv.torch.settings.enabled = True

    def test_warmup(self):
        model = torch.nn.Sequential(conv.torch.Conv2d(3, 19, 3), torch.nn.BatchNorm2d(19), torch.nn.Dropout())
        mean = model[1].running_mean.clone()
        report = conv.torch.warmup(model, (torch.randn(2, 3, 8, 8),))
        self.assertEqual(sum("-> 19" in row.problem for row in report), 2, report)  # Forward and filter gradient.
        self.assertTrue(torch.equal(model[1].running_mean, mean))
        self.assertIsNone(model[0].weight.grad)

    def test_zz_conv_ran(self):
        assert_conv_ran(
            [row for row in conv.torch.report() if row.reason not in ("disabled", "element-type", "compiling")], 30
        )


if __name__ == "__main__":
    unittest.main()
