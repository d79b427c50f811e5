"""
Explaining a single prediction
==============================

A pipeline predicts whether an order is returned: from a date, a shop, a price, a discount that some orders lack, and a
note. `explain` shares out each prediction among these columns as they were given, although the model sees words,
categories and parts of dates.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

rng, n = np.random.default_rng(0), 6_000
orders = pd.DataFrame(
    {
        "placed": pd.Timestamp("2025-03-01") + pd.to_timedelta(rng.integers(0, 90 * 86_400, n), unit="s"),
        "shop": rng.choice(["north", "south", "west"], n),
        "price": rng.gamma(3, 10, n).round(2),
        "discount": np.where(rng.random(n) < 0.3, np.nan, rng.choice([0.0, 0.1, 0.2, 0.3], n)),
        "note": rng.choice(["gift for a friend", "express please", "size may not fit", "call first"], n),
    }
)
odds = orders["price"] / 15 - 3 + (orders["shop"] == "west") - 3 * orders["discount"].fillna(0.1)
odds += 1.5 * orders["note"].str.contains("fit") - 0.5 * (orders["placed"].dt.day_of_week >= 5)
returned = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")

columns = tn.ColumnTransformer(
    [
        ("date", tn.DateParts(["weekday", "is_weekend", "hour"]), ["placed"]),
        ("shop", tn.OneHotEncoder(), ["shop"]),
        ("numbers", tn.make_pipeline(tn.SimpleImputer(strategy="median"), tn.StandardScaler()), ["price", "discount"]),
        ("note", tn.TextFeatures(), "note"),
    ]
)
model = tn.make_pipeline(columns, tn.LogisticRegression()).fit(orders[:4_000], returned[:4_000])
found = tn.explain(model, orders[4_000:])
print(found)

# %%
# With the base, the contributions of a row sum to its log odds. A bar is what a column adds to those below it.

figure, axes = plt.subplots(1, 2, figsize=(11.5, 3.4), layout="constrained")
surest = int(found.prediction.argmax())
tn.display.ContributionsDisplay(found).plot(axes[0], row=surest)
axes[0].set_title("the order that is most likely to come back", fontsize="medium")
tn.display.ContributionsDisplay(found).plot(axes[1])
axes[1].set_title("2,000 orders", fontsize="medium")

# %%
# Boosted trees on the same columns: their contributions are Shapley values along the ways of the trees. Both models
# make about the same of a price.

trees = tn.make_pipeline(columns, tn.HistGradientBoostingClassifier(max_iter=60)).fit(orders[:4_000], returned[:4_000])
by_trees = tn.explain(trees, orders[4_000:])
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
price, at = orders["price"][4_000:], found.columns.index("price")
ax.scatter(price, by_trees.values[:, at], s=6, alpha=0.5, color="#d9822b", label="boosted trees")
ax.scatter(price, found.values[:, at], s=6, color="#3b82c4", label="logistic regression")
ax.set(xlabel="price", ylabel=f"contribution to the {found.output}")
ax.legend(edgecolor="none")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
