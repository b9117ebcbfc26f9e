"""Verify functions one at a time, on products of two numbers, whose bounds are narrow: in a sum of functions, an error of one that
is small where the others are not would pass.

Usage: each_function.py STEM TARGETS. `conv-compile` and `conv-run` are found on the path.
"""

import subprocess
import sys

# Arguments of functions that are not defined everywhere.
MAGNITUDE = "%z = math.absf %x : f32"
TENTH = "%c = arith.constant 0.1 : f32\n  %z = arith.mulf %x, %c : f32"
FROM_ONE = "%a = math.absf %x : f32\n  %c = arith.constant 1.0 : f32\n  %z = arith.addf %a, %c : f32"
ARGUMENTS = {
    **dict.fromkeys(["log", "log2", "log10", "log1p", "sqrt", "rsqrt"], MAGNITUDE),
    **dict.fromkeys(["asin", "acos", "atanh"], TENTH),
    "acosh": FROM_ONE,
}
OTHERS = ["absf", "floor", "ceil", "trunc", "round", "roundeven", "exp", "exp2", "expm1", "tanh", "erf", "cbrt"]
OTHERS += ["sin", "cos", "tan", "atan", "sinh", "cosh", "asinh"]


def write_function(name):
    argument = ARGUMENTS.get(name, "")
    return f"""func.func @{name}(%input: tensor<2x8x8x1xf32>, %filter: tensor<16x1x1x1xf32>) -> tensor<2x8x8x16xf32> {{
  %y = conv.forward %input, %filter
      window = <strides = [1, 1], dilations = [1, 1], low = [0, 0], high = [0, 0]> layouts = <"NHWC", "KRSC", "NPQK"> epilogue() {{
  ^bb0(%x: f32):
  {argument}
  %f = math.{name} {"%z" if argument else "%x"} : f32
  conv.yield %f : f32
  }} : tensor<2x8x8x1xf32>, tensor<16x1x1x1xf32> -> tensor<2x8x8x16xf32>
  return %y : tensor<2x8x8x16xf32>
}}
"""


def main():
    stem, targets = sys.argv[1:]
    names = [*ARGUMENTS, *OTHERS]
    with open(f"{stem}.mlir", "w") as file:
        file.writelines(map(write_function, names))
    for target in targets.split(","):
        subprocess.run(["conv-compile", f"{stem}.mlir", "--target", target, "-o", f"{stem}.convpack"], check=True)
        device = target.partition(":")[0]
        for name in names:
            command = ["conv-run", f"{stem}.convpack", "--device", device, "--function", name, "--verify"]
            result = subprocess.run(command, capture_output=True, text=True)
            print(name, target, "right" if result.returncode == 0 else result.stdout + result.stderr)


if __name__ == "__main__":
    main()
