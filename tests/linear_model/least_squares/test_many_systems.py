"""Cells solved at once have the bits of fits of their moments alone, whatever the cells are like."""

import math

import numpy as np
import pandas as pd
import pytest
from tests.tiers import draws

import tenfold as tn
from tenfold.compiled.precision.exact_sums import constants_of
from tenfold.core import ColumnError, DataError
from tenfold.core.driver_threads import driver_threads
from tenfold.core.learner import Initial
from tenfold.linear_model.inference.standard_errors import infer
from tenfold.linear_model.least_squares.many_systems import (
    ANOTHER_SCAN,
    NO_ROWS,
    NOT_FINITE,
    SOLVED,
    TOO_SMALL,
    certify_many,
    solve_many,
)
from tenfold.linear_model.least_squares.routes import GramMatrix, LinearModel, RidgeProblem
from tenfold.stats.moments.moments import Moments

P = 6


def draw(rng, kind, p=P):
    """Rows of one cell, and their weights."""
    n = {"few": rng.integers(1, p), "square": p, "square+1": p + 1}.get(kind, int(rng.integers(p + 2, 60)))
    X = rng.normal(size=(n, p)) + rng.integers(-3, 4, p)
    weight = np.ones(n)
    match kind:
        case "constant":
            X[:, rng.integers(p, size=2)] = 7.25
        case "all constant":
            X[:] = rng.integers(-2, 3, p)
        case "copied":
            X[:, 1] = 3.0 * X[:, 0]
        case "almost copied":
            X[:, 1] = X[:, 0] + 10.0 ** rng.integers(-10, -2) * rng.normal(size=n)
        case "huge":
            X = X * 10.0 ** rng.integers(0, 140, p)
        case "small":
            X = X * 10.0 ** -rng.integers(0, 150, p).astype(float)
        case "tiny":
            X[:, 2] *= 1e-150
        case "integers":
            X = rng.integers(0, 3, (n, p)).astype(float)
        case "far":
            X = X + 1e7
        case "weights":
            weight = rng.exponential(size=n)
    y = X @ rng.normal(size=p) + rng.normal(size=n) * 10.0 ** rng.integers(-12, 2)
    if kind == "constant target":
        y[:] = 3.0
    return X, y, weight


KINDS = (
    "few", "square", "square+1", "plain", "constant", "all constant", "copied", "almost copied", "huge", "small",
    "tiny", "integers", "far", "weights", "constant target", "nan", "inf", "empty",
)  # fmt: skip


def cells(seed, many, p=P):
    """Moments of many cells, one of each kind after the other."""
    rng, found = np.random.default_rng(seed), []
    for k in range(many):
        kind = KINDS[k % len(KINDS)]
        X, y, weight = draw(rng, kind, p)
        mean = weight @ np.column_stack([X, y]) / weight.sum()
        off = np.column_stack([X, y]) - mean
        with np.errstate(over="ignore", invalid="ignore"):
            m = Moments(float(weight.sum()), mean, np.zeros(p + 1), (off * weight[:, None]).T @ off)
        if kind == "nan":
            m.comoment[1, 2] = m.comoment[2, 1] = np.nan
        if kind == "inf":
            m.comoment[3, 3] = np.inf
        if kind == "empty":
            m = Moments(0.0, np.zeros(p + 1), np.zeros(p + 1), np.zeros((p + 1, p + 1)))
        found.append(m)
    return found


def stacked(each):
    return np.array([m.weight for m in each]), np.stack([m.mean for m in each]), np.stack([m.comoment for m in each])


def alone(m, problem):
    """What a fit ends with, or the error that it raises."""
    if not m.weight:
        return NO_ROWS, np.zeros(len(m.mean))
    try:
        step = GramMatrix().update(problem, Initial(0, problem.schema), m, False)
    except ColumnError as error:
        return (TOO_SMALL if "too small" in str(error) else NOT_FINITE), np.zeros(len(m.mean))
    except DataError:
        return NOT_FINITE, np.zeros(len(m.mean))
    return (ANOTHER_SCAN if step.worthwhile else SOLVED), step.model.values


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 1e-9])
def test_cells_have_the_bits_of_single_fits(alpha, fit_intercept):
    each = cells(int(alpha), draws(396, 2016))
    problem = RidgeProblem(alpha, fit_intercept, tn.Ridge().fit(np.eye(P), np.arange(P)).schema_)
    found = solve_many(*stacked(each), alpha, fit_intercept)
    for k, m in enumerate(each):
        status, values = alone(m, problem)
        assert found.status[k] == status, (KINDS[k % len(KINDS)], found.status[k], status)
        assert found.coef[k].tobytes() == values[:-1].tobytes(), KINDS[k % len(KINDS)]
        assert found.intercept[k] == values[-1]


def test_threads_change_nothing():
    each = stacked(cells(3, 360))
    one = solve_many(*each, 0.5, True)
    with driver_threads(2):
        two = solve_many(*each, 0.5, True)
    for a, b in zip(one, two, strict=True):
        assert a.tobytes() == b.tobytes()


def test_lower_triangles_are_not_read():
    weight, mean, comoment = stacked(cells(4, 180))
    one = solve_many(weight, mean, comoment, 1.0, True)
    comoment[:, *np.tril_indices(P + 1, -1)] = np.nan
    two = solve_many(weight, mean, comoment, 1.0, True)
    for a, b in zip(one, two, strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_claims_and_standard_errors_are_those_of_single_fits(alpha, fit_intercept):
    each = cells(5, 180)
    schema = tn.Ridge().fit(np.eye(P), np.arange(P)).schema_
    problem = RidgeProblem(alpha, fit_intercept, schema)
    moments = stacked(each)
    solutions = solve_many(*moments, alpha, fit_intercept)
    found = certify_many(*moments, alpha, fit_intercept, solutions)
    compared = 0
    for k, m in enumerate(each):
        if solutions.status[k] not in (SOLVED, ANOTHER_SCAN):
            assert np.isnan(found.gap[k])
            continue
        model = LinearModel(solutions.coef[k], float(solutions.intercept[k]), schema)
        claims = {c.kind: c.value for c in GramMatrix().certify(problem, model, m)}
        assert found.gap[k] == claims["gap"]
        assert found.digits[k] == pytest.approx(claims["digits"], abs=1e-12)
        assert found.condition[k] == claims.get("condition", math.inf)
        assert found.constant[k] == claims.get("constant columns", 0)
        known, rounding = GramMatrix().solution_for_errors(problem, model, m)
        same = infer(known, "classical", alpha, fit_intercept, m.weight, rounding, None)
        assert found.df[k] == pytest.approx(same.rows - same.df_model, abs=1e-9 * m.weight)
        scaled = KINDS[k % len(KINDS)] in ("huge", "small", "tiny")  # there the penalty leaves nothing but rounding
        if not scaled and abs(found.df[k]) > 1e-6 and claims.get("condition", math.inf) < 1e4:
            np.testing.assert_allclose(found.standard_errors[k], same.standard_errors, rtol=1e-8)
            compared += 1
    assert compared > 40


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_categories(alpha, fit_intercept):
    rng = np.random.default_rng(7)
    n, shops = 900, 15
    X = pd.DataFrame({
        "a": rng.normal(size=n), "colour": rng.choice(["blue", "green", "red"], n),
        "b": rng.normal(size=n), "size": rng.choice(["s", "m", "l", "xl"], n, p=[0.9, 0.05, 0.03, 0.02]),
    })  # fmt: skip
    y, shop = X["a"] + (X["colour"] == "red") + rng.normal(size=n), rng.integers(0, shops, n)
    whole = tn.Ridge(alpha=alpha, fit_intercept=fit_intercept).fit(X, y)
    schema, each = whole.schema_, []
    for s in range(shops):
        at = shop == s
        columns = [X["a"][at], *((X["colour"][at] == c) for c in schema.columns[1].categories), X["b"][at]]
        columns += [(X["size"][at] == c) for c in schema.columns[3].categories]
        rows = np.column_stack([np.asarray(c, float) for c in columns] + [y[at]])
        mean = rows.mean(axis=0)
        each.append(Moments(float(len(rows)), mean, np.zeros_like(mean), (rows - mean).T @ (rows - mean)))
    problem, moments = RidgeProblem(alpha, fit_intercept, schema), stacked(each)
    found = solve_many(*moments, alpha, fit_intercept, schema.levels)
    claims = certify_many(*moments, alpha, fit_intercept, found, schema.levels)
    for k, m in enumerate(each):
        status, values = alone(m, problem)
        assert found.status[k] == status
        assert found.coef[k].tobytes() == values[:-1].tobytes()
        assert found.intercept[k] == values[-1]
        model = LinearModel.of(values, schema)
        assert claims.gap[k] == GramMatrix().certify(problem, model, m)[0].value
        known, rounding = GramMatrix().solution_for_errors(problem, model, m)
        same = infer(known, "classical", alpha, fit_intercept, m.weight, rounding, None)
        np.testing.assert_allclose(claims.standard_errors[k], same.standard_errors, rtol=1e-7)


def test_sums_of_intercepts_are_those_of_fsum():
    rng = np.random.default_rng(8)
    mean = rng.normal(size=(300, 9)) * 10.0 ** rng.integers(-20, 21, (300, 9))
    coef = rng.normal(size=(300, 2, 8)) * 10.0 ** rng.integers(-20, 21, (300, 2, 8))
    mean[::7, 1] = -mean[::7, 2]  # sums that cancel, and sums halfway between two numbers
    coef[::7, :, 1] = coef[::7, :, 2] = 2.0**-53
    mean[1::7], coef[1::7] = 0.0, 1.0
    mean[1::7, 8], mean[1::7, 0], mean[1::7, 1] = 1.0, -(2.0**-53), -(2.0**-80)
    out = np.empty((300, 2))
    constants_of(mean, coef, out)
    for k in range(300):
        for a in range(2):
            assert out[k, a] == math.fsum([mean[k, -1], *(-mean[k, :-1] * coef[k, a])])
