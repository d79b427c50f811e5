"""
Radial basis function networks
==============================

The hidden units of the network are bumps at the centres of k-means; its output is linear in how high each bump is at a
row. So a linear learner bends, and the weights, for these centres, are proved to be the best.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)

# %%
# A ring. A linear machine can only cut the plane in two. Four bumps close the border; more add little here.

X = rng.normal(size=(500, 2))
y = np.where(np.linalg.norm(X, axis=1) + 0.1 * rng.normal(size=500) > 1.2, "outside", "inside")
models = {
    "linear machine": tn.LinearSVC(),
    "4 centres": tn.RBFNetworkClassifier(4),
    "25 centres": tn.RBFNetworkClassifier(25),
}
figure, axes = plt.subplots(1, 3, figsize=(11, 4), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items()):
    model.fit(X, y)
    tn.display.DecisionBoundaryDisplay.from_estimator(model, X, y, ax=ax, grid_resolution=150)
    if isinstance(model, tn.RBFNetworkClassifier):
        ax.plot(*model.centers_.T, "x", color="black", markersize=8, markeredgewidth=2)
    ax.set_title(f"{name}: {model.score(X, y):.0%} right")
plt.show()

# %%
# A curve is the sum of its bumps. How fast they fall, `gamma`, is set by how far apart the centres are, so that
# neighbours overlap; bumps that are too narrow leave holes.

x = np.sort(rng.uniform(0, 6, 150))[:, None]
target = np.sin(2 * x[:, 0]) + 0.2 * rng.normal(size=150)
grid = np.linspace(0, 6, 600)[:, None]
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", sharey=True)
for ax, gamma in zip(axes, ("auto", 60.0)):
    model = tn.RBFNetworkRegressor(12, gamma=gamma).fit(x, target)
    bumps = np.exp(-model.gamma_ * (grid - model.centers_.T) ** 2) * model.coef_
    ax.plot(grid[:, 0], bumps.clip(-2.5, 2.5), color="#bbbbbb", linewidth=0.8)
    ax.plot(x[:, 0], target, ".", color="#777777", markersize=4)
    ax.plot(grid[:, 0], model.predict(grid), color="#3b82c4", linewidth=1.8)
    ax.set_title(f"gamma = {model.gamma_:.3g} ({'from the centres' if gamma == 'auto' else 'given'})")
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
