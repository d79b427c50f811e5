"""
Searching the parameters of a learner
=====================================

The penalty of kernel ridge regression and the width of its kernel, as exponents in a box. A cross-validation is the
objective, one point at a time (`batch_size=1`): threads, or workers of a cluster, share the points of a round.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn
from tenfold import search

rng = np.random.default_rng(0)
X = rng.uniform(-3, 3, (150, 2))
y = np.sin(2 * X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=150)


def score(exponents):
    """R² of five folds for the penalty and the width of one point."""
    penalty, width = 10.0 ** exponents[0]
    learner = tn.KernelRidge(alpha=penalty, kernel="rbf", gamma=width)
    return [tn.cross_validate(learner, X, y, folds=5, scoring="r2").scores.mean()]


problem = search.Problem(score, search.Box([-6, -4], [3, 2], step=0.15), batch_size=1, name="kernel ridge regression")
found = search.optimize(problem, search.Genetic(population=16, elite=2), evaluations=150, patience=6)
penalty, width = 10.0**found.best
print(f"{found.evaluations} evaluations: alpha {penalty:.3g}, gamma {width:.3g}, R² {found.fitness:.3f}")

# %%
# A grid of 169 points shows the ridge on which the search has ended.

grid = np.stack(np.meshgrid(np.linspace(-6, 3, 13), np.linspace(-4, 2, 13)), axis=-1)
heights = np.array([[score(point[None])[0] for point in row] for row in grid])
fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
drawn = ax.contourf(grid[..., 0], grid[..., 1], np.clip(heights, -0.2, None), levels=12, cmap="Blues")
fig.colorbar(drawn, label="R² of five folds")
ax.scatter(*found.population.T, color="#333333", s=14, label="last population")
ax.scatter(*found.best, color="#d9822b", marker="*", s=160, label=f"best, R² {found.fitness:.3f}")
ax.set(xlabel="log10 alpha", ylabel="log10 gamma", title=f"best of the grid: R² {heights.max():.3f}")
ax.legend(frameon=True, loc="lower right")
plt.show()
