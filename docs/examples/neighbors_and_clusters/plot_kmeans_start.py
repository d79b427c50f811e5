"""
How k-means is initialised
==========================

Where k-means ends depends on where it starts. The start of :class:`tenfold.KMeans` depends on the rows and on
the seed, not on the order of the rows. So shuffled rows come to the same centres.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
middles = rng.uniform(-10, 10, size=(7, 2))
X = np.concatenate([middle + rng.normal(size=(200, 2)) for middle in middles])
shuffled = rng.permutation(X)

# %%
# The centres may come in another order, so they are sorted before they are compared.


def centers(model):
    """The centres, from left to right."""
    return model.cluster_centers_[np.argsort(model.cluster_centers_[:, 0])]


first = tn.KMeans(n_clusters=7).fit(X)
second = tn.KMeans(n_clusters=7).fit(shuffled)
print(f"centres differ by {np.abs(centers(first) - centers(second)).max():.1e}")
print(f"inertia {first.inertia_:.6f} and {second.inertia_:.6f}")

# %%
# Left the rows as they came, right the same rows shuffled.

figure, both = plt.subplots(1, 2, figsize=(8, 4), sharex=True, sharey=True, layout="constrained")
for axes, model, rows, title in zip(both, (first, second), (X, shuffled), ("as they came", "shuffled")):
    left_to_right = np.argsort(np.argsort(model.cluster_centers_[:, 0]))
    axes.scatter(*rows.T, c=left_to_right[model.labels_], cmap="Dark2", s=6, alpha=0.5, linewidths=0)
    axes.plot(*model.cluster_centers_.T, "k+", markersize=12, markeredgewidth=2)
    axes.set(title=f"{title}: inertia {model.inertia_:.2f}", aspect="equal")
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
