"""
Nearest neighbours: cells, regions and local fits
=================================================

The nearest neighbour gives each place to the row that is nearest: its regions are the cells of Voronoi. More neighbours
smooth the border; too many lose it. Locally weighted regression fits a polynomial at each place.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)

# %%
# The cell of a row is what is nearer to it than to any other row. Cells of one class together are what one nearest
# neighbour predicts, so it follows every row, also those that are there by chance.

X = rng.normal(size=(60, 2))
y = np.where(np.sin(2 * X[:, 0]) + 0.4 * rng.normal(size=60) > X[:, 1], "below", "above")
figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
tn.display.VoronoiDisplay.from_data(X, y, ax=axes[0])
axes[0].set_title("cells of rows")
nearest = tn.KNeighborsClassifier(n_neighbors=1).fit(X, y)
tn.display.DecisionBoundaryDisplay.from_estimator(nearest, X, y, ax=axes[1])
axes[1].set_title("one nearest neighbour")
plt.show()

# %%
# With more neighbours the border becomes smooth; with nearly all of them it is gone. The error of leaving one row out,
# which every certificate has, tells where to stop.

X = rng.normal(size=(400, 2))
y = np.where(np.sin(2 * X[:, 0]) + 0.5 * rng.normal(size=400) > X[:, 1], "below", "above")
figure, axes = plt.subplots(1, 3, figsize=(11, 4), layout="constrained")
for ax, k in zip(axes, (1, 25, 350)):
    model = tn.KNeighborsClassifier(n_neighbors=k).fit(X, y)
    tn.display.DecisionBoundaryDisplay.from_estimator(model, X, y, ax=ax, grid_resolution=150)
    error = model.certificate_["leave-one-out error"].value
    ax.set_title(f"k = {k}\nleaving one out: {error:.1%} are wrong")
plt.show()

# %%
# Local fits. With equal weights the fit jumps where a row enters; with weights that fall to zero it does not. A
# parabola follows the bends better than a line.

x = np.sort(rng.uniform(0, 6, 120))[:, None]
target = np.sin(2 * x[:, 0]) + 0.2 * rng.normal(size=120)
grid = np.linspace(0, 6, 1500)[:, None]
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained", sharey=True)
models = {
    "25 nearest, equal weights": tn.LocallyWeightedRegression(25, kernel="uniform"),
    "25 nearest, weighted": tn.LocallyWeightedRegression(25),
    "25 nearest, weighted, parabola": tn.LocallyWeightedRegression(25, degree=2),
}
for ax, (name, model) in zip(axes, models.items()):
    ax.plot(x[:, 0], target, ".", color="#999999", markersize=4)
    ax.plot(grid[:, 0], np.sin(2 * grid[:, 0]), color="#777777", linestyle=(0, (4, 3)), linewidth=1)
    ax.plot(grid[:, 0], model.fit(x, target).predict(grid), color="#3b82c4", linewidth=1.8)
    ax.set_title(f"{name}\nleaving one out: {model.certificate_['leave-one-out error'].value:.3f}")
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
