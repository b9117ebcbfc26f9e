"""The sums of magnitudes of Winograd's algorithm, which bound its errors (docs/numerics.md), for NumPy and PyTorch.

Tensors are float64, in PyTorch's order of dimensions, and `xp` is numpy or torch.
"""


def _combine(xp, matrix, parts):
    """For each row of `matrix`, the sum of `parts` weighted with the magnitudes of the row."""
    return xp.stack([sum(abs(weight) * part for weight, part in zip(row, parts) if weight) for row in matrix])


def _flatten(array, dimensions):
    """The first `dimensions` as one."""
    return array.reshape(-1, *array.shape[dimensions:])


def _transform_operand(xp, array, of, steps, counts, transforms):
    """Transform the blocks of `array`: the first axis has the elements of a block, the others the dimensions of `array`
    with one position for each block."""
    for d, transform in enumerate(transforms):
        matrix = transform[of]
        axis = d + 2 + d  # Each earlier dimension has put an axis of elements in front.
        places = [slice(j, j + (counts[d] - 1) * steps[d] + 1, steps[d]) for j in range(len(matrix[0]))]
        array = _combine(xp, matrix, [array[(slice(None),) * axis + (place,)] for place in places])
    return array.reshape(-1, *array.shape[len(transforms) :])


def _widen(xp, array, lows, sizes):
    """`array` between zeros: `lows` of them in front of each spatial dimension, which has `sizes` then."""
    wide = xp.zeros((*array.shape[:2], *sizes), dtype=array.dtype, **_device(array))
    inside, source = [slice(None)] * 2, [slice(None)] * 2
    for low, size, length in zip(lows, sizes, array.shape[2:]):
        # A gradient's low side is negative if padding is wider than the filter reaches.
        first, last = max(low, 0), min(low + length, size)
        inside.append(slice(first, last))
        source.append(slice(first - low, last - low))
    wide[tuple(inside)] = array[tuple(source)]
    return wide


def sum_blocks(xp, problem, tensors, transforms):
    """The sums of absolute products of a problem of one group, as its blocks compute them.

    `tensors` are magnitudes, and `transforms` has the matrices of each spatial dimension, as in a step of a reference.
    """
    if problem.direction == "backward_weight":
        return _sum_weight_blocks(xp, problem, tensors, transforms)
    is_forward = problem.direction == "forward"
    left = tensors["input" if is_forward else "grad_output"]
    right = tensors["filter"]
    target = problem.output_spatial if is_forward else problem.spatial
    tiles = [len(transform["output"]) for transform in transforms]
    sizes = [len(transform["input"]) for transform in transforms]
    counts = [-(-size // tile) for size, tile in zip(target, tiles)]

    lows = problem.low if is_forward else [size - 1 - low for size, low in zip(problem.filter, problem.low)]
    wide = _widen(xp, left, lows, [(count - 1) * tile + size for count, tile, size in zip(counts, tiles, sizes)])
    if not is_forward:
        right = xp.flip(right, tuple(range(2, right.ndim)))
        right = xp.swapaxes(right, 0, 1)

    x = _transform_operand(xp, wide, "input", tiles, counts, transforms)
    w = _transform_operand(xp, right, "filter", [1] * len(tiles), [1] * len(tiles), transforms)
    x = x.reshape(*x.shape[:3], -1)
    products = xp.matmul(w.reshape(*w.shape[:3])[:, None], x)  # element, n, k, block
    return _collect(xp, products, sizes, counts, tiles, target, transforms)


def _sum_weight_blocks(xp, problem, tensors, transforms):
    """Of the gradient of a filter, one block of results: blocks of the output's gradient meet those of the input."""
    tiles = [len(transform["filter"][0]) for transform in transforms]
    sizes = [len(transform["input"]) for transform in transforms]
    counts = [-(-size // tile) for size, tile in zip(problem.output_spatial, tiles)]
    padded = [(count - 1) * tile + size for count, tile, size in zip(counts, tiles, sizes)]
    x = _widen(xp, tensors["input"], problem.low, padded)
    y = _widen(xp, tensors["grad_output"], [0] * len(tiles), [count * tile for count, tile in zip(counts, tiles)])

    x = _transform_operand(xp, x, "input", tiles, counts, transforms)
    y = _transform_operand(xp, y, "filter", tiles, counts, transforms)
    x, y = (array.reshape(*array.shape[:3], -1) for array in (x, y))
    products = xp.einsum("enkb,encb->ekc", y, x)
    ones = [1] * len(tiles)
    return _collect(xp, products, sizes, ones, problem.filter, problem.filter, transforms)


def _device(tensor):
    return {"device": tensor.device} if hasattr(tensor, "is_cuda") else {}


def _collect(xp, products, sizes, counts, tiles, target, transforms):
    """Place the results of blocks side by side: `n`, `k` and the spatial dimensions."""
    array = products.reshape(*sizes[::-1], *products.shape[1:3], *counts)
    for d in reversed(range(len(sizes))):
        sums = _combine(xp, transforms[d]["output"], list(array))
        axis = d + 2 + d  # The axis of blocks; the axes of elements of earlier dimensions are still in front.
        sums = xp.moveaxis(sums, 0, axis + 1)
        array = sums.reshape(*sums.shape[:axis], counts[d] * tiles[d], *sums.shape[axis + 2 :])
    return array[(slice(None),) * 2 + tuple(slice(size) for size in target)]
