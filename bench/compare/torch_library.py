"""Convolutions as PyTorch computes them: cuDNN's on GPUs, and on the CPU those that are compared with ours."""

import numpy as np
import torch


def has_convolution(problem):
    """Whether one call of PyTorch computes it."""
    return problem.is_symmetric and not problem.epilogue and problem.dtype != "i8"


def empty(shape, layout, dtype, device):
    """In PyTorch's order of dimensions, and in memory as the layout says."""
    if len(shape) == 1 or layout == "nchw":
        return torch.empty(shape, dtype=dtype, device=device)
    return torch.empty((shape[0], *shape[2:], shape[1]), dtype=dtype, device=device).movedim(-1, 1)


def convolve(problem, tensors):
    """One call of PyTorch, in the type of the tensors."""
    options = {
        "stride": problem.stride,
        "padding": problem.low,
        "dilation": problem.dilation,
        "groups": problem.groups,
        "transposed": False,
        "output_padding": [0] * len(problem.stride),
    }
    if problem.direction == "forward":
        return torch.ops.aten.convolution(tensors["input"], tensors["filter"], None, **options)
    result = problem.part(problem.result)
    # The gradient has the shape of an operand whose values are not used.
    gradient = tensors["grad_output"]
    unused = {result: empty(problem.shapes[result], problem.layout, gradient.dtype, gradient.device)}
    operands = {**tensors, **unused}
    gradients = torch.ops.aten.convolution_backward(
        gradient,
        operands["input"],
        operands["filter"],
        None,
        **options,
        output_mask=[result == "input", result == "filter", False],
    )
    return gradients[0] if result == "input" else gradients[1]


class TorchLibrary:
    """The library of the CPU."""

    def __init__(self):
        kernels = "oneDNN" if torch.backends.mkldnn.is_available() else "native kernels"
        self.name = f"{kernels}, PyTorch {torch.__version__} on {torch.get_num_threads()} threads"

    def has(self, problem):
        return has_convolution(problem)

    def prepare(self, problem, arrays):
        """A call on copies of NumPy's arrays, in which bf16 is bits."""
        tensors = {name: self._copy(array, problem.layout) for name, array in arrays.items()}
        return lambda: convolve(problem, tensors)

    @staticmethod
    def prepare_product(size):
        """A call that multiplies two square matrices of f32."""
        left, right = torch.ones(size, size), torch.ones(size, size)
        return lambda: torch.matmul(left, right)

    @staticmethod
    def _copy(array, layout):
        is_bf16 = array.dtype == np.uint16
        source = torch.from_numpy(np.ascontiguousarray(array).view(np.int16 if is_bf16 else array.dtype))
        source = source.view(torch.bfloat16) if is_bf16 else source
        return empty(source.shape, layout, source.dtype, "cpu").copy_(source)
