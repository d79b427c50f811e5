"""
Early stopping of gradient boosting
===================================

The loss of the rows that a model learns from falls with every tree. That of other rows falls for a while. Rows that are
kept back show when to stop.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn

rng = np.random.default_rng(0)


def draw(rows):
    """Two classes: a ripple in two of six columns. One row in ten has the wrong class."""
    X = rng.normal(size=(rows, 6))
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 > 1
    return X, y ^ (rng.random(rows) < 0.1)


(X, y), (X_new, y_new) = draw(4_000), draw(20_000)
given = {"learning_rate": 0.2, "early_stopping": True, "validation_fraction": 0.25}
long = tn.HistGradientBoostingClassifier(max_iter=150, n_iter_no_change=150, **given).fit(X, y)
short = tn.HistGradientBoostingClassifier(max_iter=150, n_iter_no_change=10, **given).fit(X, y)
print(f"stopped after {short.n_iter_} rounds")
for claim in short.certificate_.claims:
    print(f"{claim.kind}: {claim.value:.4f} ({claim.status})")

# %%
# Both models have the same trees as far as the shorter one goes. Staged predictions score each number of rounds on
# rows that neither has seen.

unseen = [-np.mean(np.log(p[np.arange(len(y_new)), y_new.astype(int)])) for p in long.staged_predict_proba(X_new)]
fig, ax = plt.subplots(figsize=(7, 4))
ax.plot(-long.train_score_, color="C0", label="training")
ax.plot(-long.validation_score_, color="C1", label="validation rows")
ax.plot(np.arange(1, len(unseen) + 1), unseen, color="C2", ls="--", label="20,000 other rows")
ax.axvline(short.n_iter_, color="0.5", lw=1)
ax.annotate(f"stops here ({short.n_iter_})", (short.n_iter_, 0.62), (short.n_iter_ + 4, 0.62), va="center", color="0.3")
ax.set(xlabel="trees", ylabel="mean log loss", xlim=(0, 150), title="Each tree fits the rows better, not the world")
ax.legend()
fig.tight_layout()
