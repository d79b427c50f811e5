"""
Learning and validation curves
==============================

A learner errs because it cannot say what is true (bias), because it says what chance told it (variance), or because
rows are noisy. More rows help against one of these only. Three pictures tell which it is.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)


def powers(x, degree):
    """x, x², ... on [-1, 1], of about the same size each."""
    return np.polynomial.legendre.legvander(x, degree)[:, 1:]


def truth(x):
    return np.sin(3 * x) + 0.5 * np.cos(9 * x)


x = rng.uniform(-1, 1, 6_000)
y = truth(x) + 0.7 * rng.normal(size=len(x))
X = powers(x, 20)

# %%
# The validation curve: a ridge regression on powers of x, from no penalty to a large one. To the left the model fits
# its training rows and no others; to the right it fits neither. 100 rows, 25 penalties, ten folds: one scan.

penalties = np.logspace(-4, 4, 25).tolist()
few = slice(0, 100)
curve = tn.validation_curve(
    tn.Ridge(), X[few], y[few], param_name="alpha", param_range=penalties, scoring="neg_mean_squared_error"
)
print(f"scans of the rows: {curve.scans}; best penalty {curve.best:.3g}")
display = tn.display.ValidationCurveDisplay.from_cv_results(curve, negate_score=True)
display.ax_.set(ylabel="mean squared error", ylim=(0, 1.8))
plt.show()

# %%
# Does the loosest really overfit, by definition: less error than another on its own rows, and more on all rows? The
# second is known only up to an interval.

learned, others = (X[few], y[few]), (X[1_000:], y[1_000:])
loose, best = (tn.Ridge(alpha).fit(*learned) for alpha in (penalties[0], curve.best))
print(tn.overfits(loose, best, learned, others, names=("the loose one", "the best")))

# %%
# Learning curves: a straight line has too much bias, and more rows change nothing. Twenty powers have much variance,
# and more rows cure it. All sizes of all folds are merges of the summaries of one scan.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
for degree, axes in ((1, left), (20, right)):
    tn.display.LearningCurveDisplay.from_estimator(
        tn.Ridge(0.01),
        powers(x, degree),
        y,
        train_sizes=[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0],
        scoring="neg_mean_squared_error",
        negate_score=True,
        ax=axes,
    )
    axes.axhline(0.49, color="#777777", linestyle=(0, (4, 3)), linewidth=1)
    axes.set(title="a straight line" if degree == 1 else "twenty powers", ylim=(0, 1.6), ylabel="mean squared error")
axes.annotate("noise", (5_400, 0.49), (0, -4), textcoords="offset points", va="top", ha="right", color="#555555")
plt.show()

# %%
# Bias and variance themselves. The truth is known here, so the noise can be told from the bias. Thirty disjoint
# training sets of 140 rows each; their models come from one scan.

degrees = list(range(1, 15))
parts = [
    tn.bias_variance(tn.Ridge(0.01), powers(x, d), y, sets=30, sampling="disjoint", truth=truth(x)) for d in degrees
]
figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
names = ("noise", "bias", "variance")
stacked = [[getattr(one, name) for one in parts] for name in names]
axes.stackplot(degrees, stacked, labels=["noise", "bias²", "variance"], colors=["#cccccc", "#d9822b", "#3b82c4"])
axes.plot(degrees, [one.loss for one in parts], "k.", label="loss, measured")
axes.set(xlabel="powers of x", ylabel="mean squared error", xlim=(1, 14), ylim=(0, 1.1))
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, ncols=2)
plt.show()
