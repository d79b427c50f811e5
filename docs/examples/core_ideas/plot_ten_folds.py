"""
Ten folds for the price of one scan
===================================

The model of nine folds is made from the merge of nine summaries. So ten-fold cross-validation is one scan, and takes
little longer than a fit.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score

import tenfold as tn

rng = np.random.default_rng(0)
X = rng.normal(size=(100_000, 20))
y = X @ rng.normal(size=20) + 3.0 * rng.normal(size=100_000)


def seconds(function, times=3):
    """The shortest of some runs, and what the function returned."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        found = function()
        taken.append(time.perf_counter() - start)
    return min(taken), found


# %%
# One fit, ten folds of one learner, and ten folds of thirty learners. The penalties enter after the summaries are
# merged, so all thirty share them.

alphas = np.logspace(-2, 4, 30)
took = {}
took["tenfold: one fit"], _ = seconds(lambda: tn.Ridge().fit(X, y))
took["tenfold: 10 folds"], cv = seconds(lambda: tn.cross_validate(tn.Ridge(), X, y))
took["tenfold: 10 folds, 30 learners"], _ = seconds(
    lambda: tn.cross_validate([tn.Ridge(alpha) for alpha in alphas], X, y)
)

# %%
# scikit-learn's ridge on the same folds comes to the same scores. It fits ten times.

took["scikit-learn: 10 folds"], peer = seconds(lambda: cross_val_score(Ridge(), X, y, cv=KFold(10)), times=1)
print(f"scores differ by {np.abs(cv.scores[0, 0] - peer).max():.1e} at most")
print(f"scans of the rows: {cv.scans}")

# %%
# Above the seconds that each took on the machine that made this page, below the scores of the folds with the interval
# for the score on new rows.

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 6), layout="constrained")
names = list(took)[::-1]
colours = ["#999999" if name.startswith("scikit") else "#3b82c4" for name in names]
bars = above.barh(names, [took[name] for name in names], color=colours)
above.bar_label(bars, fmt="%.3f s", padding=3)
above.set(xlabel="seconds", xlim=(0, 1.3 * max(took.values())))
low, high = cv.interval()[0, 0]
below.axhspan(low, high, color="#3b82c4", alpha=0.15, label="95 % interval")
below.axhline(cv.mean[0, 0], color="#3b82c4", label="mean")
below.plot(range(1, 11), cv.scores[0, 0], "o", color="#d9822b", label="folds")
below.set(xlabel="fold", ylabel="$R^2$", xticks=range(1, 11))
for axes in (above, below):
    axes.spines[["top", "right"]].set_visible(False)
figure.legend(loc="outside lower center", ncols=3, frameon=False)
plt.show()
