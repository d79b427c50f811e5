"""
Lasso path with standard errors
===============================

The lasso with every penalty, and how well each model predicts: both from one scan of the rows. On the left all
coefficients against the penalty, which falls from left to right; on the right the errors of ten folds, each
predicted by the model of the other nine.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import tenfold as tn

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = tn.LassoCV().fit(X, y)
print(f"alpha {model.alpha_:.3g}, {np.count_nonzero(model.coef_)} of {X.shape[1]} columns")
print(model.certificate_["gap"])
print("passes over the rows:", model.certificate_.provenance.passes)

# %%
# The path needs no row: it is made from the summary of the model. Columns enter one after the other.

path = model.path()
print(path)
print(path.order)

# %%
# The dashed line is the penalty with the least error. Thin lines are the folds, the thick one is their mean.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
path.plot(left)
right.semilogx(model.alphas_, model.mse_path_, color="#999999", linewidth=0.6)
right.semilogx(model.alphas_, model.mse_path_.mean(axis=1), color="#3b82c4", linewidth=2.5)
right.invert_xaxis()
right.set(xlabel="penalty alpha", ylabel="mean squared error on new rows")
right.spines[["top", "right"]].set_visible(False)
for axes in (left, right):
    axes.axvline(model.alpha_, color="#d9822b", linestyle=(0, (4, 3)))
plt.show()

# %%
# Other powers: the coefficients of bridge regression, with a penalty on their q-th powers, from the same moments. With
# q = 1 columns leave one by one, with q = 2 all shrink together, and in between the small ones shrink first.

alphas = np.geomspace(10.0, 1e-3, 40)
scaled = (X - X.mean()) / X.std()
figure, panels = plt.subplots(1, 3, figsize=(10, 3.5), sharey=True, layout="constrained")
for axes, q in zip(panels, (1.0, 1.5, 2.0), strict=True):
    models = tn.fit_together([tn.BridgeRegression(alpha, q=q) for alpha in alphas], scaled, y)
    axes.semilogx(alphas, [model.coef_ for model in models])
    axes.axhline(0.0, color="#444444", linewidth=0.8)
    axes.invert_xaxis()
    axes.set(title=f"q = {q:g}", xlabel="penalty alpha")
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("coefficient")
plt.show()
