"""Prints a convolution and a chain of element-wise ops after it: chain.py KIND LENGTH.

KIND is `abs` or `add` (a chain of arithmetic ops), `cbrt`, `tanh` or `powf` (a chain of math functions), `sum` (the values
of a chain are also added to a second operand), or `blocked` (a chain that starts with an access that no kernel supports).
"""

import sys

kind, length = sys.argv[1], int(sys.argv[2])
T = "tensor<1x4x4x8xf16>"
MAP = "affine_map<(n, p, q, k) -> (n, p, q, k)>"
REPEATED = "affine_map<(n, p, q, k) -> (n, p floordiv 2, q, k)>"
PARALLEL = '"parallel", "parallel", "parallel", "parallel"'


def generic(result, source, indexing, body):
    print(f"  {result} = linalg.generic {{indexing_maps = [{indexing}, {MAP}, {MAP}], iterator_types = [{PARALLEL}]}}")
    print(f"      ins({source}, %r : {T}, {T}) outs(%e : {T}) {{")
    print("  ^bb0(%a0: f16, %s0: f16, %o: f16):")
    for line in body:
        print("    " + line)
    print(f"  }} -> {T}")


print(f"func.func @chain(%x: {T}, %w: tensor<8x3x3x8xf16>, %r: {T}) -> {T} {{")
print("  %y0 = conv.forward %x, %w")
print("      window = <strides = [1, 1], dilations = [1, 1], low = [1, 1], high = [1, 1]>")
print('      layouts = <"NHWC", "KRSC", "NPQK">')
print(f"      : {T}, tensor<8x3x3x8xf16> -> {T}")
print(f"  %e = tensor.empty() : {T}")
last = f"%y{length}"
if kind in ("abs", "cbrt", "tanh"):
    op = {"abs": "absf"}.get(kind, kind)
    for i in range(length):
        print(f"  %y{i + 1} = math.{op} %y{i} : {T}")
elif kind == "add":
    for i in range(length):
        print(f"  %y{i + 1} = arith.addf %y{i}, %y{max(i - 1, 0)} : {T}")
elif kind == "powf":
    for i in range(length):
        print(f"  %y{i + 1} = math.powf %y{i}, %y{i} : {T}")
elif kind == "sum":
    body = []
    for i in range(length // 2):
        body.append(f"%a{i + 1} = math.tanh %a{i} : f16")
        body.append(f"%s{i + 1} = arith.addf %s{i}, %a{i + 1} : f16")
    generic(last, "%y0", MAP, body + [f"linalg.yield %s{length // 2} : f16"])
else:
    for i in range(length):
        body = ["%b = math.tanh %a0 : f16", "linalg.yield %b : f16"]
        generic(f"%y{i + 1}", f"%y{i}", MAP if i else REPEATED, body)
print(f"  return {last} : {T}")
print("}")
