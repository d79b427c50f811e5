"""
A pipeline over files, and a leak
=================================

A table as people have it: a number with holes, a date, and shops that have few rows each. One pipeline imputes, takes
dates apart, encodes shops by the mean of the target, and learns. Ten folds score it twice: once as a whole, so that
each fold's transformers learn from the rows of that fold's model only; and once with the shops encoded before, from all
rows.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import tenfold as tn

rng, n = np.random.default_rng(0), 8_000
income = rng.normal(size=n)
opened = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 365, n), unit="D")
chance = 1 / (1 + np.exp(-income - (opened.day_of_week >= 5)))
frame = pd.DataFrame(
    {
        "income": np.where(rng.random(n) < 0.2, np.nan, income),
        "opened": opened,
        "shop": [f"shop {k}" for k in rng.integers(0, 3_000, n)],
    }
)
targets = {"bought something": (rng.random(n) < chance).astype(int), "a coin": rng.integers(0, 2, n)}

# %%
# Nothing tells how a coin falls. Encoded before, each shop still seems to know how the coins of its few rows fell,
# those of the fold that is scored among them.


def steps(shops):
    """The pipeline, with a transformer for the column of shops."""
    columns = tn.ColumnTransformer(
        [
            ("fill", tn.SimpleImputer(strategy="median"), ["income"]),
            ("when", tn.DateParts(["weekday", "is_weekend"]), ["opened"]),
            ("shop", shops, ["shop"]),
        ]
    )
    return tn.make_pipeline(columns, tn.StandardScaler(), tn.LogisticRegression())


scores = {}
for name, y in targets.items():
    encoded = tn.TargetEncoder().fit(frame[["shop"]], y).transform(frame[["shop"]])[:, 0]
    for where, table, shops in (
        ("in the pipeline", frame.assign(y=y), tn.TargetEncoder()),
        ("before the folds", frame.assign(y=y, shop=encoded), "passthrough"),
    ):
        cv = tn.cross_validate(steps(shops), tn.scan(table, target="y"), cv=10, scoring="roc_auc")
        scores[name, where] = cv.scores.ravel()

figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
for at, (name, where) in enumerate(scores):
    found = scores[name, where]
    ax.plot(found, np.full(len(found), -at), "o", color="C0" if where == "in the pipeline" else "C3", alpha=0.6)
ax.axvline(0.5, color="black", linestyle=":", label="chance")
ax.set_yticks(-np.arange(len(scores)), [f"{name}\nshops encoded {where}" for name, where in scores])
ax.set(xlabel="area under the ROC curve, each of ten folds")
ax.legend()
plt.show()

# %%
# The pipeline of all rows is one model, in one file, which takes rows as they are.

model = steps(tn.TargetEncoder()).fit(tn.scan(frame.assign(y=targets["bought something"]), target="y"))
print(model.predict_proba(frame[:3]).round(2))
