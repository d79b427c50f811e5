"""Normal equations that may be badly conditioned, with bounds on what rounding did; many in one call.

Columns in units of their own length, S u = c. H with HHᵀ the inverse of S is a triangle by Cholesky or, if S is nearly
singular, its eigenvectors over the roots of their values. Only the upper triangle of squares and products is read.
"""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.blas import _external, multiply, products
from tenfold.compiled.decorators import dividing, inner_dividing
from tenfold.compiled.linear_model.solving import EPS, ROUNDING_DEVIATIONS, _dpotrf, _solve, _varies
from tenfold.compiled.precision.exact_sums import constant_of

_dtrtri = _external("dtrtri", "lapack")
_dsyevd = _external("dsyevd", "lapack")

SHORTEST = 1e-145
"""columns below lose digits when they are squared, or vanish"""
SMALLEST_SUBNORMAL = 5e-324
"""the step between numbers that are next to zero"""
MAX_CHOLESKY_CONDITION = 1e8
"""of a system, at most, of which a triangle is taken for as good as eigenvectors"""

GAP, RANK, RSS, TSS, LOST, CONDITION, KNOWN, FACTS = range(8)
"""facts of a solution: numbers in one array; KNOWN: directions of H. The last is how many they are"""
SOLVED, NO_ROWS, ANOTHER_SCAN, NOT_FINITE, TOO_SMALL = range(5)
"""what became of a system: the last three have no coefficients that a learner of its rows would end with"""


@dividing
def solve_or_score(
    second, mean, weight, gamma, alpha, fit_intercept, least, is_given, with_condition,
    values, error, noise, floor, unit, blown, varies, half, facts,
):  # fmt: skip
    """Solve one system, or score the values that are given; return whether all numbers of it are finite."""
    if not _finite(second, mean):
        return False
    _examine(
        second, mean, weight, gamma, alpha, fit_intercept, least, is_given, with_condition,
        values, error, noise, floor, unit, blown, varies, half, facts,
    )  # fmt: skip
    return True


@dividing
def solve_each(
    weight, mean, comoment, gamma, alpha, fit_intercept, cuts, least, max_features, start, stop, coef, status
):
    """Coefficients and the constant of the cells from `start` to `stop`, and what became of each.

    `cuts` are the features, first and behind the last, of each categorical column. Without a penalty a feature is left
    out of each, with one they are steadied.
    """
    q = mean.shape[1]
    keep = np.empty(q, np.int64)
    terms, parts, found = np.empty(q), np.empty(q), np.empty(q)
    for k in range(start, stop):
        coef[k] = 0.0
        if not 0.0 < weight[k] < math.inf:
            status[k] = NO_ROWS if weight[k] == 0.0 else NOT_FINITE
            continue
        p = _kept(mean[k], fit_intercept, cuts, alpha, keep)
        at, S = mean[k][keep[: p + 1]], np.empty((p + 1, p + 1))
        _gather(weight[k], mean[k], comoment[k], fit_intercept, cuts if alpha else cuts[:0], keep, S)
        if not _finite(S, at):
            status[k] = NOT_FINITE
            continue
        status[k] = SOLVED
        if _varies(S, at, weight[k], least) and _quick(S, weight[k], gamma[k], alpha, found):
            constant = constant_of(at, found, terms, parts) if fit_intercept else 0.0
        else:
            if _has_small(S, at, weight[k], alpha):
                status[k] = TOO_SMALL
                continue
            wants = _carefully(S, at, weight[k], gamma[k], alpha, fit_intercept, found)
            if wants and (q - 1 < max_features or not len(cuts)):
                status[k] = ANOTHER_SCAN
            constant = found[p]
        for i in range(p):
            coef[k, keep[i]] = found[i]
        coef[k, q - 1] = constant


@dividing
def score_each(
    weight, mean, comoment, gamma, alpha, fit_intercept, cuts, values, status, start, stop,
    facts, worst, constant, errors, sigma2, left,
):  # fmt: skip
    """Claims about the values of the cells from `start` to `stop`, and their classical standard errors.

    `worst` is the error of the least certain value as a share of it, `constant` how many columns do not vary, `left`
    how many degrees of freedom the residuals have. Cells without coefficients are passed over.
    """
    q = mean.shape[1]
    keep, given = np.empty(q, np.int64), np.empty(q)
    for k in range(start, stop):
        if status[k] in (NO_ROWS, NOT_FINITE, TOO_SMALL):
            continue
        p = _kept(mean[k], fit_intercept, cuts, alpha, keep)
        for i in range(p + 1):
            given[i] = values[k, keep[i]]
        S, at = np.empty((p + 1, p + 1)), mean[k][keep[: p + 1]]
        error, noise, floor, unit = np.empty(p + 1), np.empty(p + 1), np.empty(p + 1), np.empty(p + 1)
        blown, varies, half = np.empty(p + 1, np.bool_), np.empty(p, np.bool_), np.empty((p, p))
        _gather(weight[k], mean[k], comoment[k], fit_intercept, cuts if alpha else cuts[:0], keep, S)
        _examine(
            S, at, weight[k], gamma[k], alpha, fit_intercept, EPS, True, True,
            given[: p + 1], error, noise, floor, unit, blown, varies, half, facts[k],
        )  # fmt: skip
        worst[k] = math.inf if facts[k, LOST] else _largest_share(error, given, unit)
        constant[k] = 0
        for j in range(p):
            constant[k] += not varies[j]
        inner = facts[k]
        if len(cuts) and alpha:  # standard errors are of the system as it is
            inner = np.empty(FACTS)
            _gather(weight[k], mean[k], comoment[k], fit_intercept, cuts[:0], keep, S)
            _examine(
                S, at, weight[k], gamma[k], alpha, fit_intercept, EPS, True, False,
                given[: p + 1], error, noise, floor, unit, blown, varies, half, inner,
            )  # fmt: skip
        _standard_errors(at, weight[k], alpha, fit_intercept, half, inner, keep, errors[k], sigma2[k:], left[k:])


@inner_dividing
def _kept(mean, fit_intercept, cuts, alpha, keep):
    """The features that have a coefficient, then the target, into `keep`; return how many features they are."""
    q = len(mean)
    many, c = 0, 0 if fit_intercept else 1
    left_out = -1
    for j in range(q - 1):
        if alpha == 0.0 and c < len(cuts) and j == cuts[c, 0]:
            left_out = j
            for other in range(cuts[c, 0], cuts[c, 1]):
                if mean[other] > 0.0:
                    left_out = other
                    break
            c += 1
        if j != left_out:
            keep[many] = j
            many += 1
    keep[many] = q - 1
    return many


@inner_dividing
def _gather(weight, mean, comoment, fit_intercept, cuts, keep, second):
    """Squares and products of the kept features and the target: around the means or, without an intercept, zero.

    `cuts` are the categorical columns that are steadied: what does not change the solution is added to them.
    """
    q = len(second)
    for i in range(q):
        for j in range(i, q):
            second[i, j] = comoment[keep[i], keep[j]]
    for c in range(0 if fit_intercept else 1, len(cuts)):
        many = 0
        for j in range(cuts[c, 0], cuts[c, 1]):
            many += mean[j] > 0.0
        if not fit_intercept:
            for j in range(cuts[0, 0], cuts[0, 1]):
                many += mean[j] > 0.0
        more = weight / float(max(many, 1) ** 2)
        for i in range(q - 1):
            for j in range(i, q - 1):
                second[i, j] += _turn(i, mean, cuts, c, fit_intercept) * _turn(j, mean, cuts, c, fit_intercept) * more
    if not fit_intercept:
        for i in range(q):
            for j in range(i, q):
                second[i, j] += weight * (mean[keep[i]] * mean[keep[j]])


@inner_dividing
def _turn(j, mean, cuts, c, fit_intercept):
    """How the coefficient of feature j changes in a direction that predictions do not feel."""
    if mean[j] > 0.0:
        if cuts[c, 0] <= j < cuts[c, 1]:
            return 1.0
        if not fit_intercept and cuts[0, 0] <= j < cuts[0, 1]:
            return -1.0
    return 0.0


@inner_dividing
def _finite(second, mean):
    for i in range(len(mean)):
        if not math.isfinite(mean[i]):
            return False
        for j in range(i, len(mean)):
            if not math.isfinite(second[i, j]):
                return False
    return True


@inner_dividing
def _has_small(second, mean, weight, alpha):
    """Whether a column is not zero but so small that its squares are, and no penalty makes up for that."""
    if alpha > 1e20 * SHORTEST**2:
        return False
    for j in range(len(mean) - 1):
        size = max(math.sqrt(max(second[j, j], 0.0)), abs(math.sqrt(weight) * mean[j]))
        if 0.0 < size < SHORTEST:
            return True
    return False


@inner_dividing
def _quick(second, weight, gamma, alpha, coef):
    """Solve by Cholesky's factor; return whether no digit is in doubt."""
    p = len(second) - 1
    S, factor = np.empty((p, p)), np.empty((p, p))
    scale, c, u, off = np.empty(p), np.empty(p), np.empty(p), np.empty(p)
    sure = _solve(second, weight, gamma, alpha, S, factor, scale, c, u, off)
    for j in range(p):
        coef[j] = u[j] / scale[j]
    return sure


@inner_dividing
def _carefully(second, mean, weight, gamma, alpha, fit_intercept, values):
    """Solve with bounds of the error; return whether moments lose digits that an R-factor would keep."""
    p = len(mean) - 1
    error, noise, floor, unit = np.empty(p + 1), np.empty(p + 1), np.empty(p + 1), np.empty(p + 1)
    blown, varies, half, facts = np.empty(p + 1, np.bool_), np.empty(p, np.bool_), np.empty((p, p)), np.empty(FACTS)
    _examine(
        second, mean, weight, gamma, alpha, fit_intercept, EPS, False, False,
        values[: p + 1], error, noise, floor, unit, blown, varies, half, facts,
    )  # fmt: skip
    for j in range(p + 1):
        share = _share(error[j], values[j], unit[j])
        if (share > 1e-11 and error[j] > 1e-10 * noise[j]) or (share > 1e-8 and blown[j]):
            return True
    return False


@inner_dividing
def _share(error, value, unit):
    """An error as a share of its value, or of a value too small to matter."""
    if value != 0.0:
        error = max(error, SMALLEST_SUBNORMAL)
    return 0.0 if error == 0.0 else error / max(abs(value), 1e-10 * unit)


@inner_dividing
def _largest_share(error, values, unit):
    found = 0.0
    for j in range(len(error)):
        found = max(found, _share(error[j], values[j], unit[j]))
    return found


@inner_dividing
def _examine(
    second, mean, weight, gamma, alpha, fit_intercept, least, is_given, with_condition,
    values, error, noise, floor, unit, blown, varies, half, facts,
):  # fmt: skip
    """Solve one system, or score the values that are given, and estimate what rounding did to each.

    Eigenvalues up to `least` for each column, beside the largest, count as zero. What the results are,
    `Solution` of the least-squares learners says.
    """
    p = len(mean) - 1
    at = np.empty(p, np.int64)
    m = 0
    for j in range(p):
        varies[j] = math.sqrt(max(second[j, j], 0.0)) > max(math.sqrt(weight) * 4 * EPS * abs(mean[j]), SHORTEST)
        if varies[j]:
            at[m] = j
            m += 1
    scale, own, c, u, center = np.empty(m), np.empty(m), np.empty(m), np.zeros(m), np.empty(m)
    S, H, inverse, eigenvalues = np.empty((m, m)), np.empty((m, m)), np.empty((m, m)), np.empty(m)
    for i in range(m):
        square = max(second[at[i], at[i]], 0.0)
        scale[i] = math.sqrt(square + alpha)
        own[i] = math.sqrt(square) / scale[i]
        center[i] = mean[at[i]] if fit_intercept else 0.0
    for i in range(m):
        for j in range(i + 1, m):
            S[i, j] = S[j, i] = second[at[i], at[j]] / scale[j] / scale[i]
        S[i, i] = 1.0
        c[i] = second[at[i], p] / scale[i]
    yy = max(second[p, p], 0.0)  # of a constant target it may be a rounding error
    facts[CONDITION] = 1.0
    rank = 0
    if m:
        rank = m
        if not _by_cholesky(S, H, inverse):
            H, rank, facts[CONDITION] = _by_eigenvectors(S, least * p)
            _squared(H, inverse)
        elif with_condition:
            inverse_of = S.copy()
            _eigen(78, inverse_of, eigenvalues)  # N: values alone
            facts[CONDITION] = eigenvalues[m - 1] / eigenvalues[0]
    along = np.zeros(H.shape[1] if m else 0)
    off = np.empty(m)
    if is_given:
        for i in range(m):
            u[i] = values[at[i]] * scale[i]
    elif m:
        _add_solution(H, c, along, u)
        _residual(S, u, c, off)
        _add_solution(H, off, along, u)  # one step of refinement: what the factor lost to rounding
    if not is_given:
        values[:] = 0.0
        for i in range(m):
            values[at[i]] = u[i] / scale[i]
        if fit_intercept:
            values[p] = constant_of(mean, values, np.empty(p + 1), np.empty(p + 1))

    slip, drift = np.zeros(len(along)), np.zeros(m)
    length, explained, moved = yy, 0.0, 0.0
    if m:
        _residual(S, u, c, off)
        multiply(True, H, off, slip)
        multiply(False, H, slip, drift)
    for i in range(m):
        length += u[i] * u[i]
        explained += c[i] * u[i]
        moved += (own[i] * u[i]) ** 2
    size, rest, stirred = math.sqrt(length), math.sqrt(max(yy - explained, 0.0)), math.sqrt(moved + yy)
    left = math.sqrt(max(weight - p - 1, 1.0))
    trace, error_of_inverse = 0.0, ROUNDING_DEVIATIONS * gamma
    _last_rounding(values, mean, fit_intercept, floor)
    for j in range(p + 1):
        error[j], noise[j], unit[j], blown[j] = floor[j], 0.0, 0.0, False
    for i in range(m):
        j = at[i]
        reach, spread, stir = 0.0, 0.0, 0.0
        for k in range(m):
            reach += inverse[i, k] ** 2
            stir += (inverse[i, k] * own[k]) ** 2
        for k in range(H.shape[1]):
            spread += H[i, k] ** 2
        trace += inverse[i, i]
        error[j] += abs(drift[i]) / scale[i] + error_of_inverse * math.sqrt(stir) / scale[i] * stirred
        noise[j] = math.sqrt(spread) / scale[i] * rest / left
        unit[j] = math.sqrt(yy) * own[i] / scale[i]
        blown[j] = math.sqrt(reach) > 100.0
    unit[p] = math.sqrt(yy / max(weight, 1.0))
    if fit_intercept and m:
        _error_of_constant(
            center, scale, own, H, inverse, drift, error_of_inverse, stirred, rest, left, error, noise, blown
        )
    if rank < m:
        error[:] = math.inf
        H = _shortest(second, at, m, alpha, least * p, is_given, values)
        if not is_given and fit_intercept:
            values[p] = constant_of(mean, values, np.empty(p + 1), np.empty(p + 1))
    half[:] = 0.0
    if m:
        for i in range(m):
            for k in range(H.shape[1]):
                half[at[i], k] = H[i, k] / scale[i] if rank == m else H[i, k]
    gap = 0.0
    for k in range(len(slip)):
        gap += slip[k] * slip[k]
    gap = 0.5 * gap + 0.5 * trace * (error_of_inverse * size) ** 2
    if fit_intercept:
        gap += 0.5 * weight * floor[p] ** 2
    facts[GAP] = gap / (0.5 * yy) if yy > 0.0 else 0.0
    facts[RANK], facts[TSS], facts[KNOWN] = rank, yy, H.shape[1] if m else 0
    facts[RSS] = _residual_square(second, values)
    facts[LOST] = _loses(second, mean, weight)


@inner_dividing
def _by_cholesky(S, H, inverse):
    """H, a triangle, and the inverse of S; return whether S is so far from singular that they are exact enough."""
    m = len(S)
    size, info, letters = np.empty(1, np.int32), np.empty(1, np.int32), np.empty(2, np.uint8)
    size[0] = m
    letters[0], letters[1] = 76, 78  # L: lower to Fortran, upper to us; N: its diagonal is not of ones
    H[:] = S
    _dpotrf((letters, size, H, size, info))
    if info[0] != 0:
        return False
    _dtrtri((letters, letters[1:], size, H, size, info))
    if info[0] != 0:
        return False
    for i in range(m):
        for j in range(i):
            H[i, j] = 0.0
    products(H, H, 1.0, inverse)
    return _norm(S) * _norm(inverse) <= MAX_CHOLESKY_CONDITION


@inner_dividing
def _norm(matrix):
    """The largest sum of the sizes of a row."""
    found = 0.0
    for i in range(len(matrix)):
        total = 0.0
        for j in range(len(matrix)):
            total += abs(matrix[i, j])
        if not total <= found:
            found = total
    return found


@inner_dividing
def _by_eigenvectors(S, least):
    """H with HHᵀ the pseudo-inverse of a Gram matrix, its rank, and its condition: infinite if it is singular.

    Eigenvalues up to `least` beside the largest count as zero.
    """
    m = len(S)
    vectors, values = S.copy(), np.empty(m)
    _eigen(86, vectors, values)  # V: with vectors
    first = 0
    while first < m and not values[first] > least * max(values[m - 1], 0.0):
        first += 1
    H = np.empty((m, m - first))
    for k in range(first, m):
        root = math.sqrt(values[k])
        for i in range(m):
            H[i, k - first] = vectors[k, i] / root
    return H, m - first, math.inf if first else values[m - 1] / values[0]


@inner_dividing
def _eigen(letter, matrix, values):
    """Eigenvalues of a symmetric matrix, from the least; `letter` V: its rows become the eigenvectors."""
    m = len(matrix)
    letters, sizes, info = np.empty(2, np.uint8), np.empty(3, np.int32), np.empty(1, np.int32)
    letters[0], letters[1] = letter, 76
    sizes[0] = m
    sizes[1], sizes[2] = (1 + 6 * m + 2 * m * m, 3 + 5 * m) if letter == 86 else (2 * m + 1 + 64 * m, 1)
    work, places = np.empty(sizes[1]), np.empty(sizes[2], np.int32)
    _dsyevd((letters, letters[1:], sizes, matrix, sizes, values, work, sizes[1:], places, sizes[2:], info))


@inner_dividing
def _squared(H, out):
    """out = HHᵀ."""
    if H.shape[1]:
        products(H, H, 1.0, out)
    else:
        out[:] = 0.0


@inner_dividing
def _add_solution(H, c, along, u):
    """Add HHᵀc to u."""
    along[:] = 0.0
    multiply(True, H, c, along)
    more = np.empty(len(u))
    multiply(False, H, along, more)
    for i in range(len(u)):
        u[i] += more[i]


@inner_dividing
def _residual(S, u, c, off):
    """off = c - Su."""
    multiply(False, S, u, off)
    for i in range(len(u)):
        off[i] = c[i] - off[i]


@inner_dividing
def _last_rounding(values, mean, fit_intercept, floor):
    """Rounding of the values themselves and, for the intercept, of the means it is made from."""
    p = len(values) - 1
    for j in range(p + 1):
        floor[j] = EPS * abs(values[j])
    if fit_intercept:
        total = mean[p] ** 2
        for j in range(p):
            total += (mean[j] * values[j]) ** 2
        floor[p] += 2 * EPS * math.sqrt(total)


@inner_dividing
def _error_of_constant(
    center, scale, own, H, inverse, drift, error_of_inverse, stirred, rest, left, error, noise, blown
):
    """What rounding did to the intercept: a sum of the coefficients, each times its column's mean."""
    m, p = len(scale), len(error) - 1
    back, across, along = np.empty(m), np.zeros(m), np.zeros(H.shape[1])
    moved, bare = 0.0, 0.0
    for i in range(m):
        back[i] = -center[i] / scale[i]
        moved += back[i] * drift[i]
        bare += back[i] ** 2
    multiply(True, inverse, back, across)
    multiply(True, H, back, along)
    reach, spread, stir = 0.0, 0.0, 0.0
    for i in range(m):
        reach += across[i] ** 2
        stir += (across[i] * own[i]) ** 2
    for k in range(len(along)):
        spread += along[k] ** 2
    error[p] += abs(moved) + error_of_inverse * math.sqrt(stir) * stirred
    noise[p] = math.sqrt(spread) * rest / left
    blown[p] = math.sqrt(reach) > 100.0 * math.sqrt(bare)


@inner_dividing
def _shortest(second, at, m, alpha, least, is_given, values):
    """The minimum-norm solution in the columns' own units, and H of that system."""
    A, b, u, off = np.empty((m, m)), np.empty(m), np.zeros(m), np.empty(m)
    for i in range(m):
        for j in range(i, m):
            A[i, j] = A[j, i] = second[at[i], at[j]]
        A[i, i] += alpha
        b[i] = second[at[i], len(values) - 1]
    H, _, _ = _by_eigenvectors(A, least)
    if not is_given and H.shape[1]:
        along = np.empty(H.shape[1])
        _add_solution(H, b, along, u)
        _residual(A, u, b, off)
        _add_solution(H, off, along, u)
        for i in range(m):
            values[at[i]] = u[i]
    return H


@inner_dividing
def _residual_square(second, values):
    """Σ w (y - xᵀβ)², around the means if the squares and products are."""
    p = len(values) - 1
    total = 0.0
    for i in range(p + 1):
        a = -values[i] if i < p else 1.0
        row = 0.5 * a * second[i, i]
        for j in range(i + 1, p + 1):
            row += second[i, j] * (-values[j] if j < p else 1.0)
        total += 2.0 * a * row
    return max(total, 0.0)


@inner_dividing
def _loses(second, mean, weight):
    """Whether a column, or the product of one with the target, is so small that digits are lost."""
    p = len(mean) - 1
    target = _size(second, mean, weight, p)
    for j in range(p):
        size = _size(second, mean, weight, j)
        if 0.0 < size < SHORTEST or (size > 0.0 and target > 0.0 and size * target < SHORTEST**2):
            return True
    return False


@inner_dividing
def _size(second, mean, weight, j):
    """Length of a column, about zero or about its mean, whichever is more."""
    return max(math.sqrt(max(second[j, j], 0.0)), math.sqrt(weight) * abs(mean[j]))


@inner_dividing
def _standard_errors(mean, weight, alpha, fit_intercept, half, facts, keep, errors, sigma2, left):
    """Classical standard errors, of the shrunken expectation if there is a penalty; the variance of the residuals."""
    p, known = len(mean) - 1, int(facts[KNOWN])
    inner, trace = np.zeros((known, known)), 0.0
    for a in range(known):
        for b in range(known):
            total = 0.0
            for j in range(p):
                total += half[j, a] * half[j, b]
            inner[a, b] = (1.0 if a == b else 0.0) - alpha * total
            if a == b:
                trace += total
    left[0] = weight - (facts[RANK] + (1.0 if fit_intercept else 0.0) - alpha * trace)
    sigma2[0] = facts[RSS] / left[0] if left[0] > 0.0 else math.inf
    errors[:] = 0.0
    level, across = np.zeros(known), np.empty(known)
    for j in range(p):
        found = 0.0
        for a in range(known):
            across[a] = half[j, a]
            level[a] -= mean[j] * half[j, a]
            found += half[j, a] ** 2
        if found > 0.0:
            known_part = max(_form(across, inner), 0.0)
            errors[keep[j]] = math.sqrt(sigma2[0] * known_part) if left[0] > 0.0 else math.inf
    if fit_intercept:
        known_part = 1.0 / weight + max(_form(level, inner), 0.0)
        errors[len(errors) - 1] = math.sqrt(sigma2[0] * known_part) if left[0] > 0.0 else math.inf


@inner_dividing
def _form(vector, matrix):
    """vᵀ M v."""
    total = 0.0
    for a in range(len(vector)):
        row = 0.0
        for b in range(len(vector)):
            row += matrix[a, b] * vector[b]
        total += vector[a] * row
    return total
