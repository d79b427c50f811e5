"""
AdaBoost, round by round
========================

Each stump is a little better than chance on rows that are weighted by how often those before it were wrong. What it
is better by is its edge. The edges alone bound the training error, whatever the rows are.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn
from tenfold import theory

rng = np.random.default_rng(0)


def draw(rows):
    """Two classes, divided by a sphere: no stump comes near it. One row in twenty has the wrong class."""
    X = rng.normal(size=(rows, 5))
    y = (X**2).sum(axis=1) > 4.35
    return X, y ^ (rng.random(rows) < 0.05)


(X, y), (X_new, y_new) = draw(4_000), draw(4_000)
model = tn.AdaBoostClassifier(n_estimators=300).fit(X, y)
for claim in model.certificate_.claims[:3]:
    print(f"{claim.kind}: {claim.value:.4f}")

# %%
# A model of t rounds is the first t stumps of a model of more, so one model says what each would have said.

train = [np.mean(said != y) for said in model.staged_predict(X)]
new = [np.mean(said != y_new) for said in model.staged_predict(X_new)]
rounds = np.arange(1, len(train) + 1)
bound = [float(theory.adaboost_bound(model.estimator_errors_[:t])) for t in rounds]
assert train[-1] <= bound[-1]

# %%
# The bound falls as long as there are edges. The training error stays below it; the error on new rows comes to rest
# above the 5 % that nobody can predict.

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 7), layout="constrained")
above.plot(rounds, bound, color="#999999", linestyle=(0, (4, 3)), label="bound on the training error")
above.plot(rounds, train, color="#3b82c4", label="training error")
above.plot(rounds, new, color="#d9822b", label="error on new rows")
above.axhline(0.05, color="#4c9a5b", linewidth=1, label="wrong classes")
above.set(xlabel="round", ylabel="share of the rows", ylim=(0, 1))
above.legend(frameon=False)
below.plot(rounds, 0.5 - model.estimator_errors_, ".", color="#3b82c4", markersize=4)
below.axhline(model.certificate_["least edge"].value, color="#999999", linestyle=(0, (4, 3)), label="least edge")
below.set(xlabel="round", ylabel="edge over chance", ylim=(0, None))
below.legend(frameon=False)
for axes in (above, below):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
