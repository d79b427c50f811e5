"""
Choosing the number of clusters
===============================

The inertia of k-means always falls with more clusters; the elbow is where it stops falling fast. Silhouettes show
which clusters are ones, and which are cut through.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(2)
middles = np.array([[0, 0], [6, 1], [1, 6], [7, 7], [12, 3]])
X = np.concatenate([middle + rng.normal(size=(200, 2)) for middle in middles])

# %%
# All sizes are fitted over shared scans.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
elbow = tn.display.ElbowDisplay.from_estimator(tn.KMeans(), X, sizes=range(1, 11), ax=left)
tn.display.ElbowDisplay.from_estimator(tn.GaussianMixture(), X, sizes=range(1, 11), ax=right)
left.set_title("k-means")
right.set_title("mixture")

# %%
# With the right number of clusters nearly all silhouettes are near 1; with two too many, clumps are cut through.

figure, both = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True)
for axes, size in zip(both, (elbow.best, elbow.best + 2)):
    tn.display.SilhouetteDisplay.from_estimator(tn.KMeans(size).fit(X), X, ax=axes)
    axes.set_title(f"{size} clusters")
plt.show()
