"""
Gaussian mixtures
=================

Clusters of one shape each are what k-means is for. A :class:`tenfold.GaussianMixture` learns shapes too, and says how
sure it is of each row.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

import tenfold as tn

rng = np.random.default_rng(1)
turned = np.array([[1.4, 1.2], [-0.4, 0.5]])
X = np.concatenate(
    [
        rng.normal(size=(400, 2)) @ turned,
        rng.normal(size=(300, 2)) @ turned * [1, -1] + [4, 4],
        rng.normal(size=(150, 2)) * 0.4 + [5, -2],
    ]
)

# %%
# Mixtures with one to six components, fitted over shared scans. Their certificates have the information criteria of the
# rows; the lowest tells how many components to take.

sizes = range(1, 7)
models = tn.fit_together([tn.GaussianMixture(k) for k in sizes], X)
criteria = {name: [model.certificate_[name].value for model in models] for name in ("bic", "aic")}
best = models[int(np.argmin(criteria["bic"]))]
print(best.certificate_)

# %%
# Left, ellipses of one and two standard deviations; rows between components are pale. Right, the criteria.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
sure = best.predict_proba(X).max(axis=1)
left.scatter(*X.T, c=best.predict(X), cmap="Dark2", vmax=7, s=8, alpha=np.clip(2 * sure - 1, 0.1, 1.0), linewidths=0)
for mean, covariance in zip(best.means_, best.covariances_):
    (small, large), axis = np.linalg.eigh(covariance)
    angle = np.degrees(np.arctan2(axis[1, 1], axis[0, 1]))
    for deviations in (1, 2):
        width, height = 2 * deviations * np.sqrt([large, small])
        left.add_patch(Ellipse(mean, width, height, angle=angle, fill=False, linewidth=1.5))
left.set(title=f"{len(best.weights_)} components", aspect="equal")
for name, values in criteria.items():
    right.plot(sizes, values, "o-", label=name.upper())
right.set(title="the lower the better", xlabel="components")
right.legend(frameon=False)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
