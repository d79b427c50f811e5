"""
Testing whether one learner is better than another
==================================================

Two learners, ten folds, two means: one is larger. This page goes through what can be made of that, which test to
trust, and what may be said in the end.

The rows are 569 tumours, measured under a microscope; the question is whether they are benign. A third of the rows is
put away at once, for the two models that will be made at the end. And before any score is seen, this is settled: the
score is accuracy, the folds are five times ten, the level is 5 %, and a difference matters from one point on.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tenfold as tn

BLUE, ORANGE, GREY = "#3b82c4", "#d9822b", "#999999"
X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=0)

# %%
# The means of the folds
# ----------------------
#
# Naive Bayes against nearest neighbours, on the same folds.

learners = {
    "naive Bayes": tn.GaussianNB(),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
}
cv = tn.cross_validate(learners, X_train, y_train, shuffle=True, repeats=5)
for name, scores in zip(cv.names, cv.scores[:, 0]):
    print(f"{name:12s} mean accuracy {scores.mean():.3f}, folds from {scores.min():.3f} to {scores.max():.3f}")

# %%
# Neighbours are ahead. But a fold has 38 rows, and one row more or less is 2.6 points. The differences fold by fold say
# more than the two means, since both learners had the same rows to learn from and the same to be scored on.

difference = cv.scores[1, 0] - cv.scores[0, 0]
figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.bar(range(1, 51), difference, color=[BLUE if d > 0 else ORANGE for d in difference])
ax.axhline(0, color="black", linewidth=1)
ax.axhline(difference.mean(), color=GREY, linestyle="--", label=f"mean {difference.mean():.3f}")
for repeat in range(1, 5):
    ax.axvline(10 * repeat + 0.5, color=GREY, linewidth=0.5)
ax.set(xlabel="fold", ylabel="accuracy of neighbours\nless that of naive Bayes", xlim=(0, 51), ylim=(-0.06, 0.14))
ax.legend(frameon=False, loc="upper right")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The plain test
# --------------
#
# The paired t-test asks whether independent differences have a mean of zero. These are not independent: any two folds
# of ten share eight ninths of the rows they learn from, and those of another repeat are the same rows, dealt again. A
# sample that happens to suit one learner suits it in all folds.

plain = tn.compare(cv, ("neighbours", "naive Bayes"), "paired")
print(plain)

# %%
# What that does can be seen where the truth is known. Each simulated patient has a diagnosis and *two* sets of
# measurements, each taken from a real patient of that diagnosis. One naive Bayes sees the first set, another the
# second. Neither can be better than the other: the two sets are drawn alike. A test at the 5 % level should tell them
# apart in 5 of 100 samples.

RUNS, ROWS = 200, 100
places = [np.flatnonzero(y == kind) for kind in (0, 1)]


def twins(rng):
    """A sample of patients with two sets of measurements."""
    kind = rng.permutation(np.repeat([0, 1], [37, ROWS - 37]))
    first, second = (np.where(kind == 0, rng.choice(places[0], ROWS), rng.choice(places[1], ROWS)) for _ in range(2))
    return X[first], X[second], kind


told = {(method, repeats): 0 for repeats in (1, 5) for method in ("paired", "corrected")}
for run in range(RUNS):
    one, other, kind = twins(np.random.default_rng([0, run]))
    a, b = (tn.cross_validate(tn.GaussianNB(), some, kind, shuffle=True, repeats=5) for some in (one, other))
    for method, repeats in told:
        some = slice(10 * repeats)
        found = tn.compare(a.scores[0, 0, some], b.scores[0, 0, some], method, sizes=a.sizes[some])
        told[method, repeats] += found.significant

# %%
# On ten folds the plain test comes off lightly here: their test rows are disjoint, and naive Bayes changes little with
# the rows it learns from. Repeated, it finds differences between equals in a third of the samples, for repeating adds
# folds but no rows. The corrected test of Nadeau and Bengio counts what is shared: it takes 1/k + n_test/n_train of the
# variance of the differences instead of 1/k. It errs on the side of caution, and repeating does it no harm.

figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for at, ((method, _), count) in enumerate(told.items()):
    ends = tn.error_interval(count, RUNS)
    rate, colour = count / RUNS, ORANGE if method == "paired" else BLUE
    ax.bar(at, rate, color=colour, width=0.6)
    ax.errorbar(at, rate, yerr=[[rate - ends.low], [ends.high - rate]], color="black", capsize=4, linewidth=1)
    ax.text(at, max(ends.high, 0.05) + 0.012, f"{rate:.1%}", ha="center")
ax.axhline(0.05, color="black", linestyle="--", linewidth=1, label="5 %, as promised")
ax.legend(frameon=False, loc="upper left")
words = {1: "10 folds", 5: "5 times 10 folds"}
ax.set_xticks(range(4), [f"{'plain' if m == 'paired' else 'corrected'}\n{words[r]}" for m, r in told])
ax.set(ylabel=f"share of {RUNS} samples in which\nequal learners differ significantly", xlim=(-0.5, 3.5))
ax.set_ylim(0, 1.25 * max(tn.error_interval(c, RUNS).high for c in told.values()))
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The corrected test
# ------------------
#
# On the tumours, from the same fifty folds, with an interval for the difference:

found = cv.compare("neighbours", "naive Bayes")
print(found)

# %%
# Dietterich's test of five times two folds learns from half of the rows only. It looks at one of ten differences, so
# it is weak, and it depends on which comes first: a second opinion, and no more.

halves = tn.cross_validate(learners, X_train, y_train, folds=2, shuffle=True, repeats=5)
print(tn.compare(halves, ("neighbours", "naive Bayes"), "5x2"))

# %%
# Does it matter?
# ---------------
#
# p says how rare such a difference would be between equals, not how large it is. The interval does. It was settled that
# one point matters, so there are three questions, and "no" to all of them is an answer too: the rows do not tell.

MATTERS = 0.01
print(f"significantly different: {found.significant}")
print(f"by at least {MATTERS}, with confidence: {found.low >= MATTERS}")
print(f"as good as each other, but for {MATTERS}: {found.within(MATTERS)}")

# %%
# `within` is a test of equivalence: the whole interval must lie between minus and plus the margin. That two learners
# are *not significantly different* is no such finding. It may just be that there are few rows.
#
# Two models
# ----------
#
# So far *learners* were compared: what they do on samples like this one. In the end there are two models, fitted to all
# training rows, and the rows that were put away. Those are independent, so McNemar's test holds: it counts the rows
# that just one model gets right.

models = {name: learner.fit(X_train, y_train) for name, learner in learners.items()}
said = {name: model.predict(X_test) for name, model in models.items()}
mcnemar = tn.compare(said["neighbours"], said["naive Bayes"], "mcnemar", truth=y_test, names=list(said)[::-1])
print(mcnemar)

# %%
# The better one may be promised, if it is said that two were scored on these rows: `reused=2` moves the ends of the
# interval out. (Without it, tenfold warns when a second model is scored on the same rows.)

promise = tn.certify(models["neighbours"], X_test, y_test, reused=2)
for kind in ("error", "error at least", "error at most", "baseline error"):
    print(f"{kind:15s} {promise[kind].value:.3f}")

# %%
# Many learners
# -------------
#
# Who compares all pairs of five learners makes ten tests, and finds a difference between equals far more often than
# once in twenty. `compare_all` adjusts p by Holm's method, for which nothing need be assumed.

learners |= {
    "boosted stumps": tn.AdaBoostClassifier(n_estimators=50),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
    "majority": DummyClassifier(),
}
cv = tn.cross_validate(learners, X_train, y_train, shuffle=True, repeats=5)
pairs = tn.compare_all(cv)
print(pairs)

# %%
# Many data sets
# --------------
#
# All this speaks of tumours. Whether a learner is better *in general* takes data sets: on each the learners are ranked,
# and Friedman's test asks whether their mean ranks differ by more than chance. With the four data sets that
# scikit-learn ships, and Nemenyi's critical difference:

tables = {"iris": load_iris, "wine": load_wine, "tumours": load_breast_cancer, "digits": load_digits}
judged = {
    name: tn.cross_validate(learners, *load(return_X_y=True), folds=5, shuffle=True) for name, load in tables.items()
}
ranks = tn.compare_all(judged)
print(ranks)

# %%
# A bar joins learners that are not significantly different.

ranks.plot()
plt.show()

# %%
# Four data sets tell very little. How many would tell a difference of one rank, of five learners?

needed = int(np.ceil(len(judged) * ranks.critical**2))
print(f"{needed} data sets")

# %%
# What may be said
# ----------------
#
# - *Of the learners, on tumours like these and samples of this size*: neighbours are better than naive Bayes, by
#   something between nothing worth mentioning and five points. The evidence is thin: p is just below 5 %, the test of
#   five times two folds does not find it, and among ten pairs it would not stand.
# - *Of the two models*: the rows that were put away show no significant difference. They are 190, and the models
#   differ on ten of them. What is sure is that either beats the majority by far.
# - *Not*: that neighbours are better on other data; that the two are as good as each other where a test finds nothing;
#   that p is the chance of being wrong; that the best of five learners is as good as its score.
# - The intervals take scores of folds for nearly normal, and rows for independent. Tumours of one patient would not be:
#   `cross_validate` and `certify` take `groups`.
# - Test, score, margin, level and folds are settled before looking. Whoever repeats until p is small has found nothing.
