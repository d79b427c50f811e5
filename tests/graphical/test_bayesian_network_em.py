from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

import tenfold as tn
from random_networks import joint, random_network
from tenfold.sources.inputs import as_source


def with_gaps(frame, share, seed=0):
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share, other=None)


def rounds(learner, rows, weight=None, n=12):
    """Round after round, as the loop goes: the summary of each, and the network it was made at."""
    source = as_source(rows, None, weight, learner.need)
    schema = source.known(learner.need) or source.schema_of(0, learner.need)
    state = learner.start(schema)
    for _ in range(n):
        summary = learner.ask(state).summarize(source.load(0, learner.need, schema))
        yield state.at.network, summary, schema
        state = learner.update(state, summary)
        if learner.ask(state) is None:
            return


def test_expected_counts_are_those_of_brute_force():
    """Every combination of every row that misses values, weighed by its posterior."""
    for case in range(12):
        random = np.random.default_rng([5, case])
        network = random_network(random, 5, least_values=2)
        rows = with_gaps(pd.DataFrame(network.sample(40, random_state=case)), 0.3, case)
        rows = rows.drop(columns="v2")  # never seen
        weight = random.integers(0, 3, 40).astype(float)
        structure = {name: list(some) for name, some in network.parents.items()}
        learner = tn.BayesianNetworkEM(structure, {"v2": len(network.values["v2"])}, alpha=0.0, random_state=case)
        (_, _, schema), (model, summary, _) = rounds(learner, rows, weight, n=2)
        names = [*rows.columns, "v2"]
        values = [*(c.categories.tolist() for c in schema.columns), range(len(network.values["v2"]))]
        at = model.network(names, values)
        whole = joint(at)
        expected = {name: np.zeros(table.shape) for name, table in at.tables.items()}
        likelihood = 0.0
        for row, w in zip(rows.astype(object).where(rows.notna(), None).to_dict("records"), weight):
            if not w:
                continue
            fits = [[k for k, v in enumerate(some) if row.get(name) in (v, None)] for name, some in zip(names, values)]
            cells = list(product(*fits))
            p = np.array([whole[cell] for cell in cells])
            likelihood += w * np.log(p.sum())
            for cell, share in zip(cells, w * p / p.sum()):
                place = dict(zip(names, cell))
                for name in names:
                    expected[name][tuple(place[one] for one in (*at.parents[name], name))] += share
        assert summary.log_likelihood == pytest.approx(likelihood)
        for name, count in zip(names, summary.tables()):
            np.testing.assert_allclose(count, expected[name], atol=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_the_likelihood_never_falls(alpha):
    """Networks with gaps and hidden variables: of alpha 0 the likelihood, else the likelihood and the prior."""
    for case in range(40):
        random = np.random.default_rng([6, case])
        network = random_network(random, 5, least_values=2)
        rows = with_gaps(pd.DataFrame(network.sample(60, random_state=case)), 0.25 * (case % 3), case)
        hide = network.names[case % 5]
        structure = {name: list(some) for name, some in network.parents.items()}
        learner = tn.BayesianNetworkEM(structure, {hide: 2}, alpha=alpha, tol=0.0, random_state=case)
        found = [learner._objective(model, s) for model, s, _ in rounds(learner, rows.drop(columns=hide))]
        assert len(found) > 1
        assert (np.diff(found) >= -1e-12).all()


def test_whole_rows_are_counted_in_one_round():
    rows = pd.DataFrame(random_network(np.random.default_rng(2), 5, least_values=2).sample(200))
    structure = {"v1": ["v0"], "v3": ["v0", "v2"]}
    em = tn.BayesianNetworkEM(structure, alpha=0.3).fit(rows)
    counted = tn.BayesianNetworkDensity(structure, alpha=0.3).fit(rows)
    np.testing.assert_allclose(em.model_.network.table, counted.model_.table, rtol=1e-12)
    np.testing.assert_allclose(em.score_samples(rows), counted.score_samples(rows), atol=1e-10)
    assert em.converged_
    assert em.n_iter_ <= 3


def test_what_misses_because_of_another_column_is_made_up_for():
    """Sick people answer less often: counting the rows that did is wrong, EM is right."""
    random = np.random.default_rng(0)
    sick = random.random(40_000) < 0.5
    smokes = random.random(40_000) < np.where(sick, 0.8, 0.2)
    told = random.random(40_000) < np.where(sick, 0.1, 0.9)
    rows = pd.DataFrame({"sick": sick, "smokes": pd.Series(smokes, dtype=object).where(told, None)})
    em = tn.BayesianNetworkEM({"smokes": ["sick"]}, alpha=0.0, tol=1e-10).fit(rows)
    assert em.network_.probability({"smokes": True}) == pytest.approx(0.5, abs=0.02)
    assert rows["smokes"].dropna().mean() < 0.3


def test_hidden_classes_are_found():
    truth = tn.BayesianNetwork(
        {"kind": [0, 1], **dict.fromkeys("abcdef", ("no", "yes"))},
        dict.fromkeys("abcdef", ("kind",)),
        {"kind": [0.4, 0.6], **{name: [[0.9, 0.1], [0.15, 0.85]] for name in "abcdef"}},
    )
    drawn = pd.DataFrame(truth.sample(5000))
    rows = with_gaps(drawn.drop(columns="kind"), 0.1)
    model = tn.BayesianNetworkEM(latent={"kind": 2}, tol=1e-7, max_iter=500).fit(rows)
    p = model.network_.predict_proba("kind", rows)
    right = (p.argmax(axis=1) == drawn["kind"]).mean()
    assert max(right, 1 - right) > 0.9
    assert sorted(model.network_.tables["kind"].round(1)) == [0.4, 0.6]
    assert model.edges_ == [("kind", name) for name in "abcdef"]
    assert model.score(rows) == pytest.approx(model.certificate_["log-likelihood"].value)
    assert 0 <= model.certificate_["next round gains"].value < 1e-6


def test_a_file_and_a_checkpoint_bring_it_back(tmp_path):
    rows = with_gaps(pd.DataFrame(random_network(np.random.default_rng(4), 4, least_values=2).sample(100)), 0.2)
    learner = tn.BayesianNetworkEM({"v1": ["v0", "h"]}, {"h": 2}, tol=1e-3)
    model = learner.fit(rows)
    model.save(tmp_path / "em.tenfold")
    again = tn.load(tmp_path / "em.tenfold")
    assert again.verify()
    assert again.score_samples(rows).tobytes() == model.score_samples(rows).tobytes()
    with pytest.raises(tn.MergeError, match="reads its rows several times"):
        model + again
    with pytest.warns(ConvergenceWarning, match="did not converge"):
        tn.BayesianNetworkEM({"v1": ["v0", "h"]}, {"h": 2}, tol=0.0, max_iter=2).fit(rows)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"latent": {"a": 2}}, "latent names 'a', which is a column"),
        ({"latent": {"h": 0}}, "number of values from 1 on"),
        ({"latent": {"h": True}}, "number of values from 1 on"),
        ({"structure": {"a": ["z"]}}, "structure names 'z', which is not a variable"),
        ({"structure": {"a": ["h"], "h": ["a"]}, "latent": {"h": 2}}, "cycle among"),
    ],
)
def test_what_is_no_graph_is_refused(params, message):
    with pytest.raises(ValueError, match=message):
        tn.BayesianNetworkEM(**params).fit(pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}))


def test_rows_that_miss_too_much_are_refused_before_anything_is_allocated():
    """A grid of variables, of which a row misses nearly all: no order keeps the tables small."""
    random = np.random.default_rng(0)
    rows = pd.DataFrame({f"c{i}_{j}": random.choice(list("abc"), 50) for i in range(20) for j in range(20)})
    rows.iloc[0, 1:] = None
    near = {f"c{i}_{j}": [f"c{a}_{b}" for a, b in ((i - 1, j), (i, j - 1)) if min(a, b) >= 0]
            for i in range(20) for j in range(20)}  # fmt: skip
    with pytest.raises(tn.DataError, match=r"rows that miss 399 variables need a table of .* numbers"):
        tn.BayesianNetworkEM(near).fit(rows)
