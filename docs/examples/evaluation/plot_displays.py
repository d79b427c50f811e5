"""
Four pictures of a classifier
=============================

Naive Bayes takes columns for independent. Here they are not: each of two measurements is written down several times.
Whom does that hurt? The ranking of the rows hardly, their probabilities very much. All pictures come from summaries
that merge, so the rows could as well be files that do not fit into memory.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
y = np.where(rng.random(12_000) < 0.3, "sick", "healthy")
measured = rng.normal(size=(12_000, 2)) + 0.9 * (y == "sick")[:, None]
X = np.column_stack([measured + 0.3 * rng.normal(size=measured.shape) for _ in range(4)])

train, test = slice(0, 8_000), slice(8_000, None)
once = tn.GaussianNB().fit(X[train, :2], y[train])
four = tn.GaussianNB().fit(X[train], y[train])
always = tn.DummyClassifier().fit(X[train], y[train])
print(f"always predicting the same: {always.score(X[test], y[test]):.3f} right")
print(f"naive Bayes, four copies: {four.score(X[test], y[test]):.3f} right")

# %%
# The matrix of confusion, by row: what becomes of the sick, what of the healthy. In brackets the rows.

tn.display.ConfusionMatrixDisplay.from_estimator(four, X[test], y[test], normalize="true")
plt.show()

# %%
# The curves look at the order alone. Four copies average out some of the noise, so they are a little better. The
# intervals of the areas are those of DeLong.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.8), layout="constrained")
for display, axes in ((tn.display.RocCurveDisplay, left), (tn.display.PrecisionRecallDisplay, right)):
    display.from_estimator(once, X[test, :2], y[test], name="once", ax=axes)
    display.from_estimator(four, X[test], y[test], name="four copies", ax=axes)
plt.show()

# %%
# Calibration looks at the numbers. Where naive Bayes counts the same evidence four times it is too sure of itself:
# of the rows that it calls sick with certainty, many are healthy. The bars are exact binomial intervals: this is no
# chance.

figure, axes = plt.subplots(figsize=(5.4, 5), layout="constrained")
for model, rows, name in ((once, X[test, :2], "once"), (four, X[test], "four copies")):
    tn.display.CalibrationDisplay.from_estimator(model, rows, y[test], n_bins=10, name=name, ax=axes)
plt.show()

# %%
# A cross-validation keeps what its scores were read off, so the curves of its folds cost nothing more.

cv = tn.cross_validate({"naive Bayes": tn.GaussianNB()}, X, y, scoring=["roc_auc", "accuracy"])
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
tn.display.RocCurveDisplay.from_cv_results(cv, ax=left)
tn.display.ConfusionMatrixDisplay.from_cv_results(cv, ax=right)
plt.show()
