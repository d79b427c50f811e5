"""The training error of AdaBoost, from the weighted errors of its rounds."""

from __future__ import annotations

from math import exp, floor, log

import numpy as np
from numpy.typing import ArrayLike

from tenfold.theory.bounds.bound import Bound, below
from tenfold.theory.checks import between, fraction, of_length, one_of, vector, whole


def adaboost_bound(
    errors: ArrayLike,
    *,
    classes: int = 2,
    margin: float = 0.0,
    alphas: ArrayLike | None = None,
    form: str = "product",
) -> Bound:
    """The share of training rows that AdaBoost gets wrong, or right by no more than a margin.

    In each round the weights of the rows missed are multiplied by exp(α) and all are divided by their sum Z;
    the class of the largest Σα is predicted. A row whose class leads by no more than θΣα has been missed by
    rounds of at least (1 - θ)Σα/2 together, so its weight has grown by the exponential of that.

    Parameters
    ----------
    errors : array of shape (rounds,)
        Weighted error e of each round, from 0 to 1 - 1/classes.
    classes : int, default=2
        Classes; above 2, SAMME.
    margin : float, default=0.0
        θ, from 0 to 1: rows count whose class leads by θΣα or less.
    alphas : array of shape (rounds,), optional
        Weight α ≥ 0 of each round, by default ln((1 - e)/e) + ln(classes - 1): twice the α of the convention
        that multiplies by exp(-α y h).
    form : {"product", "exponential"}
        The product itself, or exp(-2Σ(1/2 - e)²), which is larger; for two classes, default alphas, margin 0.

    Returns
    -------
    Bound
        Π Z exp(-(1 - θ)α/2) with Z = 1 - e + e exp(α). With margin 0 and the default alphas a factor is
        K √(e(1 - e)/(K - 1)): with more than two classes it is below 1 only for e < 1/K.

    Examples
    --------
    >>> from tenfold.theory import adaboost_bound
    >>> round(float(adaboost_bound([0.2, 0.3, 0.25])), 5)
    0.63498
    >>> adaboost_bound([0.4], classes=3).vacuous
    True
    """
    e, classes = vector("errors", errors), whole("classes", classes, 2)
    theta = between("margin", margin)
    if not ((e >= 0) & (e <= 1 - 1 / classes + 1e-12)).all():
        raise ValueError(f"errors must be from 0 to 1 - 1/classes = {1 - 1 / classes:g}")
    assumptions = "errors and weights as they were in each round, all rows of equal weight at first"
    if one_of("form", form, ("product", "exponential")) == "exponential":
        if classes > 2 or theta or alphas is not None:
            raise ValueError("form 'exponential' is for two classes, default alphas and margin 0")
        value = exp(-2 * float(((0.5 - e) ** 2).sum()))
        return below(1, value, "exp(-2 sum (1/2 - e)²)", assumptions)
    if alphas is None:
        # Z = K (1 - e), and exp(-(1 - θ)α/2) = (e/((1 - e)(K - 1)))^((1 - θ)/2)
        power = (1 - theta) / 2
        factors = classes * (1 - e) ** (1 - power) * (e / (classes - 1)) ** power
    else:
        a = of_length("alphas", alphas, len(e))
        if not (a >= 0).all():
            raise ValueError("alphas must be at least 0")
        factors = (1 - e) * np.exp(-(1 - theta) * a / 2) + e * np.exp((1 + theta) * a / 2)
    return below(1, float(np.prod(factors)), "prod Z exp(-(1 - θ) α/2)", assumptions)


def adaboost_rounds(m: int, edge: float) -> int:
    """Rounds of AdaBoost that guarantee zero training error, with two classes.

    Parameters
    ----------
    m : int
        Training rows.
    edge : float
        Minimum margin of each round's weighted error below 1/2; above 0 and below 1/2.

    Returns
    -------
    int
        The least number above ln(m)/(2 edge²): the share of errors is then below 1/m, so none.

    Examples
    --------
    >>> from tenfold.theory import adaboost_rounds
    >>> adaboost_rounds(1000, 0.1)
    346
    """
    edge = fraction("edge", edge)
    if edge >= 0.5:
        raise ValueError(f"edge must be below 1/2, got {edge!r}")
    return floor(log(whole("m", m)) / (2 * edge**2)) + 1
