"""
Activations inside a network
============================

How a network learned, what its hidden units say of rows, and, beside it, one of the oldest units: Adaline, whose
distance from the minimum is known in every epoch.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
X = rng.normal(size=(900, 2))
ring = np.hypot(*X.T) + 0.1 * rng.normal(size=900)
y = np.array(["core", "ring", "far"])[np.digitize(ring, [0.8, 1.6])]

# %%
# The loss by epoch, and dashed the score of validation rows. Long steps learn fast, and then go to and fro.

ways = {f"steps of {rate}": rate for rate in (0.001, 0.01, 0.1)}
given = {"early_stopping": True, "max_iter": 60, "n_iter_no_change": 60}
models = {name: tn.MLPClassifier((16, 8), learning_rate_init=rate, **given).fit(X, y) for name, rate in ways.items()}
tn.display.LossCurveDisplay.from_estimator(models)
plt.show()

# %%
# Layers, parameters, epochs and what is certified of the second one.

model = models["steps of 0.01"]
print(model.summary())

# %%
# What its hidden units say of a hundred rows, class by class. In the first layer units see one direction each; in the
# second they are nearer to the classes.

tn.display.ActivationsDisplay.from_estimator(model, X[:100], y[:100])
plt.show()

# %%
# Adaline is one linear unit, trained by the delta rule. Over all rows at once every epoch needs only their moments, so
# the rows are read once; and the moments hold the minimum too. With steps of 1/λ, λ the largest curvature, the distance
# from it is multiplied by (1 - μ/λ)² at most in every epoch, μ the smallest.

Z = X @ [[1.0, 0.0], [0.9, 0.4]]
side = X[:, 0] + 0.5 * rng.normal(size=900) > 0
unit = tn.Adaline(tol=None, max_iter=60).fit(Z, side)
minimum = unit.certificate_["objective"].value - unit.certificate_["gap"].value
A = np.column_stack([np.ones(900), Z])
curvature = np.linalg.eigvalsh(A.T @ A / 900)
bound = (unit.loss_curve_[0] - minimum) * (1 - curvature[0] / curvature[-1]) ** (2 * np.arange(60))
walked = [tn.Adaline(1, max_iter=e, tol=None).fit(Z, side).certificate_["gap"].value for e in range(1, 61, 4)]
print(f"{unit.certificate_.provenance.passes:g} pass, gap {unit.certificate_['gap'].value:.1e}")

figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ax.semilogy(np.arange(60), bound, "--", color="#999999", label="all rows: no more than this, by theory")
ax.semilogy(np.arange(60), unit.loss_curve_ - minimum, color="#3b82c4", label="all rows")
ax.semilogy(range(1, 61, 4), walked, "o-", markersize=4, color="#d9822b", label="row by row, steps of one length")
ax.set(xlabel="epochs", ylabel="distance from the least mean squared error")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()
