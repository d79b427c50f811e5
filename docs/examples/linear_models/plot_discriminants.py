"""
Linear and quadratic discriminants, and principal components
============================================================

Linear and quadratic discriminant analysis, Fisher's discriminant and the least-squares classifier draw their borders
from the same moments: counts, means and scatters of the classes.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

import tenfold as tn

rng = np.random.default_rng(0)
colors = ["#3b82c4", "#d9822b", "#4c9a5b"]
fill = ListedColormap(["#d7e6f4", "#f8e3cf", "#d9ebdd"])


def show(axes, model, X, y, title):
    """The regions that a model gives to the classes, and the rows."""
    low, high = X.min(axis=0) - 1, X.max(axis=0) + 1
    across, up = np.meshgrid(np.linspace(low[0], high[0], 300), np.linspace(low[1], high[1], 300))
    region = model.predict(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    axes.pcolormesh(across, up, region, cmap=fill, vmin=0, vmax=2, shading="auto", rasterized=True)
    for c in np.unique(y):
        axes.plot(*X[y == c].T, ".", color=colors[c], markersize=3)
    axes.set(title=f"{title}\n{model.score(X, y):.1%} of the rows are right", xticks=[], yticks=[])
    axes.spines[["top", "right", "left", "bottom"]].set_visible(False)


# %%
# Two classes with one mean each and unlike covariances. A quadric follows them; lines cannot. Fisher's line is parallel
# to that of linear discriminant analysis, since their direction is the same, and lies where the mean of all rows is.

y = np.repeat([0, 1], [600, 200])
X = np.where(
    y[:, None] == 0,
    rng.normal(size=(800, 2)) @ [[2.2, 1.2], [0.0, 0.7]],
    rng.normal(size=(800, 2)) @ [[0.5, -0.3], [0.0, 0.8]] + [2.2, -1.2],
)
models = {
    "LinearDiscriminantAnalysis": tn.LinearDiscriminantAnalysis(),
    "QuadraticDiscriminantAnalysis": tn.QuadraticDiscriminantAnalysis(),
    "FisherDiscriminant": tn.FisherDiscriminant(),
    "LeastSquaresClassifier": tn.LeastSquaresClassifier(),
}
figure, grid = plt.subplots(2, 2, figsize=(8, 7.5), layout="constrained")
for axes, (name, model) in zip(grid.flat, models.items()):
    show(axes, model.fit(X, y), X, y, name)
plt.show()

# %%
# Least squares minds rows that are too right. A few rows far on their own side turn its border away from where the
# classes meet. With a covariance for each class, the other class keeps its place.

near = np.repeat([0, 1], 200)
rows = 0.6 * rng.normal(size=(400, 2)) + np.outer(near, [3.0, 0.0])
far = [12.0, -9.0] + rng.normal(size=(40, 2))
both, labels = np.vstack([rows, far]), np.append(near, np.ones(40, int))
figure, grid = plt.subplots(1, 3, figsize=(10, 3.8), layout="constrained")
show(grid[0], tn.LeastSquaresClassifier().fit(rows, near), rows, near, "LeastSquaresClassifier")
show(grid[1], tn.LeastSquaresClassifier().fit(both, labels), both, labels, "the same, with far rows")
show(grid[2], tn.QuadraticDiscriminantAnalysis().fit(both, labels), both, labels, "QuadraticDiscriminantAnalysis")
plt.show()

# %%
# Of three classes in a row, the middle one is masked: its indicator is low at both ends and no line is that.

three = np.repeat([0, 1, 2], 150)
line = 0.7 * rng.normal(size=(450, 2)) + np.outer(three, [3.0, 1.5])
figure, grid = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
for axes, name in zip(grid, ("LeastSquaresClassifier", "LinearDiscriminantAnalysis")):
    show(axes, models[name].fit(line, three), line, three, name)
plt.show()

# %%
# Principal components know nothing of classes: the direction of the largest variance need not tell them apart. Fisher's
# does.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
cloud = rng.normal(size=(600, 2)) @ [[3.0, 1.5], [0.0, 0.4]]
side = (rng.random(600) < 0.5).astype(int)
cloud = cloud + np.outer(2 * side - 1, [-0.45, 0.9])
pca, fisher = tn.PCA().fit(cloud), tn.FisherDiscriminant().fit(cloud, side)
for c in (0, 1):
    left.plot(*cloud[side == c].T, ".", color=colors[c], markersize=3)
for k, length in enumerate(2 * np.sqrt(pca.explained_variance_)):
    tip = pca.mean_ + length * pca.components_[k]
    left.annotate("", tip, pca.mean_, arrowprops={"arrowstyle": "->", "linewidth": 2})
    left.annotate(f"component {k}", tip, xytext=(-84 * k + 4, 4), textcoords="offset points")
w = fisher.coef_[0] / np.linalg.norm(fisher.coef_)
left.annotate("", pca.mean_ + 3 * w, pca.mean_, arrowprops={"arrowstyle": "->", "linewidth": 2, "color": "#b03060"})
left.annotate("Fisher", pca.mean_ + 3 * w, xytext=(2, 6), textcoords="offset points", color="#b03060")
left.set(aspect="equal", title="two classes", xlim=(-11, 11), ylim=(-7, 7))
projected = {"component 0": pca.transform(cloud)[:, 0], "Fisher": fisher.transform(cloud)[:, 0]}
for place, (name, values) in enumerate(projected.items()):
    for c in (0, 1):
        scaled = (values / values.std())[side == c]
        right.hist(scaled, 40, range=(-3, 3), bottom=100 * place, color=colors[c], alpha=0.6)
    right.annotate(name, (-2.9, 100 * place + 60))
right.set(title="rows, projected", yticks=[], xticks=[])
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# What the model knows of its own arithmetic is in its certificate.

print(pca.certificate_["digits"])
print(fisher.certificate_["criterion"])
