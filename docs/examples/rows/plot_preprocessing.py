"""
Scaling, ranking and power transforms
=====================================

Six ways to bring a column to a common scale, each learned in one pass over the rows. The column is skewed and has a few
wild values.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)
x = np.concatenate([rng.lognormal(0, 0.7, 5000), rng.uniform(20, 40, 20)])[:, None]

# %%
# A few wild values press all others together where the mean, or the largest value, sets the scale. The median and the
# quartiles do not see them; ranks and powers change the form as well.

models = {
    "StandardScaler": tn.StandardScaler(),
    "MinMaxScaler": tn.MinMaxScaler(),
    "RobustScaler": tn.RobustScaler(),
    "QuantileTransformer": tn.QuantileTransformer(),
    "QuantileTransformer, normal": tn.QuantileTransformer(output_distribution="normal"),
    "PowerTransformer": tn.PowerTransformer(),
}
figure, axes = plt.subplots(2, 3, figsize=(11, 5.5), layout="constrained")
for ax, (name, model) in zip(axes.flat, models.items()):
    ax.hist(model.fit_transform(x).ravel(), bins=60)
    ax.set_title(name)
    ax.set_yticks([])
figure.supxlabel("the column, transformed")
figure.supylabel("rows")
plt.show()

# %%
# Quantiles of very many values are counted in groups. The error in ranks is stated, and small. The curve is how far
# the quantiles of a million rows are off, in shares of the rows.

many = rng.normal(size=(1_000_000, 1))
scaler = tn.QuantileTransformer(n_quantiles=400).fit(many)
ordered = np.sort(many.ravel())
off = np.abs(np.searchsorted(ordered, scaler.quantiles_[:, 0]) / len(ordered) - scaler.references_)
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.plot(scaler.references_, off)
ax.axhline(scaler.certificate_["rank error"].value, color="black", linestyle=":", label="proved, for these rows")
ax.set(xlabel="quantile", ylabel="share of the rows it is off", title="A million rows in 65,536 groups")
ax.legend()
plt.show()
