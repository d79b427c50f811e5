"""
How many digits of a coefficient are right
==========================================

A polynomial of high degree is a hard case for least squares: its columns repeat each other. How many digits
of the least certain coefficient are right? The exact solution for these very floats is known: fractions of
integers do not round.
"""

from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn
from tenfold.core import Chunk, Columns
from tenfold.linear_model.least_squares.normal_equations import from_moments
from tenfold.stats.moments.moments import Moments

ROWS, DEGREES = 60, range(1, 13)
x = np.linspace(0.0, 1.0, ROWS)
y = np.exp(x) + np.round(0.1 * np.random.default_rng(0).normal(size=ROWS), 3)


def exact(X):
    """Coefficients and intercept, by elimination on the normal equations in fractions."""
    A = [[Fraction(v) for v in row] + [Fraction(1)] for row in X.tolist()]
    b = [Fraction(v) for v in y.tolist()]
    size = len(A[0])
    rows = [
        [sum(r[i] * r[j] for r in A) for j in range(size)] + [sum(r[i] * t for r, t in zip(A, b))] for i in range(size)
    ]
    for i in range(size):
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [v - rows[k][i] * w for v, w in zip(rows[k], rows[i])]
    return [row[-1] for row in rows]


def digits(values, truth):
    """Decimal digits of the least certain value, 0 to 16."""
    worst = max(abs(Fraction(float(v)) - t) / abs(t) for v, t in zip(values, truth))
    return min(16.0, max(0.0, -np.log10(float(worst)))) if worst else 16.0


# %%
# For each degree: what moments alone give, what LinearRegression gives and claims, and what
# `numpy.linalg.lstsq` gives.

names = ("from moments alone", "tenfold", "numpy.linalg.lstsq")
right = {name: [] for name in names}
claimed, passes = [], []
for degree in DEGREES:
    X = np.ascontiguousarray(np.vander(x, degree + 1)[:, :-1])
    truth = exact(X)
    model = tn.LinearRegression().fit(X, y)
    moments = Moments.of(Chunk(Columns(X), y, np.ones(ROWS), True, 0, 0))
    found = (
        from_moments(moments, 0.0, True).values,
        [*model.coef_, model.intercept_],
        np.linalg.lstsq(np.column_stack([X, np.ones(ROWS)]), y)[0],
    )
    for name, values in zip(names, found):
        right[name].append(digits(values, truth))
    claimed.append(model.certificate_["digits"].value)
    passes.append(model.certificate_.provenance.passes)

print("passes:", dict(zip(DEGREES, passes)))

# %%
# The claim (dashed) stays below the digits that are right.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, color in zip(names, ["#999999", "#3b82c4", "#d9822b"]):
    axes.plot(DEGREES, right[name], "o-", color=color, markersize=4, label=name)
axes.plot(DEGREES, claimed, color="#3b82c4", linestyle=(0, (4, 3)), label="tenfold's claim")
axes.set(xlabel="degree of the polynomial", ylabel="digits that are right", ylim=(0, 17), xticks=list(DEGREES))
axes.spines[["top", "right"]].set_visible(False)
figure.legend(loc="outside upper center", ncols=4, frameon=False, fontsize="small")
plt.show()
