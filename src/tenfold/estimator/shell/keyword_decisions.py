"""Decisions about scikit-learn's keywords that several learners share.

In a remedy, `{name}` stands for the learner, `{kind}` for Classifier or Regressor, and `{member}` for a learner of that
kind. A decision about a keyword of a single learner is in the file of that learner.
"""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from tenfold.core.errors import Remedy
from tenfold.estimator.shell.constraints import integer, real
from tenfold.estimator.shell.keywords import NoEffect, Refused, refused

FLAG = ("boolean",)
COUNT, COUNT_OR_NONE, FROM_ZERO = (integer(1),), (integer(1), None), (real(0),)
"""constraints of scikit-learn's keywords that have no effect here"""

ANY_START = "the minimum is found to `tol` from any start"
EXACT = "the answer is computed exactly, from the merged summary"
ALONE = "a fit depends on its rows alone, not on the fit before"
ONLY_WITH = "it is read only beside a keyword that is refused"
NEEDS_NUMBER = "a number is needed"
FUNCTIONS = "a function cannot be written to a model file"
MERGED_COVARIANCE = "covariances come from summaries that merge, not from another estimator"
NO_LOSS = "it is not among the losses of gradient descent here"
"""reasons that several decisions give"""


def one_of(*words: str) -> StrOptions:
    """The words that scikit-learn takes as a keyword without effect."""
    return StrOptions(set(words))


ignored_n_jobs = NoEffect("`tenfold.on` says which cores work, and results do not depend on them", (Integral, None))
ignored_verbose = NoEffect("callbacks show how far a fit is", ("verbose",))
copied = NoEffect("the rows that are given are never changed", FLAG)
unseeded = NoEffect("nothing is drawn", ("random_state",))
same_clusters = NoEffect("either finds the same clusters", (one_of("lloyd", "elkan"),))
restarted = NoEffect(ANY_START, FLAG)
all_counted = NoEffect("all rows are counted", COUNT_OR_NONE)
exact_tol = NoEffect(EXACT, FROM_ZERO)
always_there = NoEffect("`covariance_` is always there", FLAG)

some_rounds = refused("a model needs a round", Remedy("tn.{name}(max_iter=1)"), 0)

# least squares and penalties
no_sign = Refused(
    "coefficients of least squares have any sign", Remedy("tn.ElasticNet(alpha=0.01, positive=True)"), (False,)
)
not_least_squares = refused("without a penalty it is least squares", Remedy("tn.LinearRegression()"), 0)
not_all_penalties = refused(
    "penalties end at a share of the largest",
    Remedy("tn.{name}(eps=1e-3)"),
    Interval(Real, 0, 1e-12, closed="right"),
    Interval(Real, 1, None, closed="left"),
)
some_max_iter = refused(NEEDS_NUMBER, Remedy("tn.{name}(max_iter=1000)"), None)
gram_is_merged = NoEffect("the Gram matrix is what summaries merge to", ("boolean", "array-like", one_of("auto")))
any_selection = NoEffect(ANY_START, (one_of("cyclic", "random"),))

# gradient descent
no_early_stopping = Refused(
    "no rows are set aside",
    Remedy("tn.{name}(tol=1e-3, n_iter_no_change=5)", "or tenfold.tune over max_iter"),
    (False,),
)
not_held_back = NoEffect(ONLY_WITH, (Interval(Real, 0, 1, closed="neither"),))
some_l1_ratio = refused(NEEDS_NUMBER, Remedy("tn.{name}(l1_ratio=0.15)", 'which only penalty="elasticnet" reads'), None)
averaged_from_start = refused(
    "weights are averaged from the first row on, or not", Remedy("tn.{name}(average=True)"), integer(0)
)
known_schedule = refused(
    "steps shrink by a schedule that is known before",
    Remedy('tn.{name}(learning_rate="invscaling", eta0=0.01)'),
    "adaptive",
)
not_passive_aggressive = refused(
    "steps do not depend on the loss of the row", Remedy('tn.{name}(learning_rate="optimal")'), "pa1", "pa2"
)

# naive Bayes
one_alpha = refused("one alpha holds for all columns", Remedy("tn.{name}(alpha=1.0)"), "array-like")
smoothed = Refused("alpha is taken as it is, 0 too", Remedy("tn.{name}(alpha=1e-10)"), (True,))

# trees
not_monotonic = Refused(
    "only boosted trees can be kept monotonic",
    Remedy("tn.HistGradientBoosting{kind}(monotonic_cst=[1, 0, 0])", "with a direction for each column"),
    (None,),
)
best_splits = Refused("splits are the best there are", Remedy("tn.ExtraTrees{kind}()"), ("best",))
squared_errors = Refused(
    "trees of numbers split by squared errors",
    Remedy('tn.HistGradientBoostingRegressor(loss="absolute_error")'),
    ("squared_error",),
)
not_more_rows = refused(
    "no more rows are drawn than there are",
    Remedy("tn.{name}(bootstrap=True, max_samples=1.0)"),
    Interval(RealNotInt, 1, None, closed="neither"),
)

# clusters
not_random = refused("centres begin far from each other", Remedy('tn.{name}(init="k-means++")'), "random")
no_function = refused("rows are not all there at the start", Remedy("tn.{name}(init=X[:8])", "an array"), callable)

# encoders and vectorizers
as_floats = Refused(
    "what comes out are 64-bit floats", Remedy("tn.{name}().fit_transform(X).astype(np.float32)"), (np.float64,)
)
