"""Networks: finite answers at any scale, the same for a row or sequence alone and in a batch, whatever the parts."""

from __future__ import annotations

from typing import Any

import numpy as np

import tenfold as tn
from adversary.book import check
from adversary.case import Skip, close, must
from tenfold.sources import part_rows


@check("networks", often=3.0)
def networks_at_any_scale(case: Any) -> None:
    """Columns of any size: an error, sensible predictions, or a claim that training ended too early."""
    random = case.random
    n, p = 10 + 3 * case.size, int(random.integers(1, 4))
    power = float(random.choice([0, 3, 8, 30, 100, 150, 200, -100, -170]))
    X = random.normal(size=(n, p)) * 10.0**power
    y = random.normal(size=n)
    solver = ("adam", "lbfgs", "lbfgs", "cg")[case.size % 4]
    regressor = tn.MLPRegressor((3,), solver=solver, max_iter=5)
    with np.errstate(all="ignore"):
        try:
            model = regressor.fit(X, y)
        except ValueError as error:
            must(abs(power) >= 3, f"columns of usual size are refused: {error}")
            # A gradient that overflows is seen before a step is taken, not when training has ended.
            must(solver == "adam" or "learning_rate" not in str(error), f"{solver} takes no such parameter: {error}")
            return
        found = np.asarray(model.predict(X))
    must(np.isfinite(found).all(), f"{found[:3]}")
    for claim in model.certificate_.claims:
        must(not isinstance(claim.value, float) or np.isfinite(claim.value), f"claims {claim}")
    largest = np.abs(found).max()
    cut = any("max_iter was reached" in str(claim.because) for claim in model.certificate_.claims)
    must(cut or largest < 1e4 * (1 + np.abs(y).max()), f"predictions of {largest:.3g} of targets about 1")


def sequences_drawn(random: Any, size: int) -> tuple[Any, list[int], Any]:
    """Rows of numbers, the lengths of sequences, and a class of each."""
    count = 3 + size
    lengths = random.integers(1, 5, count).tolist()
    X = random.normal(size=(sum(lengths), int(random.integers(1, 3))))
    y = np.array(["no", "yes"], dtype=object)[random.integers(0, 2, count)]
    y[:2] = ["no", "yes"]
    return X, lengths, y


@check("networks", often=1.0)
def sequences_alone_and_in_batches(case: Any) -> None:
    """What a network says of a sequence does not depend on the sequences beside it, longer or shorter."""
    random = case.random
    X, lengths, y = sequences_drawn(random, case.size)
    cell = ("gru", "lstm", "simple")[case.size % 3]
    if case.size % 2:
        model = tn.RNNClassifier(3, cell=cell, max_iter=2).fit(X, y, lengths=lengths)
    else:
        model = tn.TransformerClassifier(4, n_heads=2, n_layers=1, dim_feedforward=4, max_iter=2).fit(
            X, y, lengths=lengths
        )
    whole = np.asarray(model.predict_proba(X, lengths=lengths))
    must(np.isfinite(whole).all(), "not finite")
    close(whole.sum(axis=1), np.ones(len(y)), 1e-9, "probabilities do not add up to 1")
    at = 0
    for j, length in enumerate(lengths):
        alone = np.asarray(model.predict_proba(X[at : at + length], lengths=[length]))
        close(alone[0], whole[j], 1e-9, f"sequence {j} alone")
        at += length
    for claim in model.certificate_.claims:
        must(not isinstance(claim.value, float) or np.isfinite(claim.value), f"claims {claim}")


@check("networks", often=0.7)
def infinite_objectives_are_not_certified(case: Any) -> None:
    """A network of sequences with numbers too large to be squared: an error, or an objective that is finite."""
    random = case.random
    X, lengths, _ = sequences_drawn(random, case.size)
    y = random.normal(size=len(lengths)) * 10.0 ** float(random.choice([0, 100, 160, 200]))
    with np.errstate(all="ignore"):
        try:
            model = tn.RNNRegressor(3, max_iter=2).fit(X, y, lengths=lengths)
        except ValueError as error:
            must(np.abs(y).max() > 1e20, f"refused: {error}")
            return
    for claim in model.certificate_.claims:
        must(not isinstance(claim.value, float) or np.isfinite(claim.value), f"claims {claim}")


@check("networks", often=2.0)
def gradients_follow_the_rows(case: Any) -> None:
    """With all rows in one step, parts do not matter; nor do rows of weight zero."""
    random = case.random
    n = 8 + 3 * case.size
    X, y = random.normal(size=(n, 2)), random.integers(0, 2, n)
    y[:2] = [0, 1]
    learner = tn.MLPClassifier((3,), solver=("lbfgs", "cg")[case.size % 2], max_iter=3, alpha=0.1)
    whole = np.asarray(learner.fit(X, y).predict_proba(X))
    with part_rows(5):
        parts = np.asarray(learner.fit(X, y).predict_proba(X))
    close(parts, whole, 1e-5, "in parts")
    weight = np.ones(n + 2)
    weight[n:] = 0
    more = learner.fit(np.vstack([X, X[:2] + 5]), np.concatenate([y, y[:2]]), sample_weight=weight)
    if np.ptp(whole) < 1e-12:
        raise Skip("nothing was learnt")
    close(np.asarray(more.predict_proba(X)), whole, 1e-5, "with rows of no weight")
