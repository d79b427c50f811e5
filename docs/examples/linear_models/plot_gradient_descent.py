"""
Step sizes of gradient descent
==============================

Gradient descent over all rows, row by row, in small batches, and with momentum: the same valley, other paths. The rows
are of two columns that nearly repeat each other, so the valley is long and narrow.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
shared = rng.normal(size=(400, 1))
X = shared + 0.45 * rng.normal(size=(400, 2))
y = X @ [2.0, -1.0] + 0.5 * rng.normal(size=400)
best = tn.LinearRegression(fit_intercept=False).fit(X, y).coef_


def path(epochs, **options):
    """Where the weights are after 0, 1, 2, ... epochs."""
    options = {"penalty": None, "fit_intercept": False, "tol": None, **options}
    return np.array([[0.0, 0.0], *(tn.SGDRegressor(max_iter=e, **options).fit(X, y).coef_ for e in epochs)])


def within(rows):
    """The same within the first epoch: a model that goes on after every few rows."""
    model, found = tn.SGDRegressor(penalty=None, fit_intercept=False, learning_rate="constant", eta0=0.05), [[0.0, 0.0]]
    for start in range(0, 400, rows):
        some = slice(start, start + rows)
        found.append(model.partial_fit(X[some], y[some]).coef_.copy())
    return np.array(found)


# %%
# Over all rows, every step goes straight down the slope, and crosses the valley more than it follows it. With momentum,
# steps add up along the valley. Row by row, the first 400 rows lead as far as many steps over all of them, but never
# quite to rest, unless steps get shorter.

all_rows = {"batch_size": None, "learning_rate": "constant", "eta0": 0.6}
paths = {
    "all rows, 25 steps": path(range(1, 26), **all_rows),
    "with momentum, 25 steps": path(range(1, 26), momentum=0.7, **all_rows),
    "row by row, 1 epoch": within(10),
    "batches of 40, 25 epochs": path(range(1, 26), batch_size=40, learning_rate="invscaling", eta0=0.3),
}
for name, places in paths.items():
    print(f"{name}: {np.linalg.norm(places[-1] - best):.3f} from the optimum")

# %%
a, b = np.meshgrid(np.linspace(-0.7, 3.0, 120), np.linspace(-1.9, 1.3, 120))
loss = np.mean((a[..., None] * X[:, 0] + b[..., None] * X[:, 1] - y) ** 2, axis=-1) / 2

figure, axes = plt.subplots(2, 2, figsize=(9, 8), sharex=True, sharey=True, layout="constrained")
for ax, (name, places) in zip(axes.flat, paths.items()):
    ax.contour(a, b, loss, levels=np.geomspace(loss.min() * 1.02, loss.max(), 14), colors="#cccccc", linewidths=0.8)
    ax.plot(*places.T, "o-", markersize=3, linewidth=1, color="#3b82c4")
    ax.plot(*best, "*", markersize=12, color="#d9822b")
    ax.set_title(name, fontsize=11)
for ax in axes[1]:
    ax.set_xlabel("first weight")
for ax in axes[:, 0]:
    ax.set_ylabel("second weight")
plt.show()
