"""
A model for each key
====================

Three hundred stores, a ridge regression for each, from one scan. Stores in the same country resemble each other. The
cells of a country, and of all rows, are merged from those of the stores: no row is read again.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

COUNTRIES = ["Austria", "Chile", "Ghana", "Japan"]

rng = np.random.default_rng(1)
slope = 2.0 + np.repeat([0.0, 1.5, -1.0, 0.6], 75) + 0.4 * rng.normal(size=300)
many = rng.geometric(0.02, 300) + 5
store = np.repeat(np.arange(300), many)
size = rng.uniform(1, 5, len(store))
sales = pd.DataFrame({"country": np.repeat(COUNTRIES, 75)[store], "store": store, "size": size})
sales["price"] = 10 + slope[store] * size + 2 * rng.normal(size=len(store))

# %%
# Rows come in any order. `levels` asks for the cells of the countries from the rows as well.

rows = tn.scan(sales.sample(frac=1, random_state=0), target="price")
cube = tn.Cube(tn.LinearRegression(), by=["country", "store"], levels=["country"]).fit(rows)
print(cube.table("country").select(["country", "rows", "coef_size"]).to_pandas().round(2))

# %%
# One store is a fitted learner, with standard errors, intervals and a certificate.

print(cube["Chile", 100].conf_int().round(2))

# %%
# The slope of each store with its interval of 95 percent, sorted within each country; lines are the countries. Wide
# intervals are those of stores with few rows.

table = cube.table().to_pandas()
ends = np.array([cube[key].conf_int()[0] for key in zip(table["country"], table["store"], strict=True)])
table["low"], table["high"] = ends.T
table = table.sort_values(["country", "coef_size"], ignore_index=True)

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for country, color in zip(COUNTRIES, ["#3b82c4", "#d9822b", "#5a9e6f", "#8a63a8"], strict=True):
    some = table[table["country"] == country]
    axes.vlines(some.index, some["low"], some["high"], color=color, alpha=0.35, linewidth=1.5)
    axes.plot(some.index, some["coef_size"], ".", color=color, markersize=4, label=country)
    axes.hlines(cube[country].coef_, some.index[0], some.index[-1], color="black", linewidth=1)
axes.set_ylim(-4, 8)
axes.set_xticks([])
axes.set_xlabel("stores, by country")
axes.set_ylabel("price of one more unit of size")
axes.legend(frameon=False, ncols=4, loc="lower center")
axes.spines[["top", "right"]].set_visible(False)
plt.show()
