"""Changes of constants that lower the errors of predictions, by linear least squares.

A prediction is nearly a power of each constant: the logarithm of its error falls by the sum of derivative times change of
the logarithm of the constant. Few rows determine some constants, so each change costs as much as an error of its size
relative to `PRIOR`. An error counts with its square up to `ROBUST`, and linearly beyond: outliers are of kernels that
the model does not describe.
"""

import collections
import math

PRIOR = 0.25  #: Standard deviation of the logarithm of a constant around its value.
NOISE = 0.1  #: Standard deviation of the logarithm of measured over predicted times.
ROBUST = 0.2
LARGEST = math.log(2)  #: The most that a constant changes in one fit.
_ROUNDS = 4

#: An error: the logarithm of measured over predicted time, its derivatives by name, and its weight.
Row = collections.namedtuple("Row", "error derivatives weight")


def _accumulate(rows, changes):
    """The normal equations, as sparse symmetric matrix and right side, with the weights that the present errors give."""
    matrix, right = collections.defaultdict(float), collections.defaultdict(float)
    for row in rows:
        rest = row.error - sum(value * changes.get(name, 0) for name, value in row.derivatives.items())
        weight = row.weight / NOISE**2 * min(1, ROBUST / max(abs(rest), 1e-9))
        items = sorted(row.derivatives.items())
        for place, (name, value) in enumerate(items):
            right[name] += weight * value * row.error
            for other, another in items[place:]:
                matrix[name, other] += weight * value * another
    return matrix, right


def _solve(matrix, right, names):
    """Solves the equations by a Cholesky factorization; the prior makes the matrix positive definite."""
    size = len(names)
    lower = [[0.0] * size for _ in range(size)]
    for row in range(size):
        for column in range(row + 1):
            value = matrix.get((names[column], names[row]), 0.0) + (PRIOR**-2 if row == column else 0)
            value -= sum(lower[row][k] * lower[column][k] for k in range(column))
            lower[row][column] = math.sqrt(value) if row == column else value / lower[column][column]
    middle = []
    for row in range(size):
        rest = right.get(names[row], 0.0) - sum(lower[row][k] * middle[k] for k in range(row))
        middle.append(rest / lower[row][row])
    solution = [0.0] * size
    for row in reversed(range(size)):
        rest = middle[row] - sum(lower[k][row] * solution[k] for k in range(row + 1, size))
        solution[row] = rest / lower[row][row]
    return dict(zip(names, solution))


def fit_changes(rows):
    """The factor of each constant that lowers the errors of the rows."""
    names = sorted({name for row in rows for name in row.derivatives})
    changes = {}
    for _ in range(_ROUNDS):
        changes = _solve(*_accumulate(rows, changes), names)
    return {name: math.exp(min(max(change, -LARGEST), LARGEST)) for name, change in changes.items()}
