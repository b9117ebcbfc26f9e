# RUN: %torch-python %s
"""Training steps under torch.compile: one graph, and no copies, casts or dispatcher around the kernels."""

import contextlib
import copy
import io
import json
import pathlib
import re
import runpy
import sys
import tempfile
import unittest
from unittest import mock

import close
import torch
from torch._dynamo.utils import counters
from torch._inductor.utils import run_and_get_code

import conv.torch
from conv.torch import _calls, _gradients, _operators

FORMATS = torch.contiguous_format, torch.channels_last


class Block(torch.nn.Module):
    """A residual block with all that surrounds convolutions in a network."""

    def __init__(self):
        super().__init__()
        self.first, self.norm1 = torch.nn.Conv2d(8, 16, 3, 2, 1, bias=False), torch.nn.BatchNorm2d(16)
        self.second, self.norm2 = torch.nn.Conv2d(16, 16, 3, 1, 1, groups=2, bias=False), torch.nn.BatchNorm2d(16)
        self.shortcut, self.last = torch.nn.Conv2d(8, 16, 1, 2), torch.nn.Conv2d(16, 4, 1)

    def forward(self, x):
        y = self.norm2(self.second(self.norm1(self.first(x)).relu()))
        return self.last((y + self.shortcut(x)).relu()).mean((2, 3))


def kernels_of(code):
    """The names of the kernels that inductor writes itself: what they compute."""
    return re.findall(r"^(?:cpp|triton)_\w*?fused_(\w+) = ", code, re.MULTILINE)


class Compiled(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch._dynamo.reset()
        conv.torch._choices.forget()
        _calls.forget()
        conv.torch.replace(block := Block())
        self.block = block

    def step(self, network, x, dtype=torch.bfloat16):
        """The result of a network, and all gradients."""
        with torch.autocast(close.DEVICE, dtype, enabled=dtype != torch.float32):
            result = network(x)
        wanted = [tensor for tensor in (x, *network.parameters()) if tensor.requires_grad]
        return [result, *torch.autograd.grad(result.float().square().mean(), wanted)]

    def compile(self, network, x, dtype=torch.bfloat16):
        """The results of a compiled step, and its code, forward and backward."""
        compiled = torch.compile(network, fullgraph=True)
        with torch._inductor.config.patch(fx_graph_cache=False), torch._functorch.config.patch(enable_autograd_cache=False):
            return run_and_get_code(lambda: self.step(compiled, x, dtype))

    def test_step(self):
        """A compiled step computes what the eager one does, as precisely: each gradient, in the same type and layout."""
        for dtype in (torch.bfloat16, torch.float32):
            for of_image in FORMATS:
                for of_filter in FORMATS:
                    network = copy.deepcopy(self.block).to(memory_format=of_filter)
                    x = torch.randn(2, 8, 12, 10).to(memory_format=of_image).requires_grad_()
                    exact = self.step(copy.deepcopy(network).double(), x.double(), torch.float32)
                    counters.clear()
                    results, code = self.compile(network, x, dtype)
                    self.assertEqual((len(code), dict(counters["graph_break"])), (2, {}))
                    for ours, eager, reference in zip(results, self.step(network, x, dtype), exact):
                        self.assertEqual((ours.dtype, ours.stride()), (eager.dtype, eager.stride()))
                        own, other = ((given.double() - reference).norm().item() for given in (ours, eager))
                        scale = reference.norm().item() * close.TOLERANCE[dtype]
                        self.assertLessEqual(own, 2 * other + scale, f"{dtype}, {of_image}, {of_filter}")

    def test_no_copies(self):
        """The code has no more kernels than that around PyTorch's convolutions, and the gradients of parameters are not cast.

        PyTorch's kernels copy what they get in the wrong order themselves, so that those of conv must not."""
        theirs = copy.deepcopy(self.block)
        conv.torch.restore(theirs)
        for memory_format in FORMATS:
            x = torch.randn(2, 8, 12, 10).to(memory_format=memory_format)
            ours = copy.deepcopy(self.block).to(memory_format=memory_format)
            # On the CPU, inductor makes all of PyTorch's convolutions channels-last, with copies.
            with torch._inductor.config.patch(layout_optimization=False):
                _, plain = self.compile(copy.deepcopy(theirs).to(memory_format=memory_format), x)
            arranged = []

            def arrange(tensor, arrange=_operators.arrange, arranged=arranged):
                result = arrange(tensor)
                arranged.append(result[0] is tensor)
                return result

            conv.torch._choices.forget()
            _calls.forget()
            with mock.patch.object(_operators, "arrange", arrange):
                _, code = self.compile(ours, x)
            self.assertTrue(arranged and all(arranged))
            self.assertFalse([ways for ways in _gradients._ways.values() if ways.copied])
            for own, other in zip(code, plain):
                self.assertLessEqual(len(kernels_of(own)), len(kernels_of(other)))
            names = kernels_of(code[1])
            self.assertTrue(names)
            self.assertFalse([name for name in names if "clone" in name or "_to_copy" in name], memory_format)
            self.assertEqual(code[1].count("weight_dtype=torch.float32"), 4)

    def test_bias(self):
        """The gradient of the bias is a sum that the compiler fuses, and no gradient is computed that nobody needs."""
        for needs_filter in (True, False):
            layer = conv.torch.Conv2d(8, 4, 3)
            layer.weight.requires_grad_(needs_filter)
            x = torch.randn(2, 8, 9, 9)
            compiled = torch.compile(lambda x, layer=layer: layer(x).relu(), fullgraph=True)
            with mock.patch.object(_gradients, "compute", wraps=_gradients.compute) as compute:
                compiled(x).square().sum().backward()
            masks = [call.args[4] for call in compute.call_args_list]
            self.assertEqual(masks, [(False, True, False)] if needs_filter else [])
            expected = layer(x).relu().square().sum()
            close.assert_close(layer.bias.grad, torch.autograd.grad(expected, layer.bias)[0])

    def test_places(self):
        """Compiled code calls kernels without PyTorch's dispatcher, and asks again when what may run has changed."""
        x = torch.randn(2, 8, 12, 10).requires_grad_()
        compiled = torch.compile(self.block, fullgraph=True)
        with torch._inductor.config.patch(fx_graph_cache=False), torch._functorch.config.patch(enable_autograd_cache=False):
            first, code = run_and_get_code(lambda: self.step(compiled, x))
        self.assertFalse([call for text in code for call in re.findall(r"= torch\.ops\.conv.*", text)])

        def count():
            return {row.problem: row.calls for row in conv.torch.report() if row.runs == "conv"}

        before = count()
        with mock.patch.object(_operators, "convolve") as forward, mock.patch.object(_gradients, "compute") as backward:
            again = self.step(compiled, x)
        self.assertEqual((forward.call_count, backward.call_count), (0, 0))
        self.assertEqual([name for name, calls in count().items() if calls == before[name]], [])
        conv.torch.settings.enabled = False
        try:
            theirs = self.step(compiled, x)
        finally:
            conv.torch.settings.enabled = True
        for one, two, other in zip(first, again, theirs):
            close.assert_close(one, two, dtype=torch.bfloat16)
            self.assertEqual((one.dtype, one.stride()), (other.dtype, other.stride()))
        self.assertEqual(len(first), len(theirs))

    def test_cached(self):
        """PyTorch keeps the traced graphs of a step for other processes, as those of its own convolutions."""
        counters.clear()
        self.step(torch.compile(self.block, fullgraph=True), torch.randn(2, 8, 12, 10))
        found = counters["aot_autograd"]
        self.assertEqual((found["autograd_cache_bypass"], found["autograd_cache_miss"] + found["autograd_cache_hit"]), (0, 1))

    def test_parameters(self):
        """The operator itself takes an f32 filter and bias of a 16-bit image: graphs of torch.compile have such calls."""
        x, w, b = torch.randn(2, 8, 9, 7), torch.randn(4, 8, 3, 3, requires_grad=True), torch.randn(4, requires_grad=True)
        image, window = x.bfloat16(), ([1, 1], [0, 0], [0, 0], [1, 1], False, [0, 0], 1)
        expected = torch.nn.functional.conv2d(image.double(), w.bfloat16().double(), b.double())
        result = torch.ops.conv.convolution(image, w, b, *window)
        close.assert_close(result, expected)
        grads = torch.autograd.grad(result.float().sum(), (w, b))
        self.assertEqual({grad.dtype for grad in grads}, {torch.float32})
        with torch.no_grad():
            self.assertTrue(torch.equal(torch.ops.conv.convolution(image, w, b, *window), result))
        with torch.inference_mode():
            self.assertTrue(torch.equal(torch.ops.conv.convolution(image, w, b, *window), result))

    def test_parameters_again(self):
        """Gradients of gradients of such calls are those of eager mode, and calls with an epilogue have none."""
        x, w = torch.randn(2, 8, 9, 7), torch.randn(4, 8, 3, 3, requires_grad=True)
        image = x.bfloat16().requires_grad_()
        window = [1, 1], [0, 0], [0, 0], [1, 1], False, [0, 0], 1, "zeros"

        def second(function):
            [first] = torch.autograd.grad(function(image, w).float().square().sum(), w, create_graph=True)
            return torch.autograd.grad(first.square().sum(), (image, w))

        layer = conv.torch.Conv2d(8, 4, 3, bias=False)
        layer.weight = torch.nn.Parameter(w.detach())

        def cast(x, w):
            with torch.autocast(close.DEVICE, torch.bfloat16):
                return torch.func.functional_call(layer, {"weight": w}, x)

        expected = second(lambda x, w: torch.nn.functional.conv2d(x.double(), w.bfloat16().double()))
        for function in (
            lambda x, w: torch.ops.conv.convolution(x, w, None, *window),
            torch.compile(cast, backend="eager", fullgraph=True),
        ):
            for own, reference in zip(second(function), expected):
                self.assertLess((own.double() - reference).norm(), 0.05 * reference.norm())
        fused = torch.ops.conv.convolution(image, w, None, *window, None, "relu")
        with self.assertRaisesRegex(NotImplementedError, "inference"):
            fused.float().sum().backward()

    def test_arguments(self):
        """Places get the limit of an error by position, and a residual, also when they look nothing up any more."""
        layer = conv.torch.Conv2d(8, 4, 3, max_error=0.25)
        compiled = torch.compile(layer, fullgraph=True)
        x, residual = torch.randn(2, 8, 9, 7), torch.randn(2, 4, 7, 5)

        def add(x, residual):
            return conv.torch.functional.convolution(x, layer.weight, layer.bias, residual=residual, activation="relu")

        added = torch.compile(add, fullgraph=True)
        for _ in range(3):
            result = compiled(x)
            grads = torch.autograd.grad(result.square().sum(), layer.parameters())
            for own, eager in zip(grads, torch.autograd.grad(layer(x).square().sum(), layer.parameters())):
                close.assert_close(own, eager)
            with torch.no_grad():
                close.assert_close(added(x, residual), (layer(x) + residual).relu())

    def test_around(self):
        """Checkpoints, frozen filters, parametrizations, other ranks and transposed convolutions."""
        norm = torch.nn.utils.parametrizations.weight_norm
        image = torch.randn(2, 8, 9, 7)
        frozen = torch.nn.Conv2d(8, 4, 3)
        frozen.weight.requires_grad_(False)

        def checkpoint(module):
            return lambda x: torch.utils.checkpoint.checkpoint(module, x, use_reentrant=False)

        for module, x, wrap in (
            (torch.nn.Sequential(torch.nn.Conv2d(8, 4, 3), torch.nn.ReLU()), image, checkpoint),
            (frozen, image, None),
            (norm(torch.nn.Conv2d(8, 4, 3)), image, None),
            (torch.nn.Conv2d(8, 4, 3, padding=1, padding_mode="circular"), image, None),
            (torch.nn.ConvTranspose2d(8, 4, 3, 2), image, None),
            (torch.nn.Conv2d(8, 4, 3), image[0], None),
            (torch.nn.Conv1d(8, 4, 3), image[:, :, 0], None),
            (torch.nn.ConvTranspose3d(8, 4, 2), image[:, :, :, None], None),
        ):
            conv.torch.replace(module)
            x = x.clone().requires_grad_()
            wanted = [x, *(parameter for parameter in module.parameters() if parameter.requires_grad)]
            compiled = torch.compile(wrap(module) if wrap else module, fullgraph=True)
            results = []
            for run in (compiled, module):
                with torch.autocast(close.DEVICE, torch.bfloat16):
                    result = run(x)
                results.append([result, *torch.autograd.grad(result.float().square().sum(), wanted)])
            for ours, eager in zip(*results):
                self.assertEqual(ours.dtype, eager.dtype)
                close.assert_close(ours, eager, type(module).__name__, 2, torch.bfloat16)

    def test_benchmark(self):
        """bench/networks measures both steps under torch.compile, and compiles each of them once."""
        folder = pathlib.Path(__file__).resolve().parents[2] / "bench" / "networks"
        with mock.patch.object(sys, "path", [str(folder), *sys.path]):
            import networks

            main = runpy.run_path(str(folder / "__main__.py"))["main"]
        # Enough images that the errors of gradients do not depend on a few roundings.
        network = Block(), torch.randn(16, 8, 24, 20)
        what = "run --train --rest compiled --against compile --networks resnet50 --batch 16 --rounds 1 --idle 0 --burst 0.001"
        counters.clear()
        with tempfile.TemporaryDirectory() as output, contextlib.redirect_stdout(io.StringIO()) as text:
            command = ["bench/networks", *what.split(), "--device", close.DEVICE, "--output", output]
            with mock.patch.object(sys, "argv", command), mock.patch.object(networks, "make", lambda *_: network):
                self.assertEqual(main(), 0)
            (row,) = json.loads((pathlib.Path(output) / "networks.json").read_text())["rows"]
        self.assertEqual(set(row["times"]), {"conv", "eager", "compile"})
        self.assertEqual(len(row["problems"]), 10)  # Two of four layers need no gradient of their image.
        self.assertIn("faster than compile", text.getvalue())
        # Graphs of both, the second when the first one is there; no breaks.
        self.assertEqual((counters["stats"]["unique_graphs"], dict(counters["graph_break"])), (2, {}))


if __name__ == "__main__":
    unittest.main()
