"""
Support vectors: margins and tubes
==================================

A support vector machine is made of a few of its rows. A classifier keeps those in the strip between the classes, a
regressor those outside a tube around its function.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(3)
COLORS = np.array(["#3b82c4", "#d97706"])


def picture(ax, model, X, y):
    """The plane and its margins, the rows, and rings around support vectors."""
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    a, b = np.meshgrid(np.linspace(low[0], high[0], 200), np.linspace(low[1], high[1], 200))
    f = model.decision_function(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape)
    ax.contourf(a, b, f, levels=[-1, 1], colors=["#eeeeee"])
    ax.contour(a, b, f, levels=[-1, 0, 1], colors="#777777", linestyles=["--", "-", "--"], linewidths=[1, 1.6, 1])
    ax.scatter(X[:, 0], X[:, 1], c=COLORS[y], s=14, zorder=2)
    ring = model.support_vectors_
    ax.scatter(ring[:, 0], ring[:, 1], s=60, facecolors="none", edgecolors="#333333", linewidths=0.8, zorder=3)
    ax.spines[["top", "right"]].set_visible(False)


# %%
# Two classes that a line separates. With an infinite `C` nobody may be in the strip, and it is as wide as it can be;
# three rows hold it. With a small `C` it is wider, and rows inside are paid for.

X = np.concatenate([rng.normal([-1.5, 0], 0.6, (40, 2)), rng.normal([1.5, 0.5], 0.6, (40, 2))])
y = np.repeat([0, 1], 40)
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
for ax, C in zip(axes, (np.inf, 0.05)):
    model = tn.SVC(kernel="linear", C=C).fit(X, y)
    picture(ax, model, X, y)
    margin = model.certificate_["margin"].value
    ax.set_title(f"C = {C:g}: margin {margin:.2f}, {len(model.support_)} support vectors")
plt.show()

# %%
# A kernel bends the strip. The certificate bounds how many rows could be wrong if they were left out, without leaving
# any out. A kernel that is too narrow makes nearly every row a support vector.

X = rng.normal(size=(250, 2))
y = (np.linalg.norm(X, axis=1) + 0.15 * rng.normal(size=250) > 1.2).astype(int)
figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained", sharey=True)
for ax, gamma in zip(axes, (0.5, 20.0)):
    model = tn.SVC(gamma=gamma).fit(X, y)
    picture(ax, model, X, y)
    bound = model.certificate_["leave-one-out bound"].value
    ax.set_title(f"gamma = {gamma:g}\n{len(model.support_)} support vectors, left out at most {bound:.0%} wrong")
plt.show()

# %%
# The tube of a regressor. Rows inside cost nothing, so a wide tube needs few support vectors; they lie at its edge and
# outside.

x = np.sort(rng.uniform(0, 6, 120))[:, None]
target = np.sin(x[:, 0]) + 0.15 * rng.normal(size=120)
grid = np.linspace(0, 6, 300)[:, None]
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained", sharey=True)
for ax, epsilon in zip(axes, (0.05, 0.2, 0.5)):
    model = tn.SVR(gamma=0.5, C=10.0, epsilon=epsilon).fit(x, target)
    f = model.predict(grid)
    ax.fill_between(grid[:, 0], f - epsilon, f + epsilon, color="#3b82c4", alpha=0.15, linewidth=0)
    ax.plot(grid[:, 0], f, color="#3b82c4", linewidth=1.8)
    ax.plot(x[:, 0], target, ".", color="#777777", markersize=4)
    ring = model.support_
    ax.scatter(x[ring, 0], target[ring], s=40, facecolors="none", edgecolors="#333333", linewidths=0.8)
    ax.set_title(f"epsilon = {epsilon:g}: {len(ring)} support vectors")
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
