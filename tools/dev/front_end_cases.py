"""Generators of PyTorch layers and fusion patterns, which try_front_ends.py exports.

A case is (name, module, inputs). Modules hold their weights; `as_arguments` makes a module whose weights are arguments.
"""

import itertools

import torch
import torch.nn.functional as F
from torch import nn

CONVOLUTIONS = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}
TRANSPOSED = {1: nn.ConvTranspose1d, 2: nn.ConvTranspose2d, 3: nn.ConvTranspose3d}
IMAGES = {1: (37,), 2: (14, 11), 3: (7, 6, 5)}
CHANNELS = 8

# Each row: kernel, stride, dilation, padding.
WINDOWS = [
    (1, 1, 1, 0),
    (1, 2, 1, 0),
    (2, 2, 1, 0),
    (3, 1, 1, 1),
    (3, 2, 1, 1),
    (3, 1, 2, 2),
    (3, 2, 2, 0),
    (3, 3, 1, 2),
    (4, 2, 1, 1),
    (5, 1, 1, 2),
]
# Each row: kernel, stride, padding, output padding, dilation.
TRANSPOSED_WINDOWS = [
    (1, 1, 0, 0, 1),
    (2, 2, 0, 0, 1),
    (3, 1, 1, 0, 1),
    (3, 2, 1, 1, 1),
    (4, 2, 1, 0, 1),
    (3, 2, 1, 0, 2),
    (5, 3, 2, 2, 1),
    (3, 4, 0, 1, 1),
]


class Causal(nn.Module):
    """A causal convolution: both sides are padded, and the excess at the end is cut off."""

    def __init__(self, width, groups):
        super().__init__()
        self.width, self.convolution = width, nn.Conv1d(CHANNELS, CHANNELS, width, padding=width - 1, groups=groups)

    def forward(self, x):
        return self.convolution(x)[..., : x.shape[-1]]


class AsArguments(nn.Module):
    """A module whose parameters are arguments after its inputs, in the order of `named_parameters`."""

    def __init__(self, module, inputs):
        super().__init__()
        self.names, self.inputs = [name for name, _ in module.named_parameters()], inputs
        self.hidden = [module.requires_grad_(False)]  # A list keeps its weights out of this module's.

    def forward(self, *arguments):
        inputs, weights = arguments[: self.inputs], arguments[self.inputs :]
        return torch.func.functional_call(self.hidden[0], dict(zip(self.names, weights)), inputs)


def as_arguments(module, inputs):
    return AsArguments(module, len(inputs)), (*inputs, *(weight.detach() for weight in module.parameters()))


def image(dims, dtype=torch.float32, channels=CHANNELS, batch=2):
    return (torch.randn(batch, channels, *IMAGES[dims]).to(dtype),)


def grouped(groups):
    """The number of groups and of output channels for a kind of layer."""
    return {
        "dense": (1, 12),
        "grouped": (2, 12),
        "depthwise": (CHANNELS, CHANNELS),
        "multiplier": (CHANNELS, 2 * CHANNELS),
    }[groups]


def forward_layers():
    for dims, window, kind in itertools.product(
        (1, 2, 3), WINDOWS, ("dense", "grouped", "depthwise", "multiplier")
    ):
        kernel, stride, dilation, padding = window
        groups, outputs = grouped(kind)
        module = CONVOLUTIONS[dims](
            CHANNELS, outputs, kernel, stride, padding, dilation, groups, bias=(kernel + stride) % 2 == 0
        )
        yield f"conv{dims}d-{kind}-k{kernel}s{stride}d{dilation}p{padding}", module, image(dims)


def same_layers():
    for dims, kernel, kind in itertools.product((1, 2, 3), (2, 3, 4), ("dense", "depthwise")):
        groups, outputs = grouped(kind)
        module = CONVOLUTIONS[dims](CHANNELS, outputs, kernel, padding="same", groups=groups)
        yield f"conv{dims}d-{kind}-same-k{kernel}", module, image(dims)


def transposed_layers():
    for dims, window, kind in itertools.product((1, 2, 3), TRANSPOSED_WINDOWS, ("dense", "grouped", "depthwise")):
        kernel, stride, padding, output_padding, dilation = window
        groups, outputs = grouped(kind)
        module = TRANSPOSED[dims](
            CHANNELS, outputs, kernel, stride, padding, output_padding, groups, kernel % 2 == 1, dilation
        )
        yield f"transposed{dims}d-{kind}-k{kernel}s{stride}p{padding}o{output_padding}d{dilation}", module, image(dims)


def padded_layers():
    for dims, mode, window, kind in itertools.product(
        (1, 2, 3), ("reflect", "replicate", "circular"), ((3, 1, 1), (3, 2, 1), (5, 1, 2)), ("dense", "depthwise")
    ):
        kernel, stride, padding = window
        groups, outputs = grouped(kind)
        module = CONVOLUTIONS[dims](
            CHANNELS, outputs, kernel, stride, padding, groups=groups, padding_mode=mode, bias=kernel == 3
        )
        yield f"conv{dims}d-{kind}-{mode}-k{kernel}s{stride}", module, image(dims)


def causal_layers():
    for width, groups in itertools.product((2, 3, 4), (1, CHANNELS)):
        yield f"causal-w{width}g{groups}", Causal(width, groups), image(1)


def typed_layers():
    for dims, dtype, (name, stride, groups) in itertools.product(
        (1, 2, 3),
        (torch.float16, torch.bfloat16),
        (("plain", 1, 1), ("strided", 2, 1), ("grouped", 1, 2), ("depthwise", 1, CHANNELS), ("transposed", 2, 1)),
    ):
        kinds = TRANSPOSED if name == "transposed" else CONVOLUTIONS
        module = kinds[dims](CHANNELS, CHANNELS, 3, stride, 1, groups=groups).to(dtype)
        yield f"{str(dtype)[6:]}-{dims}d-{name}", module, image(dims, dtype)


def all_layers():
    torch.manual_seed(1)
    for kind in (forward_layers, same_layers, transposed_layers, padded_layers, causal_layers, typed_layers):
        yield from kind()


class Pattern(nn.Module):
    """A module that applies a function to a convolution, further modules and the inputs."""

    def __init__(self, function, modules=()):
        super().__init__()
        self.function = function
        self.convolution = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.more = nn.ModuleList(modules)

    def forward(self, *inputs):
        return self.function(self, *inputs)


ACTIVATIONS = {
    name: getattr(F, name)
    for name in (
        "relu relu6 leaky_relu elu selu celu gelu silu mish hardswish hardsigmoid hardtanh softplus softsign "
        "tanh sigmoid logsigmoid tanhshrink softshrink hardshrink".split()
    )
} | {
    "gelu_tanh": lambda y: F.gelu(y, approximate="tanh"),
    "threshold": lambda y: F.threshold(y, 0.1, -1.0),
    "quick_gelu": lambda y: y * torch.sigmoid(1.702 * y),
    "squared_relu": lambda y: F.relu(y) ** 2,
    "clamp": lambda y: y.clamp(-0.5, 0.75),
    "where": lambda y: torch.where(y > 0, y, 0.1 * y),
}
FUNCTIONS = {
    "abs": torch.abs,
    "neg": torch.neg,
    "square": torch.square,
    "sqrt": lambda y: torch.sqrt(y.abs()),
    "rsqrt": lambda y: torch.rsqrt(y.abs() + 1),
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "log": lambda y: torch.log(y.abs() + 1),
    "log2": lambda y: torch.log2(y.abs() + 1),
    "log10": lambda y: torch.log10(y.abs() + 1),
    "log1p": lambda y: torch.log1p(y.abs()),
    "floor": torch.floor,
    "ceil": torch.ceil,
    "round": torch.round,
    "trunc": torch.trunc,
    "sign": torch.sign,
    "sin": torch.sin,
    "cos": torch.cos,
    "tan": lambda y: torch.tan(y / 4),
    "asin": lambda y: torch.asin(torch.tanh(y)),
    "acos": lambda y: torch.acos(torch.tanh(y)),
    "atan": torch.atan,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "asinh": torch.asinh,
    "atanh": lambda y: torch.atanh(torch.tanh(y) / 2),
    "erf": torch.erf,
    "erfc": torch.erfc,
    "reciprocal": lambda y: torch.reciprocal(y.abs() + 1),
    "cube": lambda y: y**3,
    "pow": lambda y: torch.pow(y.abs() + 0.1, 1.7),
}


def batch_norm(channels=CHANNELS):
    module = nn.BatchNorm2d(channels)
    module.running_mean.normal_()
    module.running_var.uniform_(0.5, 2)
    return module


def squeeze_excite(self, x):
    y = self.convolution(x)
    return y * torch.sigmoid(self.more[1](F.relu(self.more[0](y.mean((2, 3), keepdim=True)))))


def pointwise():
    return nn.Conv2d(CHANNELS, CHANNELS, 1)


# For each name: the computation around the convolution, the number of further operands of the input's shape, and the
# constructors of further modules.
COMBINATIONS = {
    "residual": (lambda s, x, r: s.convolution(x) + r, 1, ()),
    "residual_relu": (lambda s, x, r: F.relu(s.convolution(x) + r), 1, ()),
    "own_residual": (lambda s, x: s.convolution(x) + x, 0, ()),
    "scaled_residual": (lambda s, x, r: torch.add(r, s.convolution(x), alpha=0.5), 1, ()),
    "subtract": (lambda s, x, r: r - s.convolution(x), 1, ()),
    "gate": (lambda s, x, r: s.convolution(x) * torch.sigmoid(r), 1, ()),
    "divide": (lambda s, x, r: s.convolution(x) / (r.abs() + 1), 1, ()),
    "maximum": (lambda s, x, r: torch.maximum(s.convolution(x), r), 1, ()),
    "minimum": (lambda s, x, r: torch.minimum(s.convolution(x), r), 1, ()),
    "two_residuals": (lambda s, x, r, t: s.convolution(x) + r + t, 2, ()),
    "batch_norm": (lambda s, x: s.more[0](s.convolution(x)), 0, (batch_norm,)),
    "batch_norm_relu": (lambda s, x: F.relu(s.more[0](s.convolution(x))), 0, (batch_norm,)),
    "prelu": (lambda s, x: s.more[0](s.convolution(x)), 0, (lambda: nn.PReLU(CHANNELS),)),
    "dropout": (lambda s, x: F.dropout(s.convolution(x), training=False), 0, ()),
    "half_result": (lambda s, x: s.convolution(x).half(), 0, ()),
    "two_results": (lambda s, x: (s.convolution(x), F.relu(s.convolution(x))), 0, ()),
    "two_convolutions": (lambda s, x: s.more[0](F.relu(s.convolution(x))), 0, (pointwise,)),
    "sum_of_two": (lambda s, x: s.convolution(x) + s.more[0](x), 0, (pointwise,)),
    "bottleneck": (
        lambda s, x: F.relu(x + s.more[2](s.more[1](F.relu(s.more[0](s.convolution(x)))))),
        0,
        (batch_norm, pointwise, batch_norm),
    ),
    "separable": (
        lambda s, x: F.relu6(s.more[0](s.convolution(x))),
        0,
        (lambda: nn.Conv2d(CHANNELS, CHANNELS, 3, groups=CHANNELS),),
    ),
    "glu": (lambda s, x: F.glu(s.convolution(x), dim=1), 0, ()),
    "pre_relu": (lambda s, x: s.convolution(F.relu(x)), 0, ()),
    "pre_silu": (lambda s, x: s.convolution(F.silu(x)), 0, ()),
    "pre_batch_norm_relu": (lambda s, x: s.convolution(F.relu(s.more[0](x))), 0, (batch_norm,)),
    "pre_scale": (lambda s, x: s.convolution(x * 0.5), 0, ()),
    "pre_normalise": (lambda s, x: s.convolution((x - 0.45) / 0.225), 0, ()),
    "pre_add": (lambda s, x, r: s.convolution(x + r), 1, ()),
    "pre_gate": (lambda s, x, r: s.convolution(x * r), 1, ()),
    "pre_cast_double": (lambda s, x: s.convolution(x.half().float()), 0, ()),
    "pre_and_post": (lambda s, x, r: F.relu(s.convolution(F.relu(x)) + r), 1, ()),
    "pre_block": (
        lambda s, x: x + s.more[1](F.relu(s.more[0](s.convolution(F.relu(x))))),
        0,
        (batch_norm, pointwise),
    ),
    "weight_scale": (lambda s, x: F.conv2d(x, s.convolution.weight * 0.1, padding=1), 0, ()),
    "weight_standardise": (
        lambda s, x: F.conv2d(x, s.convolution.weight - s.convolution.weight.mean((1, 2, 3), keepdim=True)),
        0,
        (),
    ),
    "autocast": (lambda s, x: F.relu(F.conv2d(x.half(), s.convolution.weight.half())).float(), 0, ()),
    "autocast_bf16": (lambda s, x: F.conv2d(x.bfloat16(), s.convolution.weight.bfloat16()).float(), 0, ()),
    "concatenate": (lambda s, x, r: torch.cat([s.convolution(x), r], 1), 1, ()),
    "flatten": (lambda s, x: s.convolution(x).flatten(2), 0, ()),
    "patch_embedding": (lambda s, x: s.convolution(x).flatten(2).transpose(1, 2), 0, ()),
    "channels_last": (lambda s, x: F.relu(s.convolution(x)).permute(0, 2, 3, 1), 0, ()),
    "pixel_shuffle": (lambda s, x: F.pixel_shuffle(s.convolution(x), 2), 0, ()),
    "upsample": (lambda s, x: s.convolution(F.interpolate(x, scale_factor=2.0)), 0, ()),
    "max_pool": (lambda s, x: F.max_pool2d(F.relu(s.convolution(x)), 2), 0, ()),
    "average_pool": (lambda s, x: F.avg_pool2d(s.convolution(x), 2), 0, ()),
    "squeeze_excite": (squeeze_excite, 0, (pointwise, pointwise)),
    "group_norm": (lambda s, x: F.group_norm(s.convolution(x), 2), 0, ()),
    "softmax": (lambda s, x: F.softmax(s.convolution(x), 1), 0, ()),
}


def fusion_patterns():
    torch.manual_seed(2)
    for name, function in {**ACTIVATIONS, **FUNCTIONS}.items():
        yield name, Pattern(lambda s, x, f=function: f(s.convolution(x))), image(2)
    for name, (function, operands, modules) in COMBINATIONS.items():
        inputs = tuple(tensor for _ in range(1 + operands) for tensor in image(2))
        yield name, Pattern(function, [make() for make in modules]), inputs
