"""
Standard errors and their coverage
==================================

A confidence interval of 95 % should contain the true coefficient in 95 of 100 samples. Classical standard errors assume
that all residuals have one variance. Where it grows with a column, their intervals are too short, whatever the number
of rows; robust ones are not.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
truth = np.array([1.0, -0.5, 0.25, 0.0])


def draw(rows):
    """The noise is the larger, the farther the first column is from 0; the other columns have no part in it."""
    X = rng.normal(size=(rows, 4))
    return X, X @ truth + (0.3 + X[:, 0] ** 2) * rng.normal(size=rows)


X, y = draw(200)
kinds = {"classical": "#999999", "HC3": "#3b82c4"}
models = {kind: tn.LinearRegression(standard_errors=kind).fit(X, y) for kind in kinds}
print(models["HC3"].summary())

# %%
# One sample says little. In 400 samples of each size, how often does the interval of a coefficient contain the truth?
# By theory the classical variance of the first one is too small by a factor that does not depend on the rows: its
# intervals never get right.

sizes = [30, 60, 125, 250, 500, 1_000]
covered = {kind: np.zeros((len(sizes), 4)) for kind in kinds}
for at, rows in enumerate(sizes):
    for _ in range(400):
        X_new, y_new = draw(rows)
        for kind in kinds:
            low, high = tn.LinearRegression(standard_errors=kind).fit(X_new, y_new).conf_int()[:4].T
            covered[kind][at] += (low <= truth) & (truth <= high)
covered = {kind: found / 400 for kind, found in covered.items()}
for kind, found in covered.items():
    print(f"{kind:>9}: {found[-1].round(3).tolist()} at {sizes[-1]} rows")
assert (covered["classical"][:, 0] < 0.85).all()
assert (covered["HC3"][2:] > 0.88).all()

# %%
# Above, the intervals of one sample of 200 rows, with the true coefficients as black lines. Below, how often they hold.

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 7.5), layout="constrained")
for shift, (kind, color) in zip((0.12, -0.12), kinds.items()):
    model = models[kind]
    ends = model.conf_int()[:4]
    above.hlines(np.arange(4) + shift, *ends.T, color=color, linewidth=3, label=kind)
    above.plot(model.coef_, np.arange(4) + shift, "o", color=color, markersize=6)
above.vlines(truth, np.arange(4) - 0.3, np.arange(4) + 0.3, color="black", linewidth=1.2)
above.set(yticks=range(4), yticklabels=model.terms_[:4], xlabel="coefficient and interval of 95 %")
above.invert_yaxis()
above.legend(frameon=False, loc="lower right")
for kind, color in kinds.items():
    below.plot(sizes, covered[kind][:, 0], "o-", color=color, label=f"{kind}, x0")
    below.plot(sizes, covered[kind][:, 1:].mean(axis=1), "o:", color=color, label=f"{kind}, the others")
below.axhline(0.95, color="black", linewidth=1)
below.set(xscale="log", xlabel="rows", ylabel="share of intervals with the truth", ylim=(0.6, 1))
below.set_xticks(sizes, [f"{n:,}" for n in sizes], minor=False)
below.minorticks_off()
below.legend(frameon=False, loc="center right", bbox_to_anchor=(1, 0.55))
for axes in (above, below):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
