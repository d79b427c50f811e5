"""
Adding models of two days
=========================

Each day brings 200 rows, from which a ridge model is made. The rows of a day can then be thrown away: the sum
of the daily models is the model of all rows so far.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

TRUE = np.array([1.5, 0.5, -1.0])
DAYS, ROWS = 30, 200

rng = np.random.default_rng(0)
X = rng.normal(size=(DAYS, ROWS, 3))
y = X @ TRUE + 3.0 * rng.normal(size=(DAYS, ROWS))

# %%
# One model a day, and the running sum of them.

daily = [tn.Ridge().fit(X[day], y[day]) for day in range(DAYS)]
so_far = [daily[0]]
for model in daily[1:]:
    so_far.append(so_far[-1] + model)

# %%
# The sum of all days and a fit of all rows differ by rounding only. The penalty is not counted thirty times:
# it enters when a model is made, not in the summaries.

whole = tn.Ridge().fit(X.reshape(-1, 3), y.ravel())
print(f"largest difference: {np.abs(so_far[-1].coef_ - whole.coef_).max():.1e}")
print(so_far[-1].certificate_["digits"])

# %%
# Dots are the coefficients of single days, lines those of the merged models.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
days = np.arange(1, DAYS + 1)
for j, color in enumerate(["#3b82c4", "#d9822b", "#4c9a5b"]):
    axes.axhline(TRUE[j], color=color, linewidth=1, linestyle=(0, (4, 4)))
    axes.plot(days, [model.coef_[j] for model in daily], ".", color=color, alpha=0.5)
    axes.plot(days, [model.coef_[j] for model in so_far], color=color, linewidth=2, label=f"column {j}")
axes.set(xlabel="day", ylabel="coefficient", xlim=(0, DAYS + 1))
axes.spines[["top", "right"]].set_visible(False)
figure.legend(loc="outside upper center", ncols=3, frameon=False)
plt.show()
