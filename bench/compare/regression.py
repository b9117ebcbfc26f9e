"""Changes of constants that lower the errors of predictions, by linear least squares.

A prediction is nearly a power of each constant: the logarithm of its error falls by the sum of derivative times change of
the logarithm of the constant. Few rows determine some constants, so each change costs as much as an error of its size
relative to `PRIOR`. An error counts with its square up to `ROBUST`, and linearly beyond: outliers are of kernels that
the model does not describe.
"""

import collections

PRIOR = 0.25  #: Standard deviation of the logarithm of a constant around its value.
NOISE = 0.1  #: Standard deviation of the logarithm of measured over predicted times.
ROBUST = 0.2
LARGEST = 2  #: The largest factor by which a constant changes in one fit.
_ROUNDS = 4

#: An error: the logarithm of measured over predicted time, its derivatives by name, and its weight.
Row = collections.namedtuple("Row", "error derivatives weight")


def fit_changes(rows):
    """The factor of each constant that lowers the errors of the rows."""
    import numpy as np  # Imported here, because the other commands of `compare` do not need it.

    names = sorted({name for row in rows for name in row.derivatives})
    if not names:
        return {}
    derivatives = np.array([[row.derivatives.get(name, 0) for name in names] for row in rows])
    errors = np.array([row.error for row in rows])
    weights = np.array([row.weight for row in rows]) / NOISE**2
    changes = np.zeros(len(names))
    for _ in range(_ROUNDS):
        rest = np.maximum(np.abs(errors - derivatives @ changes), 1e-9)
        weighted = derivatives.T * (weights * np.minimum(1, ROBUST / rest))
        changes = np.linalg.solve(weighted @ derivatives + np.eye(len(names)) / PRIOR**2, weighted @ errors)
    factors = np.exp(np.clip(changes, -np.log(LARGEST), np.log(LARGEST)))
    return dict(zip(names, factors.tolist()))
