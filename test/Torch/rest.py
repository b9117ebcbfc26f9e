# RUN: rm -rf %t && mkdir %t && %torch-python %s %t
"""What an optimised model has beside convolutions: torch.compile's code or PyTorch's, measured, forced, forbidden, missing."""

import copy
import pickle
import os
import subprocess
import sys
import unittest
from unittest import mock

import torch
import torch.nn.functional as F

import conv.torch
from conv.torch import _calls, _choices, _measurements, _rest

FOLDER = sys.argv.pop()
os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{FOLDER}/inductor"


class Normed(torch.nn.Module):
    """A convolution between what is none: group norm, silu, resizing and a linear layer."""

    def __init__(self):
        super().__init__()
        self.norm, self.conv = torch.nn.GroupNorm(2, 8), torch.nn.Conv2d(8, 6, 3, padding=1)
        self.linear = torch.nn.Linear(6, 5)

    def forward(self, x):
        y = F.interpolate(self.conv(F.silu(self.norm(x))), scale_factor=2.0, mode="nearest")
        return self.linear(y.movedim(1, -1)).sigmoid()


class Rest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch._dynamo.reset()
        _choices.forget()
        _calls.forget()
        self.model, self.x = Normed().eval(), torch.randn(2, 8, 5, 7)
        with torch.no_grad():
            self.expected = self.model(self.x)

    def optimize(self, **options):
        _choices.forget()
        module = conv.torch.optimize(self.model, (self.x,), **options)
        self.check(module)
        rows = [row for row in conv.torch.report() if row.runs not in ("conv", "torch")]
        self.assertIn("1 of 1 problems", str(conv.torch.report()))
        return module, rows

    def check(self, module):
        with torch.no_grad():
            torch.testing.assert_close(module(self.x), self.expected, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(module(self.x).detach(), self.expected, rtol=1e-4, atol=1e-5)

    def test_buffers_stay(self):
        """Calls that time both ways do not change a buffer of the model."""

        class Counted(Normed):
            def __init__(self):
                super().__init__()
                self.register_buffer("calls", torch.zeros(()))

            def forward(self, x):
                self.calls += 1
                return super().forward(x)

        model = Counted().eval()
        for named in ({}, {"compile_rest": False}):
            conv.torch.optimize(model, (self.x,), **named)
            self.assertEqual(model.calls, 0)

    def test_the_faster_one_stays(self):
        module, [row] = self.optimize()
        self.assertEqual((row.reason, row.device), ("measured", "cpu"))
        fastest = min(row.conv_seconds, row.torch_seconds)
        self.assertEqual(row.runs, "compile" if fastest == row.conv_seconds else "eager")
        self.assertEqual(isinstance(module, _rest.CompiledModule), row.runs == "compile")
        for times, runs in (((1.0, 2.0), "compile"), ((2.0, 1.0), "eager")):
            with mock.patch.object(_rest, "_time", lambda *_, times=times: list(times)):
                module, [row] = self.optimize()
            self.assertEqual((row.runs, row.conv_seconds, row.torch_seconds), (runs, *times))
            self.assertEqual(isinstance(module, _rest.CompiledModule), runs == "compile")

    def test_wrong_code_is_not_used(self):
        """The compiled module is compared with the model; if it differs, PyTorch's kernels run, or the demand fails."""

        def compile_wrong(graph, inputs):
            return lambda *inputs: self.model(*inputs) * 1.01

        with mock.patch.object(torch._inductor, "compile", compile_wrong):
            for measure in (None, False):
                with self.assertWarnsRegex(UserWarning, "result 0 differs by 0.01 of the model's"):
                    module, [row] = self.optimize(measure=measure)
                self.assertEqual((row.runs, row.reason, type(module).__name__), ("eager", "differs", "GraphModule"))
            with self.assertRaisesRegex(RuntimeError, "expects the results of the model"):
                conv.torch.optimize(self.model, (self.x,), compile_rest=True)

    def test_modules_have_rows_of_their_own(self):
        for _ in range(2):
            conv.torch.optimize(self.model, (self.x,), measure=False)
        names = [row.problem for row in conv.torch.report() if row.runs == "compile"]
        self.assertRegex(names[0], r"^Normed with \d operators that are no convolutions$")
        self.assertEqual(names[1:], [f"{names[0]} (2)"])

    def test_compiled_once(self):
        """Without gradients, under inference mode or neither, and for equal inputs, there is one code; moving parameters, other
        strides and lazily negated inputs are no problem for it."""
        module = conv.torch.optimize(self.model, (self.x,), compile_rest=True)
        with mock.patch.object(torch._inductor, "compile", wraps=torch._inductor.compile) as compiles:
            with torch.inference_mode():
                torch.testing.assert_close(module(self.x), self.expected, rtol=1e-4, atol=1e-5)
                torch.testing.assert_close(module(self.x.clone()), self.expected, rtol=1e-4, atol=1e-5)
            self.check(module)
            with torch.no_grad():
                negated = module(torch._neg_view(self.x.neg()))
                torch.testing.assert_close(negated, self.expected, rtol=1e-4, atol=1e-5)
            self.assertEqual(compiles.call_count, 0)
            self.x = self.x.to(memory_format=torch.channels_last)
            self.check(module)
            self.assertEqual(compiles.call_count, 1)
            module.load_state_dict({name: value.clone() for name, value in module.state_dict().items()}, assign=True)
            self.check(module)
            self.assertEqual(compiles.call_count, 2)

    def test_weights_that_change(self):
        """Calls of the code fail after weights of convolutions have changed in place."""
        module, _ = self.optimize(compile_rest=True)
        kept = copy.deepcopy(module)
        with torch.no_grad():
            self.model.conv.weight.mul_(2)
            with self.assertRaisesRegex(RuntimeError, "'conv.weight' has changed since: optimize the model again"):
                module(self.x)
        self.check(kept)

    def test_compiled_calls(self):
        """Compiled code calls the kernel without PyTorch's dispatcher, and notices settings that change."""
        module = conv.torch.optimize(self.model, (self.x,), compile_rest=True)
        [row] = [row for row in conv.torch.report() if row.runs == "conv"]
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            self.check(module)
        [later] = [row for row in conv.torch.report() if row.runs == "conv"]
        self.assertGreater(later.calls, row.calls)
        self.assertNotIn("conv::fused_convolution", [event.name for event in profile.events()])
        with mock.patch.object(conv.torch.settings, "enabled", False):
            self.check(module)
        self.assertIn("disabled", [row.reason for row in conv.torch.report()])
        known = len(_calls._known)
        with torch.backends.cudnn.flags(allow_tf32=not torch.backends.cudnn.allow_tf32):
            self.check(module)
        self.assertEqual(len(_calls._known), known + 1)

    def test_without_measurement(self):
        module, [row] = self.optimize(measure=False)
        self.assertEqual((row.runs, row.conv_seconds), ("compile", None), row.detail)

    def test_forced_and_forbidden(self):
        module, [row] = self.optimize(compile_rest=True)
        self.assertEqual((row.runs, row.conv_seconds), ("compile", None))
        self.assertIsInstance(module, _rest.CompiledModule)
        module, rows = self.optimize(compile_rest=False)
        self.assertEqual((rows, type(module).__name__), ([], "GraphModule"))

    def test_nothing_to_compile(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(8, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten())
        self.assertIsInstance(conv.torch.optimize(model, (self.x,)), torch.fx.GraphModule)

    def test_without_a_compiler_of_c(self):
        """PyTorch's kernels run, and the report says why; who insists on compiling gets the error."""
        code = (
            "import torch, conv.torch\n"
            "model, x = torch.nn.Sequential(torch.nn.Conv2d(8, 4, 3), torch.nn.AvgPool2d(2)), torch.randn(1, 8, 6, 6)\n"
            "module = conv.torch.optimize(model, (x,))\n"
            "with torch.no_grad(): torch.testing.assert_close(module(x), model(x), rtol=1e-4, atol=1e-5)\n"
            "row = conv.torch.report()[-1]\n"
            "assert (row.runs, row.reason) == ('eager', 'torch.compile') and 'compiler' in row.detail, row\n"
            "try: conv.torch.optimize(model, (x,), compile_rest=True)\n"
            "except Exception as error: assert 'compiler' in str(error)\n"
            "else: raise AssertionError('expects an error')\n"
        )
        without = {**os.environ, "CXX": "/none", "TORCHINDUCTOR_CACHE_DIR": f"{FOLDER}/none"}
        subprocess.run([sys.executable, "-c", code], env=without, check=True)

    def test_copies_and_files(self):
        module, _ = self.optimize(compile_rest=True)
        self.check(copy.deepcopy(module))
        self.assertEqual(module.state_dict().keys(), copy.deepcopy(module).state_dict().keys())
        conv.torch.save(module, (self.x,), f"{FOLDER}/net.convpack")
        self.check(conv.torch.load(f"{FOLDER}/net.convpack"))
        loaded = conv.torch.load(f"{FOLDER}/net.convpack", compile_rest=True)
        self.assertIsInstance(loaded, _rest.CompiledModule)
        self.check(loaded)

    def test_other_shapes_are_refused(self):
        """In words about tensors, compiled or not, also after loading and in copies."""
        path = f"{FOLDER}/shapes.convpack"
        conv.torch.save(self.model, (self.x,), path)
        with torch.no_grad():
            modules = [conv.torch.optimize(self.model, (self.x,), compile_rest=rest) for rest in (False, True)]
        for module in (*modules, conv.torch.load(path), *map(copy.deepcopy, modules)):
            self.check(module)
            for shape in ((1, 8, 5, 7), (2, 8, 5, 9)):
                with torch.no_grad(), self.assertRaisesRegex(
                    ValueError, r"input 0: expects the shape \(2, 8, 5, 7\) of the example, but got"
                ):
                    module(torch.randn(shape))
            self.check(module)

    def test_other_inputs_are_refused(self):
        """Also where the code of the compiler would ignore them, or where PyTorch's kernels speak of one another's types."""
        path = f"{FOLDER}/inputs.convpack"
        conv.torch.save(self.model, (self.x,), path)
        modules = [conv.torch.optimize(self.model, (self.x,), compile_rest=rest) for rest in (False, True)]
        others = (
            ((self.x, self.x), "expects 1 inputs, as in the example, but got 2"),
            ((), "expects 1 inputs, as in the example, but got 0"),
            ((self.x.double(),), "input 0: expects the type torch.float32 of the example, but got torch.float64"),
            ((self.x.numpy(),), "input 0: expects a tensor, as in the example, but got ndarray"),
            ((None,), "input 0: expects a tensor, as in the example, but got NoneType"),
        )
        for module in (*modules, conv.torch.load(path), *map(copy.deepcopy, modules)):
            for inputs, message in others:
                with torch.no_grad(), self.assertRaisesRegex(ValueError, message):
                    module(*inputs)
            self.check(module)

    def test_pickles(self):
        """They would need the class that PyTorch makes for one graph; a file of conv.torch.save needs nothing."""
        for rest in (False, True):
            module, _ = self.optimize(compile_rest=rest)
            for one in (module, copy.deepcopy(module).eval()):
                with self.assertRaisesRegex(TypeError, "but got a graph for inference: conv.torch.save"):
                    pickle.dumps(one)
                self.check(one)

    def test_measured_on_the_cpu(self):
        """PyTorch's way stays where it is faster, if that is demanded."""
        with mock.patch.object(_measurements, "measure", lambda *_: (2.0, 1.0)):
            self.check(conv.torch.optimize(self.model, (self.x,), compile_rest=False))
            self.assertEqual([row.runs for row in conv.torch.report()], ["conv"])
            _choices.forget()
            _calls.forget()
            self.check(conv.torch.optimize(self.model, (self.x,), measure=True, compile_rest=False))
            self.assertEqual([(row.runs, row.reason) for row in conv.torch.report()], [("torch", "measured")])

    def test_an_input_that_occurs_twice(self):
        """The inputs stay two, also if the example has one tensor for both."""

        class Siamese(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = torch.nn.Conv2d(8, 4, 1)

            def forward(self, x, y):
                return F.gelu(self.conv(x)) + 2 * self.conv(y)

        model, x, y = Siamese().eval(), self.x, torch.randn(2, 8, 5, 7)
        conv.torch.save(model, (x, x), f"{FOLDER}/siamese.convpack")
        modules = [conv.torch.optimize(model, (x, x), compile_rest=rest) for rest in (False, True)]
        for module in (*modules, conv.torch.load(f"{FOLDER}/siamese.convpack")):
            with torch.no_grad():
                torch.testing.assert_close(module(x, y), model(x, y), rtol=1e-4, atol=1e-5)

    def test_training_through_it_is_refused(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(8, 4, 3), torch.nn.ReLU(), torch.nn.AvgPool2d(2))
        module = conv.torch.optimize(model, (self.x,), compile_rest=True)
        with self.assertRaisesRegex(NotImplementedError, "for inference"):
            module(self.x.requires_grad_()).sum().backward()


if __name__ == "__main__":
    unittest.main()
