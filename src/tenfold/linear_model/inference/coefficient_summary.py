"""A model in words: the table of its terms, how far it can be trusted, and under which conditions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenfold.core import Claim
from tenfold.core.certificate import number_of
from tenfold.estimator.summary_table import Summary
from tenfold.linear_model.inference.standard_errors import Inference

Names = NDArray[np.object_]


def summary_of(model: Any, level: float) -> Summary:
    """The summary of a fitted linear model."""
    known: Inference = model.inference_
    low, high = f"{50 * (1 - level):.4g} %", f"{50 * (1 + level):.4g} %"
    header = ["term", "estimate", "std. error", "t", "p", low, high]
    ends = known.interval(level)
    columns = [known.values, known.standard_errors, known.t_values, known.p_values, *ends.T]
    rows = []
    for j, name in enumerate(model.terms_):
        value, error, t, p, *between = (float(c[j]) for c in columns)
        if not known.estimated[j]:
            row = [str(name), "0", *["by definition" if k == 0 else "" for k in range(5)]]
        else:
            row = [str(name), _n(value), _n(error), f"{t:.3f}", _p(p), *map(_n, between)]
        if known.alpha:
            row.append(f"{known.shrinkage[j, j]:.4f}" if j < len(known.shrinkage) else "1")
        rows.append(tuple(row))
    kind = {"classical": "classical standard errors", "cluster": "standard errors by cluster"}
    title = f"{type(model).__name__}: {kind.get(known.kind, f'{known.kind} standard errors')}"
    notes = [("How far this can be trusted", tuple(sentence(c) for c in model.certificate_.claims))]
    weighted = known.rows != model.certificate_.provenance.rows
    notes.append(("The p-values and intervals hold if", tuple(_conditions(known, weighted))))
    if known.alpha:
        header.append("kept")
        notes.append(("What the penalty does", tuple(_penalty(known))))
    return Summary(title, tuple(_facts(known)), tuple(header), tuple(rows), tuple(notes))


def _facts(known: Inference) -> list[str]:
    left = known.rows - known.df_model
    facts = [
        f"{number_of(known.rows, 'row')}, {number_of(known.df_model, 'parameter', 6)}, "
        f"{left:.6g} degrees of freedom left"
        + (f", {number_of(known.clusters, 'cluster')}" if known.kind == "cluster" else ""),
        f"R² {known.r2:.6g}, adjusted {known.adjusted_r2:.6g}; residual standard deviation {_n(known.sigma2**0.5)}",
        f"log-likelihood {_n(known.log_likelihood)}, AIC {_n(known.aic)}, BIC {_n(known.bic)}",
    ]
    if not known.alpha and known.df_model > known.fit_intercept:
        f = known.f_test
        facts.append(f"F({f.df:g}, {f.df_residual:g}) = {_n(f.statistic)}, p {_p(f.p_value, sign=True)}")
    return facts


def sentence(claim: Claim) -> str:
    """A claim as one plain sentence."""
    value = claim.value
    said = {
        "gap": f"The objective is above its minimum by at most {value:.2g} of half the squares of y",
        "digits": f"Rounding leaves at least {np.floor(10 * value) / 10:g} digits of every coefficient",
        "condition": f"Errors, as shares, can grow {value:.3g}-fold on the way to the coefficients",
        "constant columns": f"{value:g} columns do not change, so their coefficient is 0",
        "rank": f"Only {value:g} columns are linearly independent: single coefficients mean little",
        "another scan": "The rows would have been read once more; a merged model cannot",
        "few rows": f"There are {value:.3g} rows to a term: too few to trust single coefficients",
    }.get(claim.kind)
    return f"{said} ({claim.status})." if said else f"{claim}."


def _conditions(known: Inference, weighted: bool) -> list[str]:
    independent = {
        "classical": "the rows are independent, and their residuals have one variance at every x",
        "cluster": f"rows of different clusters are independent, and the clusters ({known.clusters}) are many",
    }.get(known.kind, "the rows are independent; their variances may differ, if the rows are many")
    found = [
        "the mean of the target is linear in the columns",
        independent,
        "the residuals are normal, or the rows are many",
        "the columns were chosen before looking at the target",
    ]
    if weighted:
        found.append(
            "weights count rows: a row of weight 2 is two rows that were seen. If they are inverse variances, divide "
            "them by their mean, and classical and cluster errors are those of weighted least squares"
        )
    if known.digits < 8 and math.isfinite(known.sigma2):
        found.append(f'the {known.digits:.0f} digits that rounding leaves of σ² suffice; precision="high" gives more')
    if known.rows <= known.df_model:
        found.append("there were more rows: as many parameters as rows leave no residual degrees of freedom")
    if known.alone:
        found.append(
            f"{known.alone:g} rows may be left out that decide a coefficient alone: {known.kind} knows nothing of "
            "their noise"
        )
    return found


def _penalty(known: Inference) -> list[str]:
    p = len(known.shrinkage)
    kept = np.diag(known.shrinkage)
    return [
        f"The expected coefficients are (I - α (X'X + αI)⁻¹) β with α = {known.alpha:g}: shrunken, so the estimates "
        "are biased",
        f"`kept` is the diagonal of that matrix: least {kept.min(initial=1.0):.4f}; the fit spends "
        f"{known.df_model - known.fit_intercept:.4g} of {p} parameters",
        "Standard errors, intervals and p-values speak of the shrunken expectation, not of β: they hold no bias",
    ]


def _n(value: float) -> str:
    return f"{value:.6g}"


def _p(value: float, sign: bool = False) -> str:
    small = value < 1e-16
    text = "1e-16" if small else f"{value:.3g}"
    return ("< " if small else "= " if sign else "") + text
