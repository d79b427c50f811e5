"""
Cross-validation of rows in time order
======================================

A series wanders. A model that knows the days around a day does well on it; a model that must look ahead does not.
Shuffled folds ask the first question, though the second is meant.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import TimeSeriesSplit

import tenfold as tn

rng = np.random.default_rng(3)
DAYS = 1_500
day = np.arange(DAYS)
series = np.cumsum(rng.normal(size=DAYS)) / 4 + 0.8 * rng.normal(size=DAYS)

# %%
# The columns are bumps along the time axis, so a ridge regression on them is a smooth curve.

centres = np.linspace(0, DAYS, 60)
X = np.exp(-0.5 * ((day[:, None] - centres) / 25) ** 2)
learner = tn.Ridge(alpha=0.1)

# %%
# Three ways to split the same rows. The first mixes the days, the second leaves out whole stretches, the third learns
# from the past only.

ways = {
    "shuffled": tn.cross_validate(learner, X, series, folds=10, shuffle=True),
    "contiguous": tn.cross_validate(learner, X, series, folds=10),
    "past to future": tn.cross_validate(learner, X, series, folds=TimeSeriesSplit(10)),
}
for name, cv in ways.items():
    print(f"{name:15s}mean r2 {cv.mean[0, 0]:6.2f}, worst fold {cv.scores.min():6.2f}")

# %%
# Above the series, and a curve that was learnt from its first 1,200 days. Below the scores: those under -3 stand at the
# edge.

past = learner.fit(X[:1_200], series[:1_200])
figure, (above, below) = plt.subplots(2, 1, figsize=(7, 7), layout="constrained")
above.plot(day, series, ".", color="#999999", markersize=2)
above.plot(day[:1_200], past.predict(X[:1_200]), color="#3b82c4", label="days it learnt from")
above.plot(day[1_200:], past.predict(X[1_200:]), color="#d9822b", label="days after them")
above.set(xlabel="day", ylabel="series")
above.legend(frameon=False)
for place, (name, colour) in enumerate(zip(ways, ("#d9822b", "#3b82c4", "#4c9a5b"))):
    scores = np.maximum(ways[name].scores[0, 0], -3)
    beside = place + rng.uniform(-0.12, 0.12, len(scores))
    below.plot(beside, scores, "o", color=colour, alpha=0.6)
below.axhline(0, color="#999999", linewidth=1)
below.set(ylabel="$R^2$ of the folds", ylim=(-3.2, 1.1), xlim=(-0.5, 2.5))
below.set_xticks(range(3), list(ways))
for axes in (above, below):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
