"""
k-means, iteration by iteration
===============================

Lloyd's algorithm takes turns: rows go to the nearest centre, centres to the mean of their rows. The sum of the squared
distances falls with every round, and where it ends depends on where it began.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(size=(60, 2)) + middle for middle in ([0, 0], [0, 5], [12, 0], [12, 5])])

# %%
# On the left two rows of each side are the start. On the right one centre begins on the left side and three on the
# right: it stays between two clusters for good, and two others share one.

figure, both = plt.subplots(1, 2, figsize=(11, 5), layout="constrained", sharex=True, sharey=True)
for ax, rows in zip(both, ([0, 1, 120, 121], [0, 120, 121, 180])):
    steps = tn.trace(tn.KMeans(4, init=X[rows]), X)
    tn.display.TraceDisplay(steps).plot(ax)
plt.show()

# %%
# The inertia, and how far the centres moved:

print(steps.to_frame()[["round", "inertia", "moved"]].to_string(index=False))
