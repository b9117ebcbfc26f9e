# REQUIRES: cuda, ptxas, torch
# RUN: rm -rf %t && mkdir %t
# RUN: conv-gen convbfp16 -F 1 --layout nhwc -n 4 -c 64 -H 32 -W 32 -k 64 -p 1 -q 1 -o %t/chain.mlir
# RUN: conv-compile %t/chain.mlir --target=sm_80,sm_90a,sm_100a -o %t/chain.convpack
# RUN: conv-gen convbfp16 --layout nhwc -F 4 -n 64 -c 256 -H 16 -W 16 -k 256 -p 1 -q 1 -o %t/split.mlir
# RUN: conv-compile %t/split.mlir --target=sm_80,sm_90a,sm_100a -o %t/split.convpack
# RUN: conv-compile %t/chain.mlir --target=gfx942 -o %t/other.convpack
# RUN: env PYTHONPATH=%build-root/python/site %torch-python %s %t
"""The caller's contract on a GPU: streams, graphs, workspaces, and the errors when something is missing."""

import sys
import unittest

import conv
import torch

FOLDER = sys.argv.pop()
LENGTH = 20  # Each kernel of the chain reads the result of the previous one.


def load(name):
    artifact = conv.load(f"{FOLDER}/{name}.convpack")
    return artifact[next(iter(artifact))]


def operands(function):
    """Random operands, so small that the sums of a chain stay finite."""
    arguments = function.arguments[:-1]
    return [torch.randn(argument.shape, device="cuda").mul_(0.04).bfloat16() for argument in arguments]


class Contract(unittest.TestCase):
    def setUp(self):
        self.chain = load("chain")
        self.input, self.filter = operands(self.chain)
        self.buffers = [torch.empty_like(self.input) for _ in range(2)]

    def run_chain(self, stream, after=lambda: None):
        """The last result of a chain of kernels that alternates between two buffers."""
        self.buffers[0].copy_(self.input)
        for link in range(LENGTH):
            source, target = self.buffers[link % 2], self.buffers[1 - link % 2]
            self.chain(source, self.filter, out=target, stream=stream)
            after()
        return self.buffers[LENGTH % 2]

    def test_kernels_wait_for_those_before_them(self):
        expected = self.run_chain(0, after=torch.cuda.synchronize).clone()
        self.assertTrue(expected.any())
        with torch.cuda.stream(torch.cuda.Stream()):
            own = self.run_chain(torch.cuda.current_stream()).clone()
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(own, expected))
        default = self.run_chain(0)
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(default, expected))

    def test_graph(self):
        stream = torch.cuda.Stream()
        self.chain.prepare("cuda", stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            result = self.run_chain(stream)
        for _ in range(3):
            self.input.normal_().mul_(0.04)
            graph.replay()
            torch.cuda.synchronize()
            replayed = result.clone()
            self.assertTrue(torch.equal(self.run_chain(0, after=torch.cuda.synchronize), replayed))

    def test_streams_at_once(self):
        split = load("split")
        self.assertGreater(split.prepare("cuda").workspace_bytes, 0)
        calls = [operands(split) for _ in range(2)]
        expected = [split(*call) for call in calls]
        streams = [torch.cuda.Stream() for _ in calls]
        torch.cuda.synchronize()
        for _ in range(20):
            results = [split(*call, stream=stream) for call, stream in zip(calls, streams)]
            torch.cuda.synchronize()
            for result, one in zip(results, expected):
                self.assertTrue(torch.equal(result, one))

    def test_out_of_memory(self):
        split = load("split")
        call = operands(split)
        result = split(*call)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        free = torch.cuda.mem_get_info()[0]
        taken = torch.empty(free - split.prepare("cuda").workspace_bytes // 2, dtype=torch.int8, device="cuda")
        stream = torch.cuda.Stream()
        with self.assertRaisesRegex(conv.Error, r"cannot allocate \d+ bytes: cuMemAlloc: out of memory") as caught:
            split(*call, out=result, stream=stream)
        self.assertEqual(caught.exception.kind, conv.ErrorKind.SYSTEM)
        del taken
        torch.cuda.empty_cache()
        split(*call, out=result, stream=stream)
        torch.cuda.synchronize()

    def test_code_for_another_chip(self):
        with self.assertRaisesRegex(conv.Error, r"expects function '\w+' for sm_.*, but the artifact has \w+ \(gfx942\)"):
            load("other")(self.input, self.filter)


if __name__ == "__main__":
    unittest.main()
