"""
Hypothesis size and clauses
===========================

A k-CNF is a conjunction of clauses, each with k literals at most: the larger k, the more it can say, and the more
rows it takes to find out what. The learner keeps every clause that no positive violates.
"""

import matplotlib.pyplot as plt
import numpy as np

import tenfold as tn
from tenfold import theory

COLUMNS = 8
rng = np.random.default_rng(0)


def draw(n):
    """Rows of eight bits, and a concept of three clauses of two literals."""
    X = rng.integers(0, 2, (n, COLUMNS))
    a, b, c, d, e, *_ = X.astype(bool).T
    return X, (a | b) & (~c | d) & (~a | e)


X, y = draw(200)
model = tn.KCNF(2).fit(X, y)
print(" and ".join("(" + " or ".join(clause) + ")" for clause in model.hypothesis_))
print(model.certificate_["consistent"])

# %%
# Errors on fresh rows, mean of eight draws. Conjunctions (k = 1) cannot say the concept, however many rows there are:
# in the end no clause is left, and every row is covered. Two literals are enough. With three, the same concept takes
# more rows, because many more clauses have to be struck out. Disjunctive forms need terms of three literals for it; of
# fewer, none is left in the end, and no row is covered.

rows = np.unique(np.geomspace(5, 600, 12).astype(int))
fresh, truth = draw(4_000)
fig, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
for k, colour in ((1, "C0"), (2, "C1"), (3, "C2")):
    for kind, line in ((tn.KCNF, "-"), (tn.KDNF, ":")):
        errors = np.zeros(len(rows))
        for _ in range(8):
            X, y = draw(rows[-1])
            X[0], y[0] = (1, 1, 0, 0, 1, 0, 0, 0), True  # both classes are there from the start
            X[1], y[1] = 0, False
            errors += [1 - kind(k).fit(X[:m], y[:m]).score(fresh, truth) for m in rows.tolist()]
        ax.plot(rows, errors / 8, line, color=colour, label=f"{k}-{'CNF' if kind is tn.KCNF else 'DNF'}")
ax.set(xscale="log", xlabel="rows", ylabel="error on fresh rows", ylim=(0, None))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, ncols=3, fontsize="small")
plt.show()

# %%
# How many clauses are left, and how many rows the size of the class asks for, to be wrong on no more than 5 % of all
# rows, but for a chance of 5 %: theory is on the safe side.

for k in (1, 2, 3):
    model = tn.KCNF(k).fit(*draw(600))
    need = theory.sample_size(0.05, 0.05, log_size=theory.log_k_cnf(COLUMNS, k))
    fits = bool(model.certificate_["consistent"].value)
    print(f"k = {k}: {model.n_kept_:3d} clauses, consistent {fits}, {need:,} rows")
