# RUN: rm -rf %t && mkdir %t && %torch-python %s %t
"""Inference graphs: which modules are folded, that results stay, and saving graphs."""

import copy
import json
import os
import pathlib
import stat
import subprocess
import sys
import unittest
import zipfile
from unittest import mock

import torch
import torch.nn.functional as F
from close import assert_conv_ran

import conv
import conv.torch
from conv.torch import _fused, _optimize, _pack, _save, _verify

FOLDER = sys.argv.pop()
CONVOLUTION = _fused.fused_convolution


class Block(torch.nn.Module):
    """A residual block, whose shortcut has a projection if the size changes."""

    def __init__(self, c, k, stride=1, activation=F.relu):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(c, k, 3, stride, 1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(k)
        self.conv2 = torch.nn.Conv2d(k, k, 3, 1, 1)
        self.bn2 = torch.nn.BatchNorm2d(k)
        self.shortcut = torch.nn.Conv2d(c, k, 1, stride) if stride != 1 or c != k else None
        self.activation = activation

    def forward(self, x):
        y = self.activation(self.bn1(self.conv1(x)))
        return self.activation(self.bn2(self.conv2(y)) + (self.shortcut(x) if self.shortcut else x))


def draw_statistics(model):
    """Give batch norms statistics with which a wrong folding would be visible."""
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.running_mean.normal_(0, 0.3)
            module.running_var.uniform_(0.5, 2)
            torch.nn.init.uniform_(module.weight, 0.5, 1.5)
            torch.nn.init.normal_(module.bias, 0, 0.3)
    return model.eval()


def operators(graph):
    return [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]


class Optimize(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)

    def check(self, model, *example, convolutions, others=(), rtol=2e-5):
        draw_statistics(model)
        with torch.no_grad():
            expected = model.double()(*(x.double() for x in example))
            model.float()
            graph = conv.torch.optimize(model, example, compile_rest=False)
            result = graph(*example)
        torch.testing.assert_close(result.double(), expected, rtol=rtol, atol=rtol * expected.abs().max().item())
        names = operators(graph)
        self.assertEqual(names.count(str(CONVOLUTION)), convolutions, names)
        self.assertEqual([name for name in names if name != str(CONVOLUTION)], list(others))
        return graph

    def test_residual_blocks(self):
        for activation in (F.relu, F.silu, F.gelu, F.hardswish, lambda x: F.leaky_relu(x, 0.2), F.mish, F.elu):
            self.check(Block(8, 8, activation=activation), torch.randn(2, 8, 9, 7), convolutions=2)
        self.check(Block(6, 10, stride=2), torch.randn(2, 6, 9, 7), convolutions=3)

    def test_transposed_with_groups(self):
        for groups in (1, 2):
            model = torch.nn.Sequential(
                torch.nn.ConvTranspose2d(4, 6, 4, 2, 1, groups=groups), torch.nn.BatchNorm2d(6), torch.nn.ReLU6()
            )
            self.check(model, torch.randn(2, 4, 5, 6), convolutions=1)

    def test_other_dimensions(self):
        model = torch.nn.Sequential(
            torch.nn.Conv1d(3, 5, 3), torch.nn.BatchNorm1d(5), torch.nn.ConvTranspose1d(5, 2, 3)
        )
        self.check(model, torch.randn(2, 3, 17), convolutions=2)
        model = torch.nn.Sequential(torch.nn.Conv3d(3, 4, 3, padding="same"), torch.nn.BatchNorm3d(4), torch.nn.Tanh())
        self.check(model, torch.randn(1, 3, 5, 6, 7), convolutions=1)

    def test_one_channel(self):
        """Images and filters of one channel have both orders in memory; the results are channels-last."""
        for size, convolution in ((5, 6), torch.nn.Conv2d), ((3, 4, 5), torch.nn.Conv3d):
            model, x = torch.nn.Sequential(convolution(1, 4, 3), convolution(4, 2, 1)), torch.randn(2, 1, *size)
            self.assertEqual(self.check(model, x, convolutions=2)(x).stride(1), 1)

    def test_options_as_text(self):
        """The text of a call's options is a string of C++ as it is, and that of older files is JSON."""
        options = _fused.Options((1, 2), (0, 1), (0, 1), (1, 1), False, (0, 0), 1, "zeros", "relu", 0.01, 0.0)
        self.assertNotIn('"', options.text())
        self.assertEqual(_fused.Options.parse(options.text()), options)
        self.assertEqual(_fused.Options.parse(json.dumps(options._asdict())), options)

    def test_padding_in_front(self):
        model = torch.nn.Sequential(torch.nn.ZeroPad2d((0, 1, 2, 0)), torch.nn.Conv2d(3, 4, 3, padding=1))
        self.check(model, torch.randn(1, 3, 8, 8), convolutions=1)
        model = torch.nn.Sequential(torch.nn.ReflectionPad2d((1, 2, 2, 1)), torch.nn.Conv2d(3, 4, 3))
        self.check(model, torch.randn(1, 3, 8, 8), convolutions=1)
        model = torch.nn.Sequential(torch.nn.ReflectionPad2d(1), torch.nn.Conv2d(3, 4, 3, padding=1))
        self.check(model, torch.randn(1, 3, 8, 8), convolutions=1, others=["aten.pad.default"])

    def test_what_others_read_stays(self):
        class Shared(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = torch.nn.Conv2d(4, 4, 3, padding=1)
                self.bn = torch.nn.BatchNorm2d(4)

            def forward(self, x):
                y = self.conv(x)
                return self.bn(y) + y

        names = ["aten._native_batch_norm_legit_no_training.default", "<built-in function getitem>", "aten.add.Tensor"]
        self.check(Shared(), torch.randn(1, 4, 6, 6), convolutions=1, others=names)

        class Broadcast(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = torch.nn.Conv2d(4, 4, 3, padding=1)

            def forward(self, x):
                return self.conv(x) + x.mean((2, 3), keepdim=True)

        self.check(Broadcast(), torch.randn(1, 4, 6, 6), convolutions=1, others=["aten.mean.dim", "aten.add.Tensor"])

    def test_twice_the_same(self):
        """A module may be called twice, a residual may be the convolution's input, and a tensor may be added to itself."""

        class Twice(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = torch.nn.Conv2d(4, 4, 1)

            def forward(self, x):
                y = self.conv(x)
                return F.relu(self.conv(y) + y) + (y + y)

        self.check(Twice(), torch.randn(1, 4, 5, 5), convolutions=2, others=["aten.add.Tensor", "aten.add.Tensor"])

    def test_model_is_left_alone(self):
        model = draw_statistics(Block(4, 4)).train()
        state = {name: value.clone() for name, value in model.state_dict().items()}
        conv.torch.optimize(model, (torch.randn(1, 4, 6, 6),), compile_rest=False)
        self.assertTrue(model.training)
        for name, value in model.state_dict().items():
            self.assertTrue(torch.equal(value, state[name]), name)

    def test_modes_are_left_alone(self):
        """A frozen batch norm of a model in training stays frozen."""
        model = Block(4, 4).train()
        model.bn1.eval()
        conv.torch.optimize(model, (torch.randn(1, 4, 6, 6),), compile_rest=False)
        self.assertEqual([model.training, model.bn1.training, model.bn2.training], [True, False, True])

    def test_wrong_results_are_not_used(self):
        """If the module and the model differ by more than rounding explains, PyTorch runs all of it, and the report says so."""
        model, x = draw_statistics(Block(4, 5)), torch.randn(1, 4, 6, 6)
        fold = _optimize.fold

        def fold_wrong(graph, *options):
            fold(graph, *options)
            graph.get_buffer("conv_bias_1").add_(1)  # Of a batch norm, so it is not the model's.

        with mock.patch.object(_optimize, "fold", fold_wrong), self.assertWarnsRegex(UserWarning, "PyTorch runs all of Block"):
            module = conv.torch.optimize(model, (x,))
        self.assertNotIn(str(CONVOLUTION), operators(module))
        with torch.no_grad():
            torch.testing.assert_close(module(x), model(x))
        row = next(row for row in conv.torch.report() if row.problem == "Block as a whole")
        self.assertEqual((row.runs, row.reason), ("eager", "differs"))
        for targets in ("host", "gfx942"):  # A file of wrong results is not written.
            with mock.patch.object(_optimize, "fold", fold_wrong), self.assertRaisesRegex(RuntimeError, "please report it"):
                conv.torch.save(model, (x,), f"{FOLDER}/wrong.convpack", targets=targets)
        self.assertFalse(os.path.exists(f"{FOLDER}/wrong.convpack"))

    def test_random_numbers_and_updates_are_no_difference(self):
        class Noisy(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = torch.nn.Conv2d(4, 4, 1)
                self.register_buffer("seen", torch.zeros(()))

            def forward(self, x):
                self.seen += 1
                return self.conv(x) * self.seen + torch.randn_like(x), torch.full((2,), float("inf"))

        model, x = Noisy(), torch.randn(1, 4, 5, 5)
        state = torch.get_rng_state()
        self.assertIn(str(CONVOLUTION), operators(conv.torch.optimize(model, (x,), compile_rest=False)))
        self.assertTrue(torch.equal(torch.get_rng_state(), state))
        self.assertEqual(model.seen, 0)

    def test_inputs_that_change_are_no_difference(self):
        """A model may change its input in place: so does the module, but the example keeps its values."""

        class Doubles(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = torch.nn.Conv2d(4, 4, 1)

            def forward(self, x):
                return self.conv(x.mul_(2))

        model, x = Doubles(), torch.randn(1, 4, 5, 5)
        example = x.clone()
        module = conv.torch.optimize(model, (example,), compile_rest=False)
        self.assertTrue(torch.equal(example, x))
        self.assertIn(str(CONVOLUTION), operators(module))
        ours, theirs = x.clone(), x.clone()
        with torch.no_grad():
            torch.testing.assert_close(module(ours), model(theirs))
        self.assertTrue(torch.equal(ours, theirs))
        conv.torch.save(model, (example,), f"{FOLDER}/doubles.convpack", targets="host")
        os.remove(f"{FOLDER}/doubles.convpack")
        self.assertTrue(torch.equal(example, x))

    def test_inputs_with_few_operators(self):
        """Expanded inputs, and those of types that few operators know, are like others."""

        class Scaled(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = torch.nn.Conv2d(4, 4, 1)

            def forward(self, x, scale, offset):
                return self.conv(x) * scale.float() + offset

        model, x = Scaled(), torch.randn(1, 4, 5, 5).expand(2, 4, 5, 5)
        scale, offset = torch.rand(4, 1, 1).to(torch.float8_e4m3fn), torch.arange(5)
        module = conv.torch.optimize(model, (x, scale, offset), compile_rest=False)
        self.assertIn(str(CONVOLUTION), operators(module))
        with torch.no_grad():
            torch.testing.assert_close(module(x, scale, offset), model(x, scale, offset), rtol=1e-4, atol=1e-4)

    def test_changed_inputs_of_any_kind(self):
        """The check gives them back, also an expanded one whose memory another input shares, and those that nothing compares.

        In inference mode, tensors have no versions.
        """

        class Writes(torch.nn.Module):
            def forward(self, x, expanded, count, float8, quantized):
                x.mul_(2)
                count.add_(1)
                float8.copy_(torch.full_like(x, 3))
                quantized.copy_(torch.full_like(x, 4))
                return expanded + float8.float() + quantized.dequantize() + count

        for mode in (torch.no_grad, torch.inference_mode):
            with self.subTest(mode.__name__), mode():
                x, count = torch.rand(1, 4), torch.arange(4)
                float8, quantized = x.to(torch.float8_e4m3fn), torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)
                example = (x, x.expand(3, 4), count, float8, quantized)
                before = [value.clone() for value in (x, float8.float(), quantized.dequantize())]
                check = _verify.Check(Writes(), example, (), 0.0)
                self.assertEqual(check.explain(Writes()), "")
                for value, expected in zip((x, float8.float(), quantized.dequantize()), before):
                    self.assertTrue(torch.equal(value, expected))
                self.assertTrue(torch.equal(count, torch.arange(4)))

    def test_inputs_that_refuse_copies(self):
        """They stay as they are, and are no error."""

        class Refuses(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                if function in (torch.Tensor.clone, torch.Tensor.copy_, torch.equal):
                    raise NotImplementedError("no copies")
                return super().__torch_function__(function, types, args, kwargs or {})

        class First(torch.nn.Module):
            def forward(self, x, _):
                return x

        refuses = torch.ones(4).as_subclass(Refuses)
        check = _verify.Check(First(), (torch.ones(3), refuses), (), 0.0)
        self.assertEqual(check.explain(First()), "")

    def test_training_through_it_is_refused(self):
        graph = conv.torch.optimize(Block(4, 4), (torch.randn(1, 4, 6, 6),), compile_rest=False)
        x = torch.randn(1, 4, 6, 6, requires_grad=True)
        with self.assertRaisesRegex(NotImplementedError, "for inference"):
            graph(x).sum().backward()

    def test_weights_that_change(self):
        """Calls fail after weights of the model have changed in place; copies keep the old ones, and shared ones are live."""
        x = torch.randn(1, 4, 6, 6)
        model = draw_statistics(torch.nn.Sequential(Block(4, 4), torch.nn.Linear(6, 6)))
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
        steps = (
            lambda: model[0].conv1.weight.mul_(2),
            lambda: model[0].bn2.running_var.add_(1),
            lambda: model.load_state_dict(model.state_dict()),
            lambda: torch.optim.SGD(model.parameters(), 0.1).step(),
        )
        with torch.no_grad():
            for step in steps:
                module = conv.torch.optimize(model, (x,), compile_rest=False)
                model[1].weight.mul_(2)
                torch.testing.assert_close(module(x), model(x), rtol=1e-4, atol=1e-4)
                kept, before = copy.deepcopy(module), module(x)
                step()
                with self.assertRaisesRegex(RuntimeError, "'0.(conv1.weight|bn2.running_var)'.*optimize the model again"):
                    module(x)
                torch.testing.assert_close(kept(x), before)
            model[0].bn2.running_mean[0] = torch.nan  # Not equal to itself, but unchanged.
            module = conv.torch.optimize(model, (x,), compile_rest=False)
            self.assertTrue(module(x).isnan().any())
            model[0].bn2.running_mean[0] = 0
            module = conv.torch.optimize(model, (x,), compile_rest=False)
            del model, parameter, step, steps
            self.assertEqual(module(x).shape, x.shape)
            with torch.inference_mode():  # Such weights have no versions.
                model = draw_statistics(Block(4, 4))
                torch.testing.assert_close(
                    conv.torch.optimize(model, (x,), compile_rest=False)(x), model(x), rtol=1e-4, atol=1e-4
                )

    def test_weights_that_others_read_change(self):
        class Penalized(torch.nn.Conv2d):
            def forward(self, x):
                return super().forward(x) * self.weight.sum()

        x, model = torch.randn(1, 4, 6, 6), Penalized(4, 4, 3)
        model.register_buffer("sparse", torch.eye(3).to_sparse())
        module = conv.torch.optimize(model, (x,), compile_rest=False)
        with torch.no_grad():
            torch.testing.assert_close(module(x), model(x), rtol=1e-4, atol=1e-4)
            model.weight.mul_(2)
            with self.assertRaisesRegex(RuntimeError, "'weight' has changed since"):
                module(x)

    @unittest.skipUnless(torch.cuda.is_available(), "there is no GPU")
    def test_weights_that_change_of_a_cuda_graph(self):
        x = torch.randn(1, 8, 6, 6, device="cuda")
        for compile_rest in (False, True):
            model = draw_statistics(Block(8, 8)).cuda()
            module = conv.torch.optimize(model, (x,), compile_rest=compile_rest, cuda_graph=True)
            with torch.no_grad():
                torch.testing.assert_close(module(x), model(x), rtol=1e-3, atol=1e-3)
                model.conv1.weight.mul_(2)
                with self.assertRaisesRegex(RuntimeError, "'conv1.weight' has changed since"):
                    module(x)

    def test_compile_graph(self):
        model = draw_statistics(torch.nn.Sequential(Block(4, 4), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()))
        x = torch.randn(1, 4, 6, 6)
        with torch.no_grad():
            expected = model(x)
            torch._dynamo.config.suppress_errors = False
            fast = conv.torch.optimize(model, (x,), compile_rest=False)
            result = torch.compile(fast, backend="aot_eager", fullgraph=True)(x)
        torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)

    def test_progress(self):
        seen = []
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 5, 3), torch.nn.Conv2d(5, 6, 3))
        conv.torch.optimize(model, (torch.randn(1, 3, 14, 14),), progress=lambda *counts: seen.append(counts))
        self.assertEqual(seen, [(1, 2), (2, 2)])

    def test_save_and_load(self):
        model = draw_statistics(torch.nn.Sequential(Block(3, 8, 2), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()))
        x = torch.randn(1, 3, 12, 12)
        with torch.no_grad():
            expected = model(x)
        path = f"{FOLDER}/net.convpack"
        self.assertEqual(conv.torch.save(model, (x,), path, targets="host,gfx942"), {})
        self.assertEqual(os.listdir(FOLDER), ["net.convpack"])
        torch.save((x, expected), f"{FOLDER}/values.pt")
        listed = subprocess.run(["conv-pack", "verify", path], capture_output=True, text=True)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertEqual({entry.target for entry in conv.load(path).entries}, {"host", "gfx942"})
        code = (
            "import torch, conv.torch\n"
            f"x, expected = torch.load('{FOLDER}/values.pt')\n"
            f"module = conv.torch.load('{path}')\n"
            "with torch.no_grad(): torch.testing.assert_close(module(x), expected, rtol=1e-4, atol=1e-4)\n"
            "assert {row.runs for row in conv.torch.report()} == {'conv'}\n"
        )
        without = {**os.environ, "CONV_COMPILER_LIBRARY": "/none", "CONV_CACHE_DIR": f"{FOLDER}/none"}
        subprocess.run([sys.executable, "-c", code], env=without, check=True)
        self.check_permissions_and_devices(path, x, expected)
        self.check_damage(path)
        with self.assertRaisesRegex(conv.Error, "expects a file of conv.torch.save"):
            kernels, _ = conv.torch.compile_kernels(model, (x,), "host")
            with open(f"{FOLDER}/kernels.convpack", "wb") as file:
                file.write(kernels)
            conv.torch.load(f"{FOLDER}/kernels.convpack")

    def check_damage(self, path):
        """Errors are conv's, like those of `conv.load`."""
        with open(path, "rb") as file:
            content = file.read()
        at = content.index(b"torch/graph.pt2") + 1000
        flipped = content[:at] + bytes([content[at] ^ 255]) + content[at + 1 :]
        for damaged in (b"", b"nonsense", content[: len(content) // 2], flipped):
            with open(f"{FOLDER}/damaged", "wb") as file:
                file.write(damaged)
            with self.assertRaisesRegex(conv.Error, "cannot read '.*damaged': expects a whole .convpack file, but got: "):
                conv.torch.load(f"{FOLDER}/damaged")
        os.unlink(f"{FOLDER}/damaged")

    def check_permissions_and_devices(self, path, x, expected):
        """Files have the permissions of new files. One that was saved on a missing device says so, and loads on another."""
        with open(f"{FOLDER}/plain", "w"):
            self.assertEqual(os.stat(path).st_mode, os.stat(f"{FOLDER}/plain").st_mode)
        os.unlink(f"{FOLDER}/plain")
        other = f"{FOLDER}/other.convpack"
        with zipfile.ZipFile(path) as pack, zipfile.ZipFile(other, "w") as moved:
            for name in pack.namelist():
                moved.writestr(name, b"cuda:99" if name == "torch/device" else pack.read(name))
        with self.assertRaisesRegex(conv.Error, "expects a device that PyTorch has here, .* but got 'cuda:99', where the model"):
            conv.torch.load(other)
        with self.assertRaisesRegex(conv.Error, "but got 'cuda:98'$"):
            conv.torch.load(path, device="cuda:98")
        with self.assertRaisesRegex(ValueError, "cuda_graph: expects an example on a CUDA device, but got one on cpu"):
            conv.torch.load(path, example=(x.cpu(),))
        with torch.no_grad():
            torch.testing.assert_close(conv.torch.load(other, device=x.device)(x), expected, rtol=1e-4, atol=1e-4)
        os.unlink(other)

    def test_save_replaces_only_files(self):
        """A link stays a link, a pipe a pipe, and a file keeps its permissions."""
        content, file, link, pipe = b"content", f"{FOLDER}/file", f"{FOLDER}/link", f"{FOLDER}/pipe"
        _save._write(pathlib.Path(file), b"before")
        os.chmod(file, 0o640)
        os.symlink("file", link)
        _save._write(pathlib.Path(link), content)
        self.assertTrue(os.path.islink(link))
        with open(file, "rb") as written:
            self.assertEqual(written.read(), content)
        self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o640)
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        _save._write(pathlib.Path(pipe), content)
        self.assertEqual(os.read(reader, 100), content)
        os.close(reader)
        with self.assertRaises(IsADirectoryError):
            _save._write(pathlib.Path(FOLDER), content)
        with mock.patch.object(os, "access", return_value=False), self.assertRaises(PermissionError):
            _save._write(pathlib.Path(file), content)
        for path in (file, link, pipe):
            os.unlink(path)
        self.assertFalse([name for name in os.listdir(FOLDER) if name.startswith(("file", "link", "pipe"))])

    def test_without_a_compiler(self):
        """PyTorch runs the convolutions, and the report says why."""
        code = (
            "import torch, conv.torch\n"
            "module = conv.torch.Conv2d(3, 4, 3)\n"
            "module(torch.ones(1, 3, 5, 5))\n"
            "row, = conv.torch.report()\n"
            "assert (row.runs, row.reason) == ('torch', 'compiler'), row\n"
        )
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "CONV_COMPILER_LIBRARY": "/none"}, check=True)

    def test_merged_packs_are_the_same_bytes(self):
        packs = [
            conv.compile(conv.Problem(n=1, c=4, k=k, input=(5, 5), filter=(3, 3), function=f"f{k}"), "host")
            for k in (4, 8)
        ]
        self.assertEqual(_pack.merge(packs), _pack.merge(packs[::-1]))
        self.assertEqual(list(conv.load(_pack.merge(packs))), ["f4", "f8"])
        with self.assertRaises(ValueError):
            _pack.merge([])

    def test_zz_conv_ran(self):
        rows = conv.torch.report()
        wrong = [row for row in rows if row.reason == "differs"]
        self.assertEqual([row.problem for row in wrong], ["Block as a whole"], "only the one that a test made wrong")
        assert_conv_ran([row for row in rows if row not in wrong], 20)


if __name__ == "__main__":
    unittest.main()
