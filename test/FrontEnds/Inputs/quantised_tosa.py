"""Tests quantised TOSA convolutions with zero points, a bias and `tosa.rescale`. `write FILE` writes a module with a
function for each case. `check PACK TARGET` runs the compiled functions, and compares with TOSA's specification bit for bit.
"""

import itertools
import math
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from arrays import load, save

BATCH, IMAGE, CHANNELS, RESULTS, FILTER = 2, (7, 5), 3, 4, (3, 2)


@dataclass
class Case:
    """A convolution and the rescale after it."""

    op: str = "conv2d"
    zero_points: tuple = (-7, 0)  # The zero points of the input and the weight.
    padding: tuple = (1, 1, 1, 0)  # Top, bottom, left, right.
    stride: tuple = (2, 1)
    constant: bool = False  # Whether weight and bias are constants.
    per_channel: bool = False
    rounding: str = "DOUBLE_ROUND"
    shift: int = 38
    unsigned: bool = False  # Whether the result is unsigned.

    def generator(self):
        return random.Random(repr(self))

    def weights(self):
        """The shape of the weight, and the channels of the result."""
        if self.op == "depthwise_conv2d":
            return (*FILTER, CHANNELS, 2), 2 * CHANNELS
        return (RESULTS, *FILTER, CHANNELS), RESULTS

    def image(self):
        """The spatial sizes of the result."""
        top, bottom, left, right = self.padding
        if self.op == "transpose_conv2d":  # The padding applies to the output.
            before = [(size - 1) * stride + tap for size, stride, tap in zip(IMAGE, self.stride, FILTER)]
            return before[0] + top + bottom, before[1] + left + right
        padded = IMAGE[0] + top + bottom, IMAGE[1] + left + right
        return tuple((size - tap) // stride + 1 for size, tap, stride in zip(padded, FILTER, self.stride))

    def values(self):
        """Input, weight, bias, multipliers, shifts, and the zero point of the result."""
        random = self.generator()
        shape, channels = self.weights()
        image = [random.randint(-128, 127) for _ in range(BATCH * math.prod(IMAGE) * CHANNELS)]
        weight = [random.randint(-128, 127) for _ in range(math.prod(shape))]
        bias = [random.randint(-50000, 50000) for _ in range(channels)]
        count = channels if self.per_channel else 1
        multipliers = [random.randint(1 << 30, (1 << 31) - 1) for _ in range(count)]
        shifts = [self.shift + random.randint(0, 2) * (count > 1) for _ in range(count)]
        return image, weight, bias, multipliers, shifts, 117 if self.unsigned else -9


CASES = {
    "plain": Case(padding=(0, 0, 0, 0)),
    "padded": Case(),
    "constant": Case(constant=True),
    "constant_vector": Case(constant=True, per_channel=True, padding=(0, 0, 0, 0)),
    "single": Case(rounding="SINGLE_ROUND", constant=True),
    "short_shift": Case(shift=31, zero_points=(0, 0)),
    "vector": Case(per_channel=True, zero_points=(128 - 256, 0)),
    "weight": Case(zero_points=(0, 4)),
    "both": Case(zero_points=(-3, 5)),
    "both_constant": Case(zero_points=(-3, 5), constant=True),
    "unsigned": Case(unsigned=True),
    "depthwise": Case(op="depthwise_conv2d", per_channel=True),
    "depthwise_constant": Case(op="depthwise_conv2d", constant=True, zero_points=(11, -2)),
    "transposed": Case(op="transpose_conv2d", padding=(-1, 1, 0, -1)),
    "transposed_constant": Case(op="transpose_conv2d", padding=(0, -1, -1, 0), constant=True, zero_points=(11, -2)),
}


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def constant(name, values, element):
    type = tensor([len(values)], element)
    return f'  %{name} = "tosa.const"() {{values = dense<{values}> : {type}}} : () -> {type}\n'


def write(name, case):
    shape, channels = case.weights()
    _, weight, bias, multipliers, shifts, zero_point = case.values()
    image, filter, biases = tensor((BATCH, *IMAGE, CHANNELS), "i8"), tensor(shape, "i8"), tensor([channels], "i32")
    sums, result = (tensor((BATCH, *case.image(), channels), element) for element in ("i32", "i8"))
    arguments, body = f'%x: {image} {{conv.name = "x"}}', ""
    if case.constant:
        nested = iter(weight)

        def nest(sizes):
            return [nest(sizes[1:]) for _ in range(sizes[0])] if sizes else next(nested)

        body += f'  %w = "tosa.const"() {{values = dense<{nest(shape)}> : {filter}}} : () -> {filter}\n'
        body += constant("b", bias, "i32")
    else:
        arguments += f', %w: {filter} {{conv.name = "w"}}, %b: {biases} {{conv.name = "b"}}'
    for number, values in ("a", [case.zero_points[0]]), ("z", [case.zero_points[1]]), ("s", shifts):
        body += constant(number, values, "i8")
    body += constant("m", multipliers, "i32") + constant("i", [0], "i32")
    body += constant("o", [zero_point - 256 * (zero_point > 127)], "i8")
    steps = f"stride = array<i64: {case.stride[0]}, {case.stride[1]}>"
    padding = ", ".join(map(str, case.padding))
    if case.op == "transpose_conv2d":
        steps += f", out_pad = array<i64: {padding}>"
    else:
        steps += f", pad = array<i64: {padding}>, dilation = array<i64: 1, 1>"
    return f"""func.func @{name}({arguments}) -> ({result} {{conv.name = "y"}}) {{
{body}  %c = tosa.{case.op} %x, %w, %b, %a, %z {{acc_type = i32, {steps}}}
      : ({image}, {filter}, {biases}, tensor<1xi8>, tensor<1xi8>) -> {sums}
  %y = tosa.rescale %c, %m, %s, %i, %o {{scale32 = true, rounding_mode = {case.rounding},
      per_channel = {str(case.per_channel).lower()}, input_unsigned = false, output_unsigned = {str(case.unsigned).lower()}}}
      : ({sums}, {tensor([len(shifts)], "i32")}, {tensor([len(shifts)], "i8")}, tensor<1xi32>, tensor<1xi8>) -> {result}
  return %y : {result}
}}
"""


def apply_scale_32(value, multiplier, shift, rounds_twice):
    """Scale a value as TOSA's specification does."""
    rounding = 1 << (shift - 1)
    if rounds_twice and shift > 31:
        rounding += (1 << 30) if value >= 0 else -(1 << 30)
    return (value * multiplier + rounding) >> shift


def convolve(case, image, weight, bias):
    """The sums by output position: each input element is multiplied with each weight that it meets."""
    shape, channels = case.weights()
    height, width = case.image()
    top, _, left, _ = case.padding
    sums = {at: bias[at[3]] for at in itertools.product(range(BATCH), range(height), range(width), range(channels))}
    numbers = itertools.product(range(BATCH), range(IMAGE[0]), range(IMAGE[1]), range(CHANNELS))
    weights = list(zip(itertools.product(*map(range, shape)), weight))
    for (n, h, w, c), element in zip(numbers, image):
        for place, factor in weights:
            if case.op == "depthwise_conv2d":
                r, s, channel, multiplier = place
                k = channel * 2 + multiplier
            else:
                k, r, s, channel = place
            if channel != c:
                continue
            if case.op == "transpose_conv2d":
                p, q = h * case.stride[0] + r + top, w * case.stride[1] + s + left
            else:
                p, q = h + top - r, w + left - s
                if p % case.stride[0] or q % case.stride[1]:
                    continue
                p, q = p // case.stride[0], q // case.stride[1]
            if (n, p, q, k) in sums:
                sums[n, p, q, k] += (element - case.zero_points[0]) * (factor - case.zero_points[1])
    return sums


def compute(case):
    image, weight, bias, multipliers, shifts, zero_point = case.values()
    low = 0 if case.unsigned else -128
    for (*_, k), total in sorted(convolve(case, image, weight, bias).items()):
        k = k if case.per_channel else 0
        scaled = apply_scale_32(total, multipliers[k], shifts[k], case.rounding == "DOUBLE_ROUND")
        value = min(max(scaled + zero_point, low), low + 255)
        yield value - 256 * (value > 127)


def check(pack, target, names, directory):
    device = ["--device", "sim"] if target.startswith("sim:") else ["--device", target]
    for name in names:
        case = CASES[name]
        shape, channels = case.weights()
        image, weight, bias, *_ = case.values()
        files = [("x", (BATCH, *IMAGE, CHANNELS), "b", image)]
        if not case.constant:
            files += [("w", shape, "b", weight), ("b", [channels], "i", bias)]
        command = ["conv-run", pack, "--function", name, "--target", target.removeprefix("sim:"), "--verify", *device]
        for file, shape, kind, values in files:
            save(directory / f"{file}.npy", shape, kind, values)
            command += ["--input", f"{file}={directory}/{file}.npy"]
        subprocess.run([*command, "--output", f"y={directory}/y.npy"], check=True, stdout=subprocess.DEVNULL)
        equal = load(directory / "y.npy", "b") == list(compute(case))
        print(f"{name}: {'equal' if equal else 'different'}")


def main():
    if sys.argv[1] == "write":
        Path(sys.argv[2]).write_text("\n".join(write(name, case) for name, case in CASES.items()))
        return
    with tempfile.TemporaryDirectory() as directory:
        check(sys.argv[2], sys.argv[3], sys.argv[4:] or CASES, Path(directory))


if __name__ == "__main__":
    main()
