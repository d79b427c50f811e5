"""
Cells of two keys
=================

The price of one more unit of size in each country and year: a model for each of 92 cells, from one scan. A heat map
shows all of them; small multiples show the rows of some, with the prediction of the cell and that of its country.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

COUNTRIES = ["Austria", "Chile", "Ghana", "Japan", "Kenya", "Latvia", "Peru", "Spain"]

rng = np.random.default_rng(2)
n = 6_000
country, year = rng.integers(0, 8, n), rng.integers(2014, 2026, n)
slope = 2.0 + 0.5 * np.sin(np.arange(8))[country] + 0.15 * (year - 2014) * np.linspace(-0.5, 1.5, 8)[country]
sales = pd.DataFrame({"country": np.array(COUNTRIES)[country], "year": year, "size": rng.uniform(1, 5, n)})
sales["price"] = 5 + slope * sales["size"] + rng.normal(size=n)
sales = sales[(sales["country"] != "Ghana") | (sales["year"] > 2017)]

# %%
# The slope of each cell. There were no sales in Ghana before 2018, so these cells are blank.

cube = tn.Cube(tn.LinearRegression(), by=["country", "year"], cv=5).fit(tn.scan(sales, target="price"))
tn.display.CellHeatmapDisplay.from_cube(cube, "coef_size")
plt.show()

# %%
# Held-out rows tell whether a model for each year of a country is worth its while.

print(cube.cross_validation_)

# %%
# The rows of twelve cells, the line of each, and that of its country.

tn.display.CellPanelsDisplay.from_cube(cube, sales, "size", "price")
plt.show()
