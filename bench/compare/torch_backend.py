"""The backend of GPUs: PyTorch provides tensors, the reference and cuDNN; calls are timed in CUDA graphs."""

import math

import conv
import torch
from blocks import sum_blocks
from conv.tune.graph import CapturedCalls
from conv.tune.rule import worst_error
from epilogue import apply_epilogue
from torch_library import convolve, empty, has_convolution

_DTYPES = {
    "bf16": torch.bfloat16,
    "f16": torch.float16,
    "f32": torch.float32,
    "tf32": torch.float32,
    "i8": torch.int8,
}
_ORDERS = {"input": "NCDHW", "filter": "KCTRS", "output": "NKZPQ"}  # PyTorch's order of dimensions.


class TorchBackend:
    """The backend of one GPU."""

    def __init__(self, device):
        torch.backends.cudnn.benchmark = True
        self.device = torch.device(device)
        torch.cuda.set_device(self.device)
        self.stream = torch.cuda.Stream(self.device)
        self.properties = torch.cuda.get_device_properties(self.device)

    def describe(self):
        return {
            "device": self.properties.name,
            "library": f"cuDNN {torch.backends.cudnn.version()}, PyTorch {torch.__version__}",
            "runtime": conv.__version__,
        }

    def _random(self, problem, name):
        shape = problem.shapes[problem.part(name)]
        if problem.dtype == "i8":
            return empty(shape, problem.layout, torch.int8, self.device).random_(-128, 128)
        values = empty(shape, problem.layout, torch.float32, self.device).normal_(std=problem.scale(name))
        return values.to(_DTYPES[problem.dtype])

    def tensors(self, problem):
        """Operands with fresh random values."""
        return {name: self._random(problem, name) for name in problem.operands}

    def tensor_sets(self, problem):
        """So many sets of operands that they take three times the L2 cache: at least 2, at most 256."""
        count = math.ceil(3 * self.properties.L2_cache_size / problem.bytes)
        return [self.tensors(problem) for _ in range(min(max(count, 2), 256))]

    # Our kernels.

    def load(self, problem, pack):
        """Load the only function of an artifact, for tensors whose dimensions are in PyTorch's order."""
        artifact = conv.load(pack)
        function = artifact[next(iter(artifact))]
        orders = {
            argument.name: "".join(filter(argument.layout.__contains__, _ORDERS[problem.part(argument.name)]))
            for argument in function.arguments
            if argument.layout
        }
        function.prepare(str(self.device), self.stream)
        return function.with_layouts(**orders)

    def run(self, function, tensors):
        with torch.cuda.stream(self.stream):
            result = function(**tensors)
        self.stream.synchronize()
        return result

    def ours(self, problem, function, sets):
        outputs = [self.run(function, tensors) for tensors in sets]
        return CapturedCalls(self.stream, [lambda t=t, y=y: function(**t, out=y) for t, y in zip(sets, outputs)])

    # The kernels of the library.

    def _convolve(self, problem, tensors):
        """Run cuDNN in the type of the tensors, or in tf32."""
        torch.backends.cudnn.allow_tf32 = problem.dtype == "tf32"
        return convolve(problem, tensors)

    def theirs(self, problem, sets):
        if not has_convolution(problem):
            return None
        with torch.cuda.stream(self.stream):
            for tensors in sets[:2]:
                self._convolve(problem, tensors)  # The benchmark mode of cuDNN chooses the algorithm here.
        self.stream.synchronize()
        return CapturedCalls(self.stream, [lambda t=t: self._convolve(problem, t) for t in sets])

    # The reference.

    def expect(self, problem, tensors, transforms):
        """The expected result, and what bounds its errors: the sums of absolute products and of the epilogue's magnitudes.

        With `transforms`, the products are those of Winograd's transformed blocks.
        """
        exact = {name: tensor.double() for name, tensor in tensors.items()}
        expected, added = apply_epilogue(torch, problem.epilogue, self._reference(problem, exact), exact)
        magnitudes = {name: tensor.abs() for name, tensor in exact.items()}
        products = (
            sum_blocks(torch, problem, magnitudes, transforms) if transforms else self._reference(problem, magnitudes)
        )
        return expected, products, added

    def verify(self, problem, function, tensors, expected):
        """The largest error, as a share of the allowed error."""
        with torch.cuda.stream(self.stream):
            result = function(**tensors)
            # Elements that the second call does not write stay wrong.
            result.fill_(float("nan") if result.is_floating_point() else torch.iinfo(result.dtype).min)
            function(**tensors, out=result)
        self.stream.synchronize()
        return self._error(problem, function, result, expected)

    def verify_library(self, problem, function, tensors, expected):
        """The largest error of the library, as a share of what our function is allowed; None without a library call."""
        if not has_convolution(problem):
            return None
        return self._error(problem, function, self._convolve(problem, tensors), expected)

    def _error(self, problem, function, result, expected):
        [entry] = function.entries.values()
        return worst_error(torch, result.double(), *expected, problem.dtype, entry.error_bound)

    def _reference(self, problem, tensors):
        """The result in the type of the tensors, on an explicitly padded input, because libraries pad both sides alike."""
        padded = problem.padded()
        tensors = dict(tensors)
        if "input" in tensors:
            sides = [side for pair in zip(problem.low[::-1], problem.high[::-1]) for side in pair]
            tensors["input"] = torch.nn.functional.pad(tensors["input"], sides)
        with torch.backends.cudnn.flags(enabled=True, benchmark=False):
            result = self._convolve(padded, tensors)
        if problem.direction == "backward_data":
            for axis, (low, size) in enumerate(zip(problem.low, problem.spatial), 2):
                result = result.narrow(axis, low, size)
        return result

    # The roofs.

    def ceilings(self, measure):
        """The bytes a second of a copy kernel (reads and writes), and the operations a second of a matrix product."""
        source = torch.randn(1 << 29, device=self.device)
        target = torch.empty_like(source)
        left, right = (torch.randn(8192, 8192, device=self.device, dtype=torch.bfloat16) for _ in range(2))
        with torch.cuda.stream(self.stream):
            torch.matmul(left, right)
        self.stream.synchronize()
        times = measure(
            {
                # The copy negates: a plain copy would become a memcpy node, which has two thirds of the speed.
                "copy": CapturedCalls(self.stream, [lambda: torch.neg(source, out=target)]),
                "product": CapturedCalls(self.stream, [lambda: torch.matmul(left, right)]),
            }
        )
        return {
            "bytes_per_second": 2 * source.nbytes / times["copy"]["median"],
            "flops_per_second": 2 * 8192**3 / times["product"]["median"],
        }
