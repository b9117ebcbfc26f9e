# Part of the conv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times causal convolutions of `conv.torch.causal_conv1d_fn` on a GPU: channels last, bf16, with bias and silu.
Rates are GB/s of the bytes that must be moved, beside a copy and a Triton kernel (causal_triton.py).

    time_causal.py compile FOLDER TARGET      compiles packs for a machine without the compiler: FOLDER/fixed, FOLDER/open
    time_causal.py FOLDER OUT.json            times kernels of fixed sizes, and kernels whose sizes are known at run time
"""

import json
import pathlib
import sys

from graph_timing import time_calls

SHAPES = [(8, 2048, 4096), (1, 32768, 2048), (32, 512, 1024), (4, 8192, 2560)]  #: B, T, D.
WIDTHS = [2, 3, 4]
SEQUENCES = 16  #: Packed sequences in the one row of a batch.
CACHE_BYTES = 400 << 20  # All sets of tensors together are many times as large as the L2 cache.


def problems(b, t, d, width):
    """Yield the problems that a call and its gradient run: forward, gradient of the sum, gradient of the input."""
    from conv._dynamic import ACTIVATION, FORWARD, INPUT, DynamicProblem

    for starts in (0, SEQUENCES + 1) if b == 1 else (0,):
        for direction in (FORWARD, ACTIVATION, INPUT):
            is_sum = direction != INPUT
            yield DynamicProblem(
                *(b, t, d, width, d),
                dtype="bf16",
                direction=direction,
                activation="silu" if is_sum else "",
                starts=starts,
                one_kernel=True,
                bias="bf16" if is_sum else "",
            )


def compile_packs(folder, target):
    from conv.torch._choices import compile_problem
    from conv.torch._problems import function_name

    for shape in SHAPES:
        for width in WIDTHS:
            for problem in problems(*shape, width):
                for name, one in (("fixed", problem), ("open", problem.with_run_time_sizes())):
                    path = folder / name / f"{function_name(one)}.convpack"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    if not path.exists():
                        path.write_bytes(compile_problem(one, target))


def expected(x, weight, bias, grad, starts):
    """The result, the gradient of the sum and the gradient of the input, which plain PyTorch computes in f32."""
    import torch

    from conv.torch import _dynamic_reference as reference

    x, kernel = x.float(), weight.float()[None, None]
    total = reference.dynamic_sum(x, kernel, "BTGW", starts) + bias.float()
    grad_sum = grad.float() * reference.silu_slope(total)
    rounded = grad_sum.bfloat16().float()
    return torch.nn.functional.silu(total), grad_sum, reference.dynamic_input_gradient(rounded, kernel, "BTGW", starts)


def measure(shape, width, is_packed, stream, with_triton):
    import causal_triton
    import torch

    from conv.torch._causal_sequences import Sequences

    b, t, d = shape
    make = lambda *sizes: torch.randn(sizes, device="cuda", dtype=torch.bfloat16)
    weight, bias = make(d, width), make(d)
    starts = None
    if is_packed:
        borders = torch.sort(torch.randint(t + 1, (SEQUENCES - 1,), device="cuda"))[0]
        starts = torch.cat([borders.new_zeros(1), borders, borders.new_full((1,), t)]).int()
    size = 2 * b * t * d
    count = max(2, min(8, -(-CACHE_BYTES // (2 * size))))
    sets = [(Sequences(make(b, t, d), weight, bias, starts, None, "silu"), make(b, t, d)) for _ in range(count)]
    sequences, grad = sets[0]
    y, grad_sum = sequences.convolve(), sequences.sum_gradient(grad)
    results = y, grad_sum, sequences.input_gradient(grad_sum)
    wanted = [torch.cat(parts) for parts in zip(*(
        expected(sequences.x[n : n + 1], weight, bias, grad[n : n + 1], starts) for n in range(b)
    ))]
    errors = [((a.float() - w).norm() / w.norm()).item() for a, w in zip(results, wanted)]
    del wanted, results
    line = {"shape": shape, "taps": width, "packed": is_packed, "errors": errors}
    for name, tensors, function in (
        ("forward", 2, lambda s, g: s.convolve()),
        ("sum_gradient", 3, lambda s, g: s.sum_gradient(g)),
        ("input_gradient", 2, lambda s, g: s.input_gradient(g)),
    ):
        took = time_calls([lambda one=one: function(*one) for one in sets], stream)
        line[f"{name}_us"], line[f"{name}_gb_per_s"] = took * 1e6, tensors * size / took * 1e-9
    if with_triton:
        outputs = [torch.empty_like(grad) for _ in sets]
        causal_triton.run(sequences.x, weight, bias, outputs[0])
        line["triton_error"] = ((outputs[0].float() - y.float()).norm() / y.float().norm()).item()
        calls = [lambda s=s, o=o: causal_triton.run(s.x, weight, bias, o) for (s, _), o in zip(sets, outputs)]
        took = time_calls(calls, stream)
        line["triton_us"], line["triton_gb_per_s"] = took * 1e6, 2 * size / took * 1e-9
    return line


def main():
    import torch

    import conv.torch
    from conv.torch import _calls, _choices

    stream, results, folder = torch.cuda.Stream(), [], pathlib.Path(sys.argv[1])
    with torch.cuda.stream(stream):
        source = [torch.randn(1 << 28, device="cuda").bfloat16() for _ in range(2)]
        target = [torch.empty_like(one) for one in source]
        # The copy negates: a plain copy would become a memcpy node, and the copy engine has two thirds of a kernel's speed.
        took = time_calls([lambda s=s, t=t: torch.neg(s, out=t) for s, t in zip(source, target)], stream)
        copy = 4 * source[0].numel() / took * 1e-9
        print(f"copy {copy:.0f} GB/s", flush=True)
        del source, target
        for name in ("open", "fixed"):  # Once it is loaded, the kernel of a fixed size is preferred.
            for path in sorted((folder / name).glob("*.convpack")):
                conv.torch.preload(path)
            _calls.forget(), _choices.forget()
            for shape in SHAPES:
                for width in WIDTHS:
                    for is_packed in (False, True) if shape[0] == 1 else (False,):
                        line = {"kernels": name, **measure(shape, width, is_packed, stream, name == "fixed" and not is_packed)}
                        line["forward_of_copy"] = line["forward_gb_per_s"] / copy
                        results.append(line)
                        print(json.dumps(line), flush=True)
                        torch.cuda.empty_cache()
            left = [row for row in conv.torch.report() if row.runs != "conv"]
            print(f"PyTorch ran {left}" if left else "conv ran all of it", flush=True)
    pathlib.Path(sys.argv[2]).write_text(json.dumps({"copy_gb_per_s": copy, "results": results}, indent=1))


if sys.argv[1] == "compile":
    compile_packs(pathlib.Path(sys.argv[2]), sys.argv[3])
else:
    main()
