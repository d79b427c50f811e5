"""
Thirty penalties from one scan
==============================

How strong should the penalty of a ridge regression be? With few rows and many columns it matters. All penalties share
their summaries, so the whole curve costs one scan of the rows.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 150))
y = X[:, :20] @ rng.normal(size=20) + 6.0 * rng.normal(size=300)

alphas = np.logspace(-1, 4, 30)
found = tn.tune(tn.Ridge(), {"alpha": alphas.tolist()}, X, y, scoring="neg_mean_squared_error")
print(f"best alpha {found.best_params_['alpha']:.3g}, scans of the rows {found.scans}")

# %%
# The best model is there, fitted to all rows.

print(found.best_estimator_)
print(found.best_estimator_.certificate_["digits"])

# %%
# Thin lines are the ten folds, the thick one is their mean, the band its 95 % interval. To the left the model learns
# the noise, to the right it learns nothing.

errors = -found.results.scores[:, 0]
low, high = -found.results.interval()[:, 0].T
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.semilogx(alphas, errors, color="#999999", linewidth=0.6)
axes.fill_between(alphas, low, high, color="#3b82c4", alpha=0.15, linewidth=0)
axes.semilogx(alphas, errors.mean(axis=1), color="#3b82c4", linewidth=2.5)
axes.axvline(found.best_params_["alpha"], color="#d9822b", linestyle=(0, (4, 3)))
axes.set(xlabel="penalty alpha", ylabel="mean squared error on new rows")
axes.spines[["top", "right"]].set_visible(False)
plt.show()
