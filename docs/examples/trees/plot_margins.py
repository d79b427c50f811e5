"""
Margins of AdaBoost
===================

When no training row is wrong any more, AdaBoost goes on to make the votes clearer. The margin of a row is the share of
the votes for its class less that for the other: from -1, all are wrong, over 0 to 1, all agree.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn
from tenfold import theory

rng = np.random.default_rng(0)


def draw(rows):
    """Two classes, divided by a sphere."""
    X = rng.normal(size=(rows, 5))
    return X, (X**2).sum(axis=1) > 4.35


(X, y), (X_new, y_new) = draw(1_000), draw(10_000)
trees = tn.DecisionTreeClassifier(max_depth=3)
model = tn.AdaBoostClassifier(trees, n_estimators=500).fit(X, y)

# %%
# After 100 rounds no training row is wrong any more. What still changes are the margins: the small ones grow, at the
# cost of the large ones, and the error on new rows does not rise.

shown = (5, 20, 100, 500)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained", sharey=True)
seen = tn.display.MarginsDisplay.from_estimator(model, X, y, rounds=shown, ax=left, name="training rows")
new = tn.display.MarginsDisplay.from_estimator(model, X_new, y_new, rounds=shown, ax=right, name="new rows")
right.set_ylabel("")
plt.show()

# %%
# What is left of 0 is wrong.

for t, error, error_new, small in zip(shown, seen.share_below(0.0), new.share_below(0.0), seen.share_below(0.1)):
    print(
        f"{t:3} rounds: {error:.3f} wrong, {small:.3f} with a margin of at most 0.1; of new rows {error_new:.3f} wrong"
    )
assert seen.share_below(0.0)[2] == 0
assert new.share_below(0.0)[3] <= new.share_below(0.0)[2]

# %%
# The weighted errors of the rounds alone bound the share of the rows with a margin of at most θ, for every θ: theory
# knows that small margins vanish. Below some θ the bound falls with every round, and the shares keep below it.

theta = np.linspace(0, 0.4, 81)
figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for t, colour in zip(shown, ("#3b82c4", "#d9822b", "#4c9a5b", "#8e5ea2")):
    share = [seen.share_below(margin)[shown.index(t)] for margin in theta]
    bound = [float(theory.adaboost_bound(model.estimator_errors_[:t], margin=margin)) for margin in theta]
    assert np.all(np.array(share) <= np.array(bound) + 1e-12)
    ax.plot(theta, share, color=colour, label=f"{t} rounds")
    ax.plot(theta, np.minimum(bound, 1), color=colour, linestyle=(0, (4, 3)), linewidth=1)
ax.plot([], [], color="#777777", linestyle=(0, (4, 3)), linewidth=1, label="bound")
ax.set(xlabel="margin θ", ylabel="share of rows with at most this margin", ylim=(-0.01, 1.01))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()
