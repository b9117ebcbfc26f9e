# RUN: %torch-python -W ignore %s
"""Features of PyTorch around convolutions: other kinds of tensors, tracers, checkpoints, scalers, distributed modules."""

import copy
import io
import os
import socket
import unittest

import close  # noqa: F401, for the device
import torch
import torch.nn.functional as F
from torch.autograd import forward_ad
from wrapper import Wrapper

import conv.torch
import conv.torch.functional as CF


def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Conv2d(4, 6, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.Conv2d(6, 6, 3, padding=1, padding_mode="reflect"),
        torch.nn.ConvTranspose2d(6, 4, 2, 2),
    )


def replaced():
    network = model()
    conv.torch.replace(network)
    return network


class Ecosystem(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.x = torch.randn(2, 4, 7, 9)
        self.w = torch.randn(6, 2, 3, 3)
        self.b = torch.randn(6)

    def close(self, ours, theirs):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)

    def test_complex(self):
        """PyTorch computes complex convolutions, and the report says why conv does not."""
        x, w = self.x.to(torch.complex64), self.w.to(torch.complex64)
        self.close(CF.conv2d(x, w, groups=2), F.conv2d(x, w, groups=2))
        w = torch.randn(4, 3, 2, 2, dtype=torch.complex64)
        self.close(CF.conv_transpose2d(x, w), F.conv_transpose2d(x, w))
        rows = [row for row in conv.torch.report() if "complex64" in row.problem]
        self.assertEqual([(row.runs, row.reason) for row in rows], [("torch", "element-type")] * 2)

    def test_complex_models(self):
        """PyTorch's own operator, which graphs have, computes none on the CPU."""
        model = torch.nn.Sequential(
            torch.nn.Conv2d(4, 6, 3, padding=(1, 2), groups=2, dtype=torch.complex64),
            torch.nn.ConvTranspose2d(6, 4, 3, stride=2, output_padding=1, dtype=torch.complex64),
        ).eval()
        x = self.x.to(torch.complex64)
        with torch.no_grad():
            self.close(conv.torch.optimize(model, (x,))(x), model(x))

    def test_forward_gradients(self):
        """Tangents are right in forward mode and in forward over backward mode."""
        tangents = torch.randn_like(self.x), torch.randn_like(self.w), torch.randn_like(self.b)

        def both(function):
            return torch.func.jvp(
                lambda x, w, b: function(x, w, b, padding=1, groups=2), (self.x, self.w, self.b), tangents
            )

        for mine, other in zip(both(CF.conv2d), both(F.conv2d)):
            self.close(mine, other)
        linear = [torch.func.linearize(network.eval(), self.x)[1](tangents[0]) for network in (replaced(), model())]
        self.close(*linear)
        with forward_ad.dual_level():  # No tensor requires a gradient.
            for place in range(3):
                given = [self.x, self.w, self.b]
                given[place] = forward_ad.make_dual(given[place], tangents[place])
                mine, other = (forward_ad.unpack_dual(f(*given, groups=2)).tangent for f in (CF.conv2d, F.conv2d))
                self.close(mine, other)

        def loss(function):
            return lambda w: function(self.x, w, groups=2).pow(3).mean()

        self.close(torch.func.hessian(loss(CF.conv2d))(self.w), torch.func.hessian(loss(F.conv2d))(self.w))

    def test_gradients_of_samples(self):
        def gradients(function):
            loss = lambda w, x: function(x[None], w, groups=2).square().sum()  # noqa: E731
            return torch.func.vmap(torch.func.grad(loss), (None, 0))(self.w, self.x)

        self.close(gradients(CF.conv2d), gradients(F.conv2d))

    def test_batches_of_gradients(self):
        """Autograd takes several gradients of a result at once, and the gradient of parameters under autocast too."""

        def gradients(network, wanted, region):
            with region:
                result = network(self.x).float()
            starts = torch.stack([torch.ones_like(result), result.detach()])
            return torch.autograd.grad(result, wanted, starts, is_grads_batched=True)

        for enabled in (False, True):
            found = []
            for network in (replaced(), model()):
                region = torch.autocast(close.DEVICE, torch.bfloat16, enabled=enabled)
                found.append(gradients(network, list(network.parameters()), region))
            for mine, other in zip(*found):
                tolerance = (0.05 if enabled else 1e-5) * other.abs().max().item()
                torch.testing.assert_close(mine, other, rtol=0, atol=tolerance)

    def test_batches_of_tangents(self):
        """Forward mode takes several tangents of an image at once."""
        found = [
            torch.autograd.functional.jacobian(network.eval(), self.x, vectorize=True, strategy="forward-mode")
            for network in (replaced(), model())
        ]
        self.close(*found)

    def test_symbolic_trace(self):
        """torch.fx keeps the calls of conv's functions."""
        network = replaced()
        graph = torch.fx.symbolic_trace(network)
        targets = [node.target for node in graph.graph.nodes if node.op == "call_function"]
        self.assertEqual(sum(target in (CF.conv2d, CF.conv_transpose2d) for target in targets), 3, targets)
        self.close(graph(self.x), model()(self.x))

    def test_torch_script(self):
        """A trace has the operator, and does not depend on the sizes of the example."""
        network = replaced()
        traced = torch.jit.trace(network, (self.x,))
        file = io.BytesIO()
        torch.jit.save(traced, file)
        file.seek(0)
        x = torch.randn(3, 4, 11, 8)
        self.close(torch.jit.load(file)(x), model()(x))
        self.assertEqual(str(traced.inlined_graph).count("conv::convolution("), 3)

    def test_export_with_dynamic_shapes(self):
        """One exported program runs any batch and image size."""
        sizes = {0: torch.export.Dim("n"), 2: torch.export.Dim("h", min=4, max=99), 3: torch.export.Dim("w", min=4, max=99)}
        for last in (False, True):
            memory_format = torch.channels_last if last else torch.contiguous_format
            example = self.x.to(memory_format=memory_format)
            program = torch.export.export(replaced(), (example,), dynamic_shapes=(sizes,))
            for n, h, w in ((1, 5, 6), (5, 11, 13)):
                x = torch.randn(n, 4, h, w).to(memory_format=memory_format)
                self.close(program.module()(x), model()(x))

    def test_compile_with_dynamic_shapes(self):
        """Training with other sizes compiles no further graph."""
        network = replaced()
        counts = torch._dynamo.utils.counters["stats"]
        torch._dynamo.reset()
        counts.clear()
        compiled = torch.compile(network, fullgraph=True, backend="aot_eager", dynamic=True)
        for n, h, w in ((2, 7, 9), (3, 8, 8), (4, 11, 5)):
            network.zero_grad()
            exact = model()
            x = torch.randn(n, 4, h, w)
            compiled(x).square().mean().backward()
            exact(x).square().mean().backward()
            for mine, other in zip(network.parameters(), exact.parameters()):
                self.close(mine.grad, other.grad)
        self.assertEqual(counts["unique_graphs"], 1)

    def test_checkpoint(self):
        from torch.utils.checkpoint import checkpoint

        for use_reentrant in (False, True):
            x = self.x.clone().requires_grad_()
            checkpoint(replaced(), x, use_reentrant=use_reentrant).sum().backward()
            theirs = self.x.clone().requires_grad_()
            model()(theirs).sum().backward()
            self.close(x.grad, theirs.grad)

    def test_gradient_scaler(self):
        """Training steps in f16 with scaled losses end with the parameters of PyTorch."""
        ends = []
        for network in (replaced(), model()):
            optimizer = torch.optim.SGD(network.parameters(), 0.1)
            scaler = torch.amp.GradScaler(close.DEVICE, init_scale=1024)
            for _ in range(2):
                optimizer.zero_grad()
                with torch.autocast(close.DEVICE, torch.float16):
                    loss = network(self.x).float().square().mean()
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
            ends.append((scaler.get_scale(), list(network.parameters())))
        self.assertEqual(ends[0][0], ends[1][0])
        for mine, other in zip(ends[0][1], ends[1][1]):
            torch.testing.assert_close(mine, other, rtol=1e-2, atol=1e-3)

    def test_copies_of_states(self):
        """Averaged weights, functional calls, and states that are copied between conv's and PyTorch's modules, work."""
        network, theirs = replaced(), model()
        averaged = torch.optim.swa_utils.AveragedModel(network)
        self.close(averaged(self.x), theirs(self.x))
        theirs.load_state_dict(network.state_dict())
        network.load_state_dict(theirs.state_dict())
        zeros = {name: torch.zeros_like(value) for name, value in network.named_parameters()}
        self.assertEqual(torch.func.functional_call(network, zeros, (self.x,)).abs().max(), 0)
        graph = conv.torch.optimize(network, (self.x,), progress=False)
        self.close(copy.deepcopy(graph)(self.x), theirs(self.x))

    def test_intercept(self):
        """Within `intercept`, conv runs functions and modules of other classes; outside of it, PyTorch runs them."""

        class Standardised(torch.nn.Conv2d):
            def forward(self, x):
                weight = self.weight - self.weight.mean((1, 2, 3), keepdim=True)
                return F.conv2d(x, weight, self.bias, self.stride, self.padding)

        network = torch.nn.Sequential(Standardised(4, 21, 3, padding=1), torch.nn.ConvTranspose2d(21, 4, 2))
        expected = network(self.x)
        theirs = torch.autograd.grad(expected.square().mean(), list(network.parameters()))
        known = len(conv.torch.report())
        with conv.torch.intercept():
            result = network(self.x)
        ours = torch.autograd.grad(result.square().mean(), list(network.parameters()))
        for mine, other in zip((result, *ours), (expected, *theirs)):
            self.close(mine, other)
        self.assertEqual(sum("21, 3x3" in row.problem for row in conv.torch.report()), 2)
        self.assertEqual(len(conv.torch.report()), known + 5)
        calls = sum(row.calls for row in conv.torch.report())
        network(self.x)
        self.assertEqual(sum(row.calls for row in conv.torch.report()), calls)
        compiled = torch.compile(network, backend="aot_eager")
        with conv.torch.intercept():
            self.close(compiled(self.x), expected)

    def test_report_of_layers(self):
        network = replaced()
        rows = conv.torch.report(network, (self.x,))
        layers = {name: row for row in rows for name in row.layers}
        self.assertEqual(layers.keys(), {"0", "2", "3"})
        self.assertIn("forward f32 2x4x7x9 -> 6, 3x3", layers["0"].problem)
        self.assertIn("layers", str(rows).splitlines()[0])
        self.assertTrue(all(not module._forward_hooks for module in network))
        self.assertNotIn("layers", str(conv.torch.report()).splitlines()[0])

    def test_vector_of_parameters_on_meta(self):
        """A model on the meta device gets its memory and weights later."""
        with torch.device("meta"):
            network = replaced()
        network = network.to_empty(device=close.DEVICE)
        network.load_state_dict(model().state_dict())
        self.close(network(self.x), model()(self.x))


class Wrappers(unittest.TestCase):
    def check(self, call, *tensors):
        """A call of which any tensor may be a wrapper."""
        expected = call(*[tensor.clone() for tensor in tensors])
        for place in range(len(tensors)):
            given = [Wrapper(tensor.clone()) if i == place else tensor.clone() for i, tensor in enumerate(tensors)]
            with self.subTest(place):
                result = call(*given)
                self.assertIsInstance(result, Wrapper)
                torch.testing.assert_close(result.held, expected, rtol=2e-5, atol=2e-5)

    def test_convolutions(self):
        torch.manual_seed(0)
        x, w, b, residual = torch.randn(2, 4, 5, 5), torch.randn(6, 4, 3, 3), torch.randn(6), torch.randn(2, 6, 3, 3)
        self.check(CF.conv2d, x, w, b)
        self.check(lambda *tensors: CF.convolution(*tensors, "relu"), x, w, b, residual)

    def test_sequences(self):
        torch.manual_seed(0)
        x, taps, state = torch.randn(2, 5, 8), torch.randn(2, 5, 8, 3), torch.randn(2, 2, 8)
        self.check(lambda x, k, s: conv.torch.dynamic_conv(x, k, initial_state=s), x, taps, state)
        x, w, b, states = torch.randn(2, 8, 5), torch.randn(8, 3), torch.randn(8), torch.randn(2, 8, 2)
        self.check(lambda x, w, b, s: conv.torch.causal_conv1d_fn(x, w, b, initial_states=s), x, w, b, states)
        self.check(lambda x, s, w: conv.torch.causal_conv1d_update(x, s, w), x[:, :, 0], states, w)
        starts = torch.tensor([0, 2, 5])
        self.check(lambda x: conv.torch.causal_conv1d_varlen_states(x, starts, 2), x[0].T.contiguous())

    def test_arrays(self):
        with self.assertRaisesRegex(conv.Error, "expects a tensor with storage of its own, but got Wrapper, which wraps others"):
            conv.jit.conv2d(Wrapper(torch.ones(1, 1, 5, 5)), torch.ones(1, 1, 3, 3))


@unittest.skipUnless(torch.distributed.is_available() and torch.distributed.is_gloo_available(), "expects gloo")
class Distributed(unittest.TestCase):
    """Wrappers of distributed modules find what they expect. The tests have one process."""

    @classmethod
    def setUpClass(cls):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
        backend = "nccl" if close.DEVICE == "cuda" else "gloo"
        torch.distributed.init_process_group(backend, init_method=f"tcp://127.0.0.1:{port}", rank=0, world_size=1)

    @classmethod
    def tearDownClass(cls):
        torch.distributed.destroy_process_group()

    def setUp(self):
        torch.manual_seed(0)
        self.x = torch.randn(2, 4, 7, 9)

    def compare(self, network, exact):
        network(self.x).square().mean().backward()
        exact(self.x).square().mean().backward()
        for mine, other in zip(network.parameters(), exact.parameters()):
            grad = mine.grad.full_tensor() if hasattr(mine.grad, "full_tensor") else mine.grad
            torch.testing.assert_close(grad, other.grad, rtol=1e-4, atol=1e-6)

    def test_data_parallel(self):
        network = torch.nn.parallel.DistributedDataParallel(replaced())
        self.assertEqual(list(network.module.state_dict()), list(model().state_dict()))
        self.compare(network, model())

    def test_fully_sharded(self):
        from torch.distributed.checkpoint.state_dict import get_model_state_dict
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        network = replaced()
        mesh = init_device_mesh(close.DEVICE, (1,))
        for module in network:
            fully_shard(module, mesh=mesh)
        fully_shard(network, mesh=mesh)
        self.compare(network, model())
        self.assertEqual(get_model_state_dict(network).keys(), model().state_dict().keys())
        self.assertTrue(all(row.runs == "conv" for row in conv.torch.report() if "4x7x9" in row.problem))

    def test_distributed_tensors(self):
        """DTensor has rules for PyTorch's operators only, so PyTorch's convolution runs."""
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.tensor import Replicate, distribute_tensor

        mesh = init_device_mesh(close.DEVICE, (1,))
        x, w = (distribute_tensor(torch.randn(*shape), mesh, [Replicate()]) for shape in ((2, 4, 8, 8), (6, 4, 2, 2)))
        result = CF.conv2d(x, w, stride=2)
        torch.testing.assert_close(result.full_tensor(), F.conv2d(x, w, stride=2).full_tensor())
        y, taps = (distribute_tensor(torch.randn(*shape), mesh, [Replicate()]) for shape in ((1, 5, 8), (1, 5, 8, 3)))
        result = conv.torch.dynamic_conv(y, taps, activation="silu")
        expected = conv.torch.dynamic_conv(y.full_tensor(), taps.full_tensor(), activation="silu")
        torch.testing.assert_close(result.full_tensor(), expected)
        rows = [row.problem.split()[0] for row in conv.torch.report() if row.reason == "tensor-subclass"]
        self.assertEqual(sorted(rows), ["convolution", "dynamic_conv"])


if __name__ == "__main__":
    unittest.main()
