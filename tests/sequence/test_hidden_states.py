"""Sums and best paths along hidden states, against every path there is."""

import itertools

import numpy as np
import pytest

from tenfold.sequence import hidden_states
from tenfold.sequence.hidden_states import HiddenStates, SequenceRows


def chances(random, *shape):
    """Probabilities, a quarter of them zero."""
    found = random.dirichlet(np.ones(shape[-1]), shape[:-1]) * (random.random(shape) > 0.25)
    total = found.sum(axis=-1, keepdims=True)
    return np.where(total > 0, found / np.where(total > 0, total, 1.0), 1 / shape[-1])


def small(seed):
    """A model of few states and a short sequence, and the probability of each path with it."""
    random = np.random.default_rng(seed)
    k, m, n = random.integers(1, [4, 4, 7])
    start, step, emission = chances(random, k), chances(random, k, k), chances(random, k, m)
    seen = random.integers(0, m, n)
    with np.errstate(divide="ignore"):
        rows = SequenceRows(np.array([n]), seen, np.ascontiguousarray(np.log(emission.T)))
    paths = np.array(list(itertools.product(range(k), repeat=n)))
    p = start[paths[:, 0]] * emission[paths, seen].prod(axis=1)
    p = p * step[paths[:, :-1], paths[:, 1:]].prod(axis=1)
    return HiddenStates(start, step), rows, paths, p


@pytest.mark.parametrize("seed", range(60))
def test_equals_every_path(seed, monkeypatch):
    numbers = [8, 24, 1 << 22][seed % 3]  # windows of one row, of three, of all
    monkeypatch.setattr(hidden_states, "MAX_CACHED_NUMBERS", numbers)
    states, rows, paths, p = small(seed)
    posterior, score = states.posterior(rows)
    filtered, again = states.filtered(rows)
    path, best = states.likeliest(rows)
    few, each = states.likeliest_few(rows, 5)
    if p.sum() == 0:
        assert score[0] == again[0] == best[0] == -np.inf
        assert len(few) == 0
        return
    np.testing.assert_allclose([score[0], again[0], best[0]], np.log([p.sum(), p.sum(), p.max()]), atol=1e-12)
    share = p / p.sum()
    k, n = states.n, len(rows.codes)
    of = np.array([[share[paths[:, t] == i].sum() for i in range(k)] for t in range(n)])
    np.testing.assert_allclose(posterior, of, atol=1e-12)
    np.testing.assert_allclose(filtered[-1], of[-1], atol=1e-12)
    assert p[(paths == path).all(axis=1)] == pytest.approx(p.max(), rel=1e-12)
    expected = states.expected(rows, np.array([3.0]))
    moved = np.zeros((k, k))
    for some, weight in zip(paths, share, strict=True):
        np.add.at(moved, (some[:-1], some[1:]), 3 * weight)
    np.testing.assert_allclose(expected.moved, moved, atol=1e-12)
    np.testing.assert_allclose(expected.began, 3 * of[0], atol=1e-12)
    assert expected.emitted.sum() == pytest.approx(3 * n)
    np.testing.assert_allclose(each, np.log(np.sort(p[p > 0])[::-1][:5]), atol=1e-12)
    for some, log in zip(few, each, strict=True):
        assert np.log(p[(paths == some).all(axis=1)]) == pytest.approx(log, abs=1e-12)


def test_filtering_knows_the_rows_so_far():
    states, rows, _, _ = next(one for one in map(small, range(99)) if len(one[1].codes) > 4 and one[3].sum() > 0)
    filtered, _ = states.filtered(rows)
    for n in range(1, len(rows.codes) + 1):
        part = SequenceRows(np.array([n]), rows.codes[:n], rows.table)
        np.testing.assert_allclose(filtered[n - 1], states.posterior(part)[0][-1], atol=1e-12)


def test_many_sequences_are_as_one_after_the_other():
    random = np.random.default_rng(3)
    states = HiddenStates(chances(random, 9), chances(random, 9, 9))  # more than are worked on side by side
    table = np.log(random.dirichlet(np.ones(9), 4) + 1e-3)
    lengths = np.array([1, 5, 300, 2])
    ends, codes = lengths.cumsum(), random.integers(0, 4, lengths.sum())
    whole = states.expected(SequenceRows(ends, codes, table), np.array([1.0, 2.0, 0.5, 3.0]))
    each = [
        states.expected(SequenceRows(np.array([b - a]), codes[a:b], table), np.array([w]))
        for a, b, w in zip(ends - lengths, ends, [1.0, 2.0, 0.5, 3.0], strict=True)
    ]
    np.testing.assert_allclose(whole.moved, sum(one.moved for one in each), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(whole.emitted, sum(one.emitted for one in each), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(whole.log_likelihood, [one.log_likelihood[0] for one in each], rtol=1e-12)


def test_a_million_symbols_do_not_underflow(monkeypatch):
    random = np.random.default_rng(0)
    start, step = random.dirichlet(np.ones(3)), random.dirichlet(np.ones(3), 3)
    states, table = HiddenStates(start, step), np.log(random.dirichlet(np.ones(3), 50))
    rows = SequenceRows(np.array([1_000_000]), random.integers(0, 50, 1_000_000), table)
    whole = states.expected(rows, np.ones(1))
    assert whole.moved.sum() == pytest.approx(999_999, rel=1e-9)
    assert np.isfinite(whole.log_likelihood).all()
    monkeypatch.setattr(hidden_states, "MAX_CACHED_NUMBERS", 1 << 15)
    windows = states.expected(rows, np.ones(1))
    np.testing.assert_allclose(windows.moved, whole.moved, rtol=1e-12)
    np.testing.assert_allclose(windows.log_likelihood, whole.log_likelihood, rtol=1e-13)


def test_erratum_4_transitions_are_indexed_by_the_state_before_and_then_the_state_now():
    start, step = np.array([1.0, 0.0]), np.array([[0.1, 0.9], [0.4, 0.6]])
    states = HiddenStates(start, step)
    table = np.log(np.array([[0.7, 0.2], [0.3, 0.8]]))
    rows = SequenceRows(np.array([2]), np.array([0, 1]), table)
    first, second = 0.7 * 0.1 * 0.3, 0.7 * 0.9 * 0.8  # the state stays, or goes to the other one
    assert states.filtered(rows)[1][0] == pytest.approx(np.log(first + second))
    transposed = HiddenStates(start, np.ascontiguousarray(step.T))
    assert transposed.filtered(rows)[1][0] != pytest.approx(np.log(first + second))


def test_a_state_that_is_never_reached_may_be_likelier_than_any_number_can_say():
    """Rows after it are e^-2000 times as likely from where a path can be: sums are of possible paths alone."""
    n, start, step = 900, np.array([1.0, 0.0, 0.0]), np.array([[0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    seen = np.repeat([0, 1, 0], [40, n - 50, 10])
    table = np.log([[0.9, 0.9999, 0.0001], [0.1, 0.0001, 0.9999]])
    whole = HiddenStates(start, step).expected(SequenceRows(np.array([n]), seen, table), np.ones(1))
    few = HiddenStates(start[:2], step[:2, :2]).expected(
        SequenceRows(np.array([n]), seen, np.ascontiguousarray(table[:, :2])), np.ones(1)
    )
    assert whole.log_likelihood == pytest.approx(few.log_likelihood, rel=1e-13)
    np.testing.assert_allclose(whole.emitted[:, :2], few.emitted, rtol=1e-11)
    np.testing.assert_allclose(whole.moved[:2, :2], few.moved, rtol=1e-11)
    assert not whole.emitted[:, 2].any()
    assert not whole.moved[2].any()
