"""
Partial pooling of many small models
====================================

Forty stores, some with four rows and some with forty. The price of one more unit of size, fitted to the rows of each
store alone, varies much where rows are few. Pooled in part, each store is drawn to the population, the more the fewer
rows it has. How much the stores differ is estimated too, from the summaries of the cells.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

rng = np.random.default_rng(3)
stores = 40
many = np.minimum(3 + rng.geometric(0.08, stores), 60)
slope = 2.0 + 0.5 * rng.normal(size=stores)
level = 10 + 2 * rng.normal(size=stores)
store = np.repeat(np.arange(stores), many)
size = rng.uniform(1, 5, len(store))
price = level[store] + slope[store] * size + 2 * rng.normal(size=len(store))
sales = pd.DataFrame({"store": store, "size": size, "price": price})

# %%
# A cube has a model for each store. `pool` makes a linear mixed model of it, with random intercepts and slopes; no row
# is read again.

cube = tn.Cube(tn.LinearRegression(), by="store").fit(tn.scan(sales, target="price"))
pooled = cube.pool(["intercept", "size"])
print(pooled.summary())

# %%
# Circles are fits of each store's rows alone, dots and bars the pooled coefficients with their intervals.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 6.5), layout="constrained")
tn.display.CaterpillarDisplay.from_cubes(cube, pooled, "size", ax=left)

# %%
# The truth is known here. Pooled coefficients are nearer to it, above all in stores with few rows.

table = pooled.table()
for name, found, color in (
    ("own rows alone", cube.table()["coef_size"].to_numpy(), "#d1711f"),
    ("pooled", table["coef_size"].to_numpy(), "#3b82c4"),
):
    error = np.sqrt(np.mean((found - slope) ** 2))
    right.plot(table["rows"], np.abs(found - slope), "o", color=color, markersize=4, label=f"{name}: RMSE {error:.2f}")
right.set(xscale="log", xlabel="rows of the store", ylabel="distance from the true slope")
right.set_xticks([5, 10, 20, 40], ["5", "10", "20", "40"])
right.minorticks_off()
right.spines[["top", "right"]].set_visible(False)
right.legend(frameon=False)
plt.show()

# %%
# A store that is not known has the coefficients of the population, and a wider interval.

new = pd.DataFrame({"store": [int(np.argmax(many)), int(np.argmin(many)), 99], "size": 3.0})
print(pooled.predict_interval(new, of="mean").round(2))
