"""
A nomogram of naive Bayes
=========================

Columns are independent given the class, so each adds its own log-odds. A nomogram shows them: each line is a column,
its marks are values, and the dot is the value of the row. The sum of all dots is the answer.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

rng = np.random.default_rng(0)
n = 5_000
late = rng.random(n) < 0.3
weather = np.array(["clear", "rain", "snow"])
orders = pd.DataFrame(
    {
        "distance": rng.gamma(4, 50, n) * (1 + 0.8 * late),
        "parcels": rng.poisson(1.5 + 1.5 * late),
        "express": (rng.random(n) < 0.5 - 0.35 * late).astype(int),
        "weather": weather[(rng.random(n) < 0.3 + 0.3 * late).astype(int) + (rng.random(n) < 0.1 + 0.15 * late)],
        "weight": rng.normal(5, 2, n) + 0.3 * late,
    }
)
orders.loc[rng.random(n) < 0.1, "weight"] = np.nan
model = tn.NaiveBayes(poisson=["parcels"]).fit(orders, np.where(late, "late", "in time"))

# %%
# One order: many parcels and rain speak for a delay, its distance against one. Its weight is missing, and says nothing.

order = pd.DataFrame({"distance": [150.0], "parcels": [4], "express": [0], "weather": ["rain"], "weight": [np.nan]})
display = tn.display.NomogramDisplay.from_estimator(model, order, pos_label="late")
plt.show()

# %%
# The same numbers, and the probability that they make:

print({scale.name: round(scale.point, 2) for scale in display.scales})
print(f"{1 / (1 + np.exp(-display.total)):.3f} = {model.predict_proba(order)[0, 1]:.3f}")
