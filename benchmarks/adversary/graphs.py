"""Bayesian networks, held against the joint table of all variables."""

from __future__ import annotations

import itertools
import math
import tempfile
from typing import Any

import numpy as np

import tenfold as tn
from adversary.book import check
from adversary.case import Skip, close, must, refused


def network_drawn(random: Any, size: int) -> Any:
    """A network of few variables with few values, and tables with zeros, or with chances that are rare."""
    n = int(random.integers(1, 3 + min(size, 4)))
    names = [f"v{j}" for j in random.permutation(n)]
    values = {name: [f"{name}={k}" for k in range(int(random.integers(1, 4)))] for name in names}
    parents = {name: [p for p in names[:j] if random.random() < 0.5][:3] for j, name in enumerate(names)}
    rare = random.random() < 0.3
    tables = {}
    for name in names:
        shape = [len(values[p]) for p in parents[name]] + [len(values[name])]
        p = random.random(shape) * (random.random(shape) < 0.8) + (random.random(shape) < 0.05)
        if rare:
            p = p**8
        p[..., 0] += p.sum(axis=-1) == 0
        tables[name] = p / p.sum(axis=-1, keepdims=True)
    order = random.permutation(n)
    turned = {names[j]: values[names[j]] for j in order}
    return tn.BayesianNetwork(turned, parents, tables)


def joint_of(network: Any) -> tuple[list[str], Any]:
    """The table of all variables together."""
    names = list(network.values)
    sizes = [len(network.values[name]) for name in names]
    joint = np.zeros(sizes)
    for places in itertools.product(*(range(s) for s in sizes)):
        at = dict(zip(names, places, strict=True))
        joint[places] = math.prod(
            float(np.asarray(network.tables[name])[(*(at[p] for p in network.parents[name]), at[name])])
            for name in names
        )
    return names, joint


def evidence_drawn(random: Any, network: Any, names: list[str]) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Values of some variables, and the part of the joint table that has them."""
    known = {
        name: network.values[name][int(random.integers(len(network.values[name])))]
        for name in names
        if random.random() < 0.4
    }
    if len(known) == len(names):
        known.pop(names[0])
    where = tuple(
        slice(None) if name not in known else slice(at := network.values[name].index(known[name]), at + 1)
        for name in names
    )
    return known, where


@check("graphs", often=4.0)
def answers_are_those_of_the_joint_table(case: Any) -> None:
    """Queries, marginals, probabilities and the most probable values, against the joint table; impossible: refused."""
    random = case.random
    network = network_drawn(random, case.size)
    names, joint = joint_of(network)
    known, where = evidence_drawn(random, network, names)
    part = joint[where]
    total = float(part.sum())
    free = [name for name in names if name not in known]
    asked = [free[j] for j in random.permutation(len(free))[: int(random.integers(1, 3))]]
    close(
        network.probability(known) if known else 1.0,
        total if known else 1.0,
        1e-9,
        "probability of the evidence",
        size=1e-12,
    )
    if total == 0:
        refused(lambda: network.query(*asked, evidence=known))
        refused(lambda: network.marginals(known))
        refused(lambda: network.most_probable(evidence=known))
        return
    axes = [names.index(name) for name in asked]
    rest = tuple(j for j in range(len(names)) if j not in axes)
    by_hand = part.sum(axis=rest)
    order = np.argsort(np.argsort(axes))
    by_hand = np.transpose(by_hand, order) / total
    close(network.query(*asked, evidence=known).p, by_hand, 1e-9, f"query of {asked}")
    for name, table in network.marginals(known).items():
        at = names.index(name)
        close(
            table.p, part.sum(axis=tuple(j for j in range(len(names)) if j != at)) / total, 1e-9, f"marginal of {name}"
        )
    best = network.most_probable(evidence=known)
    close(best.probability, part.max() / total, 1e-9, "the most probable values")
    places = tuple(network.values[n].index({**known, **best.values}[n]) for n in names)
    close(joint[places], part.max(), 1e-9, "the probability of the values that are returned")


@check("graphs", often=1.0)
def separated_is_independent(case: Any) -> None:
    """Variables that the graph separates are independent in the joint table; an intervention cuts arrows."""
    random = case.random
    network = network_drawn(random, case.size)
    names, joint = joint_of(network)
    if len(names) < 2:
        raise Skip("one variable")
    a, b = (names[j] for j in random.permutation(len(names))[:2])
    given = [n for n in names if n not in (a, b) and random.random() < 0.4]
    if network.d_separated(a, b, given):
        kept = [names.index(n) for n in (a, b, *given)]
        table = joint.sum(axis=tuple(j for j in range(len(names)) if j not in kept))
        table = np.transpose(table, np.argsort(np.argsort(kept)))
        flat = table.reshape(table.shape[0], table.shape[1], -1)
        for j in range(flat.shape[2]):
            p = flat[:, :, j]
            if p.sum() > 1e-12:
                p = p / p.sum()
                close(p, np.outer(p.sum(axis=1), p.sum(axis=0)), 1e-7, f"{a} and {b} given {given}")
    value = network.values[a][0]
    after = network.do({a: value})
    must(not after.parents[a], f"{a} has parents after an intervention")
    close(after.query(a).p[0], 1.0, 1e-12, "the value that was set")


@check("graphs", often=1.0)
def intervals_of_samples_cover(case: Any) -> None:
    """Intervals from weighted samples cover the exact posterior as often as they claim, rare causes or not."""
    random = case.random
    tests = int(random.integers(1, 5))
    prior = 10.0 ** -random.uniform(0.5, 3.5)
    false, right = random.uniform(0.02, 0.3), random.uniform(0.7, 0.98)
    two = [0, 1]
    names = [f"t{j}" for j in range(tests)]
    network = tn.BayesianNetwork(
        {"ill": two, **dict.fromkeys(names, two)},
        {name: ["ill"] for name in names},
        {"ill": [1 - prior, prior], **{name: [[1 - false, false], [1 - right, right]] for name in names}},
    )
    seen = dict.fromkeys(names, 1)
    truth = float(network.query("ill", evidence=seen).p[1])
    missed, runs = 0, 30
    for seed in range(runs):
        found = network.likelihood_weighting("ill", evidence=seen, n_samples=50 * case.size + 50, random_state=seed)
        low, high = found.interval[:, 1]
        missed += not low - 1e-12 <= truth <= high + 1e-12
    must(missed <= 9, f"{missed} of {runs} intervals at 0.95 miss {truth:.4f}")


@check("graphs", often=1.0)
def files_of_networks_come_back(case: Any) -> None:
    """Written as BIF and read again: the same tables; rows drawn have the chances of the tables."""
    network = network_drawn(case.random, case.size)
    with tempfile.TemporaryDirectory() as folder:
        network.write_bif(f"{folder}/n.bif")
        back = tn.BayesianNetwork.read_bif(f"{folder}/n.bif")
    must(back.parents == network.parents, "other parents")
    for name in network.names:
        close(back.tables[name], network.tables[name], 1e-15, f"table of {name}")
    names, joint = joint_of(network)
    rows = network.sample(50, random_state=case.size)
    for j in range(50):
        places = tuple(network.values[n].index(rows[n][j]) for n in names)
        must(joint[places] > 0, "an impossible row was drawn")


@check("graphs", often=1.0)
def rows_are_answered_one_by_one(case: Any) -> None:
    """A network as a classifier: the posterior of each of many rows is that of its own query."""
    random = case.random
    network = network_drawn(random, case.size)
    names, joint = joint_of(network)
    if len(names) < 2:
        raise Skip("one variable")
    target, *others = (names[j] for j in random.permutation(len(names)))
    rows = network.sample(8, random_state=case.size)
    columns = {name: rows[name] for name in others[: int(random.integers(1, len(others) + 1))]}
    found = network.predict_proba(target, columns)
    for j in range(8):
        known = {name: values[j] for name, values in columns.items()}
        close(found[j], network.query(target, evidence=known).p, 1e-9, f"row {j}")
    must(joint.sum() > 0, "an empty joint table")
