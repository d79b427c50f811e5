"""
Daily updates against daily refits
==================================

Orders come every day, and why they are returned drifts: some shops get better, others worse. Each evening one model is
updated with the orders of the day, one is fitted again to all orders so far, and one is left as it was ten days after
the start. All three predict the next day.
"""

import time
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.metrics import roc_auc_score

import tenfold as tn

FIRST, DAYS, ROWS, SHOPS = 10, 30, 1_000, 40

rng = np.random.default_rng(0)
steps = 0.15 * rng.normal(size=(FIRST + DAYS + 1, SHOPS))
effects = rng.normal(0, 0.7, SHOPS) + steps.cumsum(axis=0)  # of each shop, by day


def orders(day, rows):
    shop, weight, discount = rng.integers(0, SHOPS, rows), rng.normal(size=rows), rng.choice([0.0, 10.0, 20.0], rows)
    logit = effects[day, shop] + 0.6 * weight + 0.03 * (discount - 10) - 1
    returned = rng.random(rows) < 1 / (1 + np.exp(-logit))
    return pa.table(
        {
            "shop": [f"shop {k}" for k in shop],
            "weight": weight,
            "discount": discount,
            "returned": np.where(returned, "yes", "no"),
        }
    )


# %%
# A Parquet file for each day. The tests are other orders of the next day, and many, so that the curves are smooth.

folder = TemporaryDirectory()
files = [str(Path(folder.name) / f"day{day:02d}.parquet") for day in range(FIRST + DAYS)]
for day, file in enumerate(files):
    pq.write_table(orders(day, ROWS), file)
tests = [orders(day + 1, 4_000) for day in range(FIRST, FIRST + DAYS)]


def rows(begin, end):
    return tn.scan(files[begin:end], target="returned")


def auc(model, test):
    return roc_auc_score(test["returned"].to_pylist(), model.predict_proba(test.drop_columns("returned"))[:, 1])


# %%
# Naive Bayes adds up: `partial_fit` merges the summary of the day into that of all days before. Boosted trees do not,
# but continue: two more trees learn from the orders of the day what the trees before them have left.


def add(model, day):
    return model.partial_fit(rows(day, day + 1))


def grow(model, day):
    more = tn.clone(model).set_params(max_iter=model.max_iter + 2)
    return more.fit(rows(day, day + 1), start=model)


bayes = tn.NaiveBayes()
trees = tn.HistGradientBoostingClassifier(learning_rate=0.15, max_iter=25, max_leaf_nodes=8, early_stopping=False)


def follow(learner, update):
    """AUC on each next day, and CPU seconds so far: never updated, refitted, updated."""
    first = learner.fit(rows(0, FIRST))
    ways = (
        lambda model, day: model,
        lambda model, day: tn.clone(learner).fit(rows(0, day + 1)),
        update,
    )
    scores, seconds = np.zeros((3, DAYS)), np.zeros((3, DAYS))
    for way, change in enumerate(ways):
        model = deepcopy(first)
        for day, test in enumerate(tests):
            begin = time.process_time()
            model = change(model, FIRST + day)
            seconds[way, day] = time.process_time() - begin
            scores[way, day] = auc(model, test)
    return scores, seconds.cumsum(axis=1)


followed = {"naive Bayes adds up": follow(bayes, add), "boosted trees continue": follow(trees, grow)}
for name, (scores, seconds) in followed.items():
    stale, refitted, updated = scores.mean(axis=1)
    print(f"{name}: mean AUC {stale:.3f} never updated, {updated:.3f} updated, {refitted:.3f} refitted")
    print(f"   CPU time of {DAYS} updates {seconds[2, -1]:.1f} s, of the refits {seconds[1, -1]:.1f} s")

# %%
# Above, how well each model predicts the next day; below, what it has cost so far. The updated naive Bayes *is* the
# refitted one, for a fraction of the cost. The updated trees are other trees than the refitted ones: two trees from a
# single day are noisier, but they let old days fade, and here one about makes up for the other. An update costs the
# same every day; a refit costs more every day.

figure, axes = plt.subplots(2, 2, figsize=(9, 6), sharex=True, sharey="row", layout="constrained")
styles = {
    "never updated": {"color": "#8a8a8a", "linewidth": 1.5, "linestyle": (0, (4, 2))},
    "refitted to all days": {"color": "#f0b27a", "linewidth": 4.5},
    "updated by day": {"color": "#1f5f99", "linewidth": 1.8},
}
days = np.arange(1, DAYS + 1)
for (above, below), (name, (scores, seconds)) in zip(axes.T, followed.items(), strict=True):
    for score, cost, (label, style) in zip(scores, seconds, styles.items(), strict=True):
        above.plot(days, score, label=label, **style)
        if label != "never updated":
            below.plot(days, cost, **style)
            below.annotate(
                f"{cost[-1]:.1f} s", (days[-1], cost[-1]), (5, 0), textcoords="offset points", va="center", fontsize=9
            )
    above.set_title(name)
    below.set(xlabel="days since the first model", xlim=(0, DAYS + 4), xticks=range(0, DAYS + 1, 5))
axes[0, 0].set_ylabel("AUC on the next day")
axes[1, 0].set_ylabel("CPU time so far, seconds")
for one in axes.ravel():
    one.spines[["top", "right"]].set_visible(False)
handles, labels = axes[0, 0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
plt.show()
folder.cleanup()
