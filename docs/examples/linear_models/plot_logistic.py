"""
Newton's method for logistic regression
=======================================

Logistic regression over 400,000 rows. A share of the rows comes first, then all of them, two or three times. At each
place the gap to the minimum is bounded, and the bound holds.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
X = rng.normal(size=(400_000, 10))
y = X @ rng.normal(size=10) + rng.logistic(size=len(X)) > 0

# %%
# The history of a fit has what was asked for, how much had been read by then, and what was certified.

model = tn.LogisticRegression().fit(X, y)
for turn in model.history_:
    gap = f"{turn['gap']:.1e}" if "gap" in turn else "-"
    print(f"{turn['asked']:8s} {turn['passes']:6.3f} passes   gap {gap}")

# %%
# The truth beside it: a fit is stopped after each pass, and its objective is compared with that of the last one. What
# is certified is never below, and soon not far above.


def objective(model):
    margin = (X @ model.coef_[0] + model.intercept_[0]) * np.where(y, 1, -1)
    return (np.logaddexp(0, -margin).sum() + 0.5 * (model.coef_**2).sum()) / len(y)


sorted_rows = np.argsort(y, kind="stable")  # the worst case for a share: it has one class alone
X, y = X[sorted_rows], y[sorted_rows]
best = tn.LogisticRegression(tol=1e-20).fit(X, y)
certified, true = [], []
for passes in range(1, best.n_iter_[0] + 1):
    early = tn.LogisticRegression(max_iter=passes).fit(X, y)
    certified.append(early.certificate_["gap"].value)
    true.append(objective(early) - objective(best))

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
at = np.arange(1, len(true) + 1)
seen = np.array(true) > 1e-15  # below that the difference of two objectives is nothing but rounding
axes.semilogy(at, certified, "o-", label="certified gap")
axes.semilogy(at[seen], np.array(true)[seen], "s--", label="true gap")
axes.axhline(1e-15, color="grey", lw=0.8, ls=":")
axes.text(1, 1.5e-15, "below, doubles do not see the true one", va="bottom", color="grey", fontsize=9)
axes.set(xlabel="passes over all rows", ylabel="above the minimum, per row", xticks=at)
axes.legend()
plt.show()
