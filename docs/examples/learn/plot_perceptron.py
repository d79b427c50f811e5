"""
The perceptron and its mistake bound
====================================

A perceptron changes its weights when it is wrong, and at no other time. If a plane separates the rows, it is wrong at
most (R/γ)² times: R is the length of the longest row, γ the distance of the nearest one from the plane.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn
from tenfold.datasets import make_separable

# %%
# The narrower the margin, the more mistakes are allowed, and made. The certificate takes γ from the plane that was
# found, which is not the best one: its bound is above the one with the true margin. No row is longer than 2.

margins = np.array([0.32, 0.16, 0.08, 0.04, 0.02, 0.01])
made, certified = [], []
for margin in margins:
    model = tn.Perceptron(fit_intercept=False, tol=None).fit(*make_separable(2_000, 4, margin=margin, random_state=0))
    claims = model.certificate_
    assert claims["training error"].value == 0
    assert claims["mistakes"].value <= claims["mistake bound"].value
    made.append(claims["mistakes"].value)
    certified.append(claims["mistake bound"].value)
    print(f"margin {margin:.2f}: {made[-1]:.0f} mistakes, at most {certified[-1]:,.0f}")

# %%
# If no plane separates the rows, the last weights go up and down with the last rows. Their mean, or the best of them in
# a pocket, does not.


def errors(variant, X, y, epochs):
    """Share of the rows on the wrong side after 1, 2, 3, ... epochs."""
    return [tn.Perceptron(variant, max_iter=e, tol=None).fit(X, y).certificate_["training error"].value for e in epochs]


rng = np.random.default_rng(0)
X = rng.normal(size=(2_000, 4))
y = X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=2_000) > 0
epochs = range(1, 16)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.loglog(margins, certified, "o-", color="#999999", label="bound, margin of the plane found")
left.loglog(margins, (2 / margins) ** 2, "o--", color="#d9822b", label="bound, true margin")
left.loglog(margins, made, "o-", color="#3b82c4", label="mistakes")
left.set(xlabel="margin γ", ylabel="mistakes until there are none", ylim=(1, 1e9))
left.legend(frameon=False)
for variant, colour in (("rule", "#999999"), ("averaged", "#3b82c4"), ("pocket", "#4c9a5b")):
    right.plot(epochs, errors(variant, X, y, epochs), "o-", markersize=4, color=colour, label=variant)
right.set(xlabel="epochs", ylabel="training error, rows that no plane separates", ylim=(0, None))
right.legend(frameon=False)
plt.show()
