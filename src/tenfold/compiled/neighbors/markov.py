"""Walks along sequences whose states are hidden: forward, backward, the likeliest paths, and draws.

Row t has the likelihoods `table[codes[t]]`, one for each state: symbols share a row of the table, measured rows have
one each. A sequence ends before `ends[s]`, where the next begins. Sums over states are scaled to one at every row, so
that no length underflows.
"""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.decorators import inner, inner_dividing, kernel, lanes
from tenfold.compiled.precision.exponential import exp

LANES = 8
"""numbers that are worked on side by side: for the sums, states are padded to a multiple of it with impossible ones"""
ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT = (np.uint64(i) for i in range(LANES + 1))
"""places without a sign: nothing has to look whether they count from the end"""
MIN_PROBABILITY = 1e-290
"""chances below which a state is not reached"""
BACKWARD_BLOCK_ROWS = 128
"""rows of which it is kept what those after them say, before it is summed up"""


@inner
def _mixed(probabilities, at, step, factor, likely, which, out, to):
    """out[to, j] = factor likely[which, j] Σ_i chances[at, i] step[i, j], eight j side by side; return their sum.

    The factor, which comes from a division, is needed last.
    """
    at, which, to = np.uint64(at), np.uint64(which), np.uint64(to)
    k = np.uint64(step.shape[0])
    total = 0.0
    for b in range(ZERO, k, EIGHT):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
        for i in range(ZERO, k):
            c = probabilities[at, i]
            s0 += c * step[i, b]
            s1 += c * step[i, b + ONE]
            s2 += c * step[i, b + TWO]
            s3 += c * step[i, b + THREE]
            s4 += c * step[i, b + FOUR]
            s5 += c * step[i, b + FIVE]
            s6 += c * step[i, b + SIX]
            s7 += c * step[i, b + SEVEN]
        s0 *= factor * likely[which, b]
        s1 *= factor * likely[which, b + ONE]
        s2 *= factor * likely[which, b + TWO]
        s3 *= factor * likely[which, b + THREE]
        s4 *= factor * likely[which, b + FOUR]
        s5 *= factor * likely[which, b + FIVE]
        s6 *= factor * likely[which, b + SIX]
        s7 *= factor * likely[which, b + SEVEN]
        out[to, b] = s0
        out[to, b + ONE] = s1
        out[to, b + TWO] = s2
        out[to, b + THREE] = s3
        out[to, b + FOUR] = s4
        out[to, b + FIVE] = s5
        out[to, b + SIX] = s6
        out[to, b + SEVEN] = s7
        total += ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
    return total


@inner
def _retreat(value, step, factor, kept, at, beta, gamma):
    """beta[j] = factor Σ_i value[i] step[i, j], and gamma[j] = that times kept[at, j]; return the sum of the latter.

    A state that is not reached has beta zero: no earlier row uses it, and from it the likelihood of later rows might
    overflow.
    """
    at = np.uint64(at)
    k = np.uint64(step.shape[0])
    total = 0.0
    for b in range(ZERO, k, EIGHT):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
        for i in range(ZERO, k):
            c = value[i]
            s0 += c * step[i, b]
            s1 += c * step[i, b + ONE]
            s2 += c * step[i, b + TWO]
            s3 += c * step[i, b + THREE]
            s4 += c * step[i, b + FOUR]
            s5 += c * step[i, b + FIVE]
            s6 += c * step[i, b + SIX]
            s7 += c * step[i, b + SEVEN]
        s0 *= factor if kept[at, b] > MIN_PROBABILITY else 0.0
        s1 *= factor if kept[at, b + ONE] > MIN_PROBABILITY else 0.0
        s2 *= factor if kept[at, b + TWO] > MIN_PROBABILITY else 0.0
        s3 *= factor if kept[at, b + THREE] > MIN_PROBABILITY else 0.0
        s4 *= factor if kept[at, b + FOUR] > MIN_PROBABILITY else 0.0
        s5 *= factor if kept[at, b + FIVE] > MIN_PROBABILITY else 0.0
        s6 *= factor if kept[at, b + SIX] > MIN_PROBABILITY else 0.0
        s7 *= factor if kept[at, b + SEVEN] > MIN_PROBABILITY else 0.0
        beta[b] = s0
        beta[b + ONE] = s1
        beta[b + TWO] = s2
        beta[b + THREE] = s3
        beta[b + FOUR] = s4
        beta[b + FIVE] = s5
        beta[b + SIX] = s6
        beta[b + SEVEN] = s7
        s0 *= kept[at, b]
        s1 *= kept[at, b + ONE]
        s2 *= kept[at, b + TWO]
        s3 *= kept[at, b + THREE]
        s4 *= kept[at, b + FOUR]
        s5 *= kept[at, b + FIVE]
        s6 *= kept[at, b + SIX]
        s7 *= kept[at, b + SEVEN]
        gamma[b] = s0
        gamma[b + ONE] = s1
        gamma[b + TWO] = s2
        gamma[b + THREE] = s3
        gamma[b + FOUR] = s4
        gamma[b + FIVE] = s5
        gamma[b + SIX] = s6
        gamma[b + SEVEN] = s7
        total += ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
    return total


@inner
def _add_moves(kept, top, values, count, moved):
    """moved[i, j] += Σ kept[top - c, i] values[c, j] over n rows."""
    top = np.uint64(top)
    k = np.uint64(moved.shape[0])
    for b in range(ZERO, k, EIGHT):
        for i in range(ZERO, k):
            s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
            for c in range(ZERO, np.uint64(count)):
                a = kept[top - c, i]
                s0 += a * values[c, b]
                s1 += a * values[c, b + ONE]
                s2 += a * values[c, b + TWO]
                s3 += a * values[c, b + THREE]
                s4 += a * values[c, b + FOUR]
                s5 += a * values[c, b + FIVE]
                s6 += a * values[c, b + SIX]
                s7 += a * values[c, b + SEVEN]
            moved[i, b] += s0
            moved[i, b + ONE] += s1
            moved[i, b + TWO] += s2
            moved[i, b + THREE] += s3
            moved[i, b + FOUR] += s4
            moved[i, b + FIVE] += s5
            moved[i, b + SIX] += s6
            moved[i, b + SEVEN] += s7


@inner_dividing
def _forward(codes, first, last, marks, mark, step, table, seen, to):
    """Fill `seen` from row `to` on with what is proportional to the chances of states, by a row and those before it.

    Each row of it is scaled by the sum of the row before. marks[mark] has the chances of the row before `first`;
    those of the start if `mark` is zero. Return the log-likelihood and the sum of the last row.
    """
    k = step.shape[0]
    total, product, size = 0.0, 1.0, 1.0
    for t in range(first, last):
        at = t - first + to
        if t > first:
            size = _mixed(seen, at - 1, step, 1.0 / size, table, codes[t], seen, at)
        elif mark > 0:
            size = _mixed(marks, mark, step, 1.0, table, codes[t], seen, at)
        else:
            size = 0.0
            for j in range(k):
                seen[at, j] = marks[0, j] * table[codes[t], j]
                size += seen[at, j]
        if not size > 0.0:
            return -math.inf, 0.0
        product *= size
        if product < 1e-200 or product > 1e200:
            total += math.log(product)
            product = 1.0
    return total + math.log(product), size


@kernel
def scale_rows(table, out, largest):
    """out[i, j] = exp(table[i, j] - largest[i]), the largest of its row; zeros for a row without any likelihood."""
    n, k = table.shape
    for i in range(n):
        most = -math.inf
        for j in range(k):
            most = max(most, table[i, j])
        largest[i] = most if most > -math.inf else 0.0
        for j in range(k):
            x = table[i, j] - largest[i]
            out[i, j] = exp(x) if x > -700.0 else 0.0


@lanes
def filtered(codes, ends, start, step, table, out, found):
    """out[t] = chances of the states at row t by the rows up to it; found[s] = log-likelihood of sequence s."""
    first = 0
    for s in range(len(ends)):
        found[s] = _forward(codes, first, ends[s], start, 0, step, table, out, first)[0]
        first = ends[s]
    for t in range(len(codes)):
        total = 0.0
        for j in range(out.shape[1]):
            total += out[t, j]
        for j in range(out.shape[1]):
            out[t, j] /= total


@lanes
def carried(codes, begin, step, table, out, found):
    """out[i] = chances of the states at the last row, found[i] = log-likelihood, from begin[i] as those of the first.

    Walks from several begins go side by side: none waits for another. An impossible one has found[i] = -inf.
    """
    many, k = begin.shape
    now, after = np.zeros((many, k)), np.zeros((many, k))
    size, product = np.zeros(many), np.ones(many)
    for i in range(many):
        found[i] = 0.0
        for j in range(k):
            now[i, j] = begin[i, j] * table[codes[0], j]
            size[i] += now[i, j]
        product[i] = size[i]
    for t in range(1, len(codes)):
        for i in range(many):
            if size[i] > 0.0:
                size[i] = _mixed(now, i, step, 1.0 / size[i], table, codes[t], after, i)
                product[i] *= size[i]
                if product[i] < 1e-200 or product[i] > 1e200:
                    found[i] += math.log(product[i])
                    product[i] = 1.0
        now, after = after, now
    for i in range(many):
        found[i] = found[i] + math.log(product[i]) if size[i] > 0.0 else -math.inf
        for j in range(k):
            out[i, j] = now[i, j] / size[i] if size[i] > 0.0 else 0.0


@lanes
def expected_counts(codes, ends, weight, start, step, back, table, kept, began, moved, said, found):
    """Add how often states are expected at first rows, after each other (`moved`), and with each row of the table.

    `back` is `step` transposed; what goes to `moved` is still to be multiplied by `step`. `kept` has room for the
    chances at some rows: longer sequences are walked in windows, forward a second time. An impossible sequence adds
    nothing, and found[s] is -inf.
    """
    k, window = step.shape[0], kept.shape[0]
    longest, first = 0, 0
    for s in range(len(ends)):
        longest, first = max(longest, ends[s] - first), ends[s]
    marks, values = np.empty((longest // window + 1, k)), np.empty((BACKWARD_BLOCK_ROWS, k))
    marks[0] = start[0]
    beta, gamma, value = np.empty(k), np.empty(k), np.empty(k)
    first = 0
    for s in range(len(ends)):
        last, w, total, size = ends[s], weight[s], 0.0, 1.0
        for at in range(first, last, window):
            mark = (at - first) // window
            if mark > 0:
                for j in range(k):
                    marks[mark, j] = kept[window - 1, j] / size
            more, size = _forward(codes, at, min(at + window, last), marks, mark, step, table, kept, 0)
            total += more
            if total == -math.inf:
                break
        found[s] = total
        if total > -math.inf and last > first:
            at = first + (last - first - 1) // window * window
            for j in range(k):
                beta[j] = 1.0
                gamma[j] = kept[last - 1 - at, j] / size
                said[codes[last - 1], j] += w * gamma[j]
            scale, count = 1.0 / size, 0
            for t in range(last - 2, first - 1, -1):
                if t < at:  # the window before
                    _add_moves(kept, t - at + count, values, count, moved)
                    at, count = at - window, 0
                    _forward(codes, at, at + window, marks, (at - first) // window, step, table, kept, 0)
                here, after = np.uint64(codes[t]), np.uint64(codes[t + 1])
                for j in range(k):
                    value[j] = table[after, j] * beta[j]
                before = scale
                scale = 1.0 / _retreat(value, back, scale, kept, t - at, beta, gamma)
                both = w * scale
                for j in range(k):
                    values[count, j] = value[j] * (both * before)
                for j in range(k):
                    said[here, j] += both * gamma[j]
                count += 1
                if count == BACKWARD_BLOCK_ROWS:
                    _add_moves(kept, t - at + count - 1, values, count, moved)
                    count = 0
            _add_moves(kept, first - at + count - 1, values, count, moved)
            if last - first > 1:
                w *= scale
            for j in range(k):
                began[j] += w * gamma[j]
        first = last


@inner
def _likeliest(probabilities, at, step, likely, which):
    """chances[at + 1, j] = likely[which, j] + the largest of chances[at, i] + step[i, j], eight j side by side."""
    k, at, which = np.uint64(step.shape[0]), np.uint64(at), np.uint64(which)
    to = at + ONE
    for b in range(ZERO, k, EIGHT):
        s0 = probabilities[at, ZERO] + step[ZERO, b]
        s1 = probabilities[at, ZERO] + step[ZERO, b + ONE]
        s2 = probabilities[at, ZERO] + step[ZERO, b + TWO]
        s3 = probabilities[at, ZERO] + step[ZERO, b + THREE]
        s4 = probabilities[at, ZERO] + step[ZERO, b + FOUR]
        s5 = probabilities[at, ZERO] + step[ZERO, b + FIVE]
        s6 = probabilities[at, ZERO] + step[ZERO, b + SIX]
        s7 = probabilities[at, ZERO] + step[ZERO, b + SEVEN]
        for i in range(ONE, k):
            c = probabilities[at, i]
            s0 = max(s0, c + step[i, b])
            s1 = max(s1, c + step[i, b + ONE])
            s2 = max(s2, c + step[i, b + TWO])
            s3 = max(s3, c + step[i, b + THREE])
            s4 = max(s4, c + step[i, b + FOUR])
            s5 = max(s5, c + step[i, b + FIVE])
            s6 = max(s6, c + step[i, b + SIX])
            s7 = max(s7, c + step[i, b + SEVEN])
        probabilities[to, b] = s0 + likely[which, b]
        probabilities[to, b + ONE] = s1 + likely[which, b + ONE]
        probabilities[to, b + TWO] = s2 + likely[which, b + TWO]
        probabilities[to, b + THREE] = s3 + likely[which, b + THREE]
        probabilities[to, b + FOUR] = s4 + likely[which, b + FOUR]
        probabilities[to, b + FIVE] = s5 + likely[which, b + FIVE]
        probabilities[to, b + SIX] = s6 + likely[which, b + SIX]
        probabilities[to, b + SEVEN] = s7 + likely[which, b + SEVEN]


@lanes
def likeliest_path(codes, ends, start, step, table, out, found):
    """out[t] = the state at row t of the likeliest path (Viterbi), all in logarithms; found[s] = its log-probability.

    Where a path came from is looked up on the way back, at its own states only: of equal ones the first. An impossible
    sequence has found[s] = -inf.
    """
    k = step.shape[0]
    longest, first = 0, 0
    for s in range(len(ends)):
        longest, first = max(longest, ends[s] - first), ends[s]
    best = np.empty((longest, k))
    first = 0
    for s in range(len(ends)):
        last = ends[s]
        if last > first:
            for j in range(k):
                best[0, j] = start[0, j] + table[codes[first], j]
            for t in range(first + 1, last):
                _likeliest(best, t - first - 1, step, table, codes[t])
            state, n = 0, last - first
            for j in range(1, k):
                if best[n - 1, j] > best[n - 1, state]:
                    state = j
            found[s] = best[n - 1, state]
            out[last - 1] = state
            for t in range(n - 2, -1, -1):
                before, most = 0, best[t, 0] + step[0, state]
                for i in range(1, k):
                    other = best[t, i] + step[i, state]
                    if other > most:
                        before, most = i, other
                state = before
                out[first + t] = state
        first = last


@lanes
def likeliest_ends(codes, begin, step, table, out):
    """out[i, j] = the log-probability of the likeliest path to state j at the last row, from begin[i] at the first."""
    k = step.shape[0]
    best = np.empty((2, k))
    for i in range(len(begin)):
        for j in range(k):
            best[0, j] = begin[i, j] + table[codes[0], j]
        for t in range(1, len(codes)):
            _likeliest(best, 0, step, table, codes[t])
            for j in range(k):
                best[0, j] = best[1, j]
        for j in range(k):
            out[i, j] = best[0, j]


@kernel
def likeliest_paths(codes, start, step, table, out, found):
    """The likeliest paths of one sequence, as many as `out` has rows, in logarithms; found[r] = that of path r.

    There may be fewer: found[r] is -inf from there on.
    """
    n, k, count = len(codes), len(start), len(found)
    came = np.full((n, k, count), -1, np.int32)
    best, after = np.full((k, count), -np.inf), np.empty((k, count))
    heads = np.empty(k, np.int64)
    for j in range(k):
        best[j, 0] = start[j] + table[codes[0], j]
    for t in range(1, n):
        for j in range(k):
            heads[:] = 0
            for r in range(count):
                most, which = -np.inf, -1
                for i in range(k):
                    if heads[i] < count and best[i, heads[i]] + step[i, j] > most:
                        most, which = best[i, heads[i]] + step[i, j], i
                after[j, r] = most + table[codes[t], j]
                if which >= 0:
                    came[t, j, r] = which * count + heads[which]
                    heads[which] += 1
        best, after = after, best
    heads[:] = 0
    for r in range(count):
        most, which = -np.inf, -1
        for i in range(k):
            if heads[i] < count and best[i, heads[i]] > most:
                most, which = best[i, heads[i]], i
        found[r] = most
        if which >= 0:
            state, rank = which, heads[which]
            heads[which] += 1
            for t in range(n - 1, -1, -1):
                out[r, t] = state
                if t > 0:
                    both = came[t, state, rank]
                    state, rank = both // count, both % count


@kernel
def walk(draws, ends, start, step, out):
    """out[t] = a state drawn by draws[t], uniform below 1, from cumulated chances: `start`, then those of the last."""
    first = 0
    for s in range(len(ends)):
        for t in range(first, ends[s]):
            probabilities = start if t == first else step[out[t - 1]]
            state = 0
            while state < len(start) - 1 and draws[t] >= probabilities[state]:
                state += 1
            out[t] = state
        first = ends[s]
