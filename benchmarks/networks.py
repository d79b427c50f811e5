"""Bayesian networks beside pgmpy: `python benchmarks/networks.py [--rows 1000000] [--pgmpy FOLDER]`.

Posteriors in a network of the size of the alarm network (37 variables, 46 edges, 2 to 4 values; the alarm network
itself with `--bif FILE`), and its tables from a million rows. pgmpy may be in a folder of its own (`pip install
--no-deps --target FOLDER pgmpy networkx tqdm pyparsing scikit-base`). Without pgmpy, and also: random networks of 40
to 1,000 variables are answered or refused before anything is allocated; the likelihood of EM never falls; the trees
of Chow and Liu are those that the rows were drawn from; intervals of likelihood weighting cover the exact answer.
Exits with 1 if a promise is missed.
"""

from __future__ import annotations

import argparse
import platform
import resource
import sys
import time
import warnings
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

import tenfold as tn
from tenfold.graphical.contraction import TooLarge
from workloads import Promises, seconds


def drawn(random: Any, n: int, edges: int, most_parents: int = 4, values: tuple[int, int] = (2, 4)) -> Any:
    """A random network with so many edges, each variable with few parents among those before it."""
    names = [f"v{at}" for at in range(n)]
    parents: dict[str, list[str]] = {name: [] for name in names}
    while sum(map(len, parents.values())) < edges:
        child = int(random.integers(1, n))
        parent = names[int(random.integers(max(0, child - 12), child))]
        some = parents[names[child]]
        if parent not in some and len(some) < most_parents:
            some.append(parent)
    sizes = {name: int(random.integers(values[0], values[1] + 1)) for name in names}
    tables = {
        name: random.dirichlet(np.ones(sizes[name]), size=tuple(sizes[one] for one in parents[name])) for name in names
    }
    return tn.BayesianNetwork({name: [f"s{k}" for k in range(sizes[name])] for name in names}, parents, tables)


def as_pgmpy(network: Any) -> Any:
    """The same network as pgmpy has it."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    out = DiscreteBayesianNetwork(network.edges)
    out.add_nodes_from(network.names)
    for name, table in network.tables.items():
        some = network.parents[name]
        out.add_cpds(
            TabularCPD(
                name, table.shape[-1], np.ascontiguousarray(table.reshape(-1, table.shape[-1]).T),
                evidence=list(some) or None, evidence_card=list(table.shape[:-1]) or None,
                state_names={one: list(network.values[one]) for one in (name, *some)},
            )
        )  # fmt: skip
    return out


def inference(network: Any, questions: int, promises: Promises) -> None:
    """Posteriors of one variable given four, by both; the answers must agree."""
    from pgmpy.inference import VariableElimination

    random = np.random.default_rng(1)
    rows = network.sample(questions, random_state=1)
    asks = []
    for at in range(questions):
        names = random.permutation(network.names)[:5].tolist()
        asks.append((names[0], {name: rows[name][at] for name in names[1:]}))
    asks = [(name, {key: str(value) for key, value in known.items()}) for name, known in asks]
    engine = VariableElimination(as_pgmpy(network))
    network.query(asks[0][0], evidence=asks[0][1])  # imports
    start = time.perf_counter()
    ours = [network.query(name, evidence=known).p for name, known in asks]
    taken = time.perf_counter() - start
    start = time.perf_counter()
    theirs = [engine.query([name], evidence=known, show_progress=False) for name, known in asks]
    peer = time.perf_counter() - start
    for (name, _), mine, other in zip(asks, ours, theirs, strict=True):
        order = [other.state_names[name].index(value) for value in network.values[name]]
        if not np.allclose(mine, other.values[order], atol=1e-9):
            promises.at_least(f"equal posteriors of {name}", 0.0, 1.0)
    each = 1e3 / questions
    print(f"inference, {network}: pgmpy {peer * each:.2f} ms a question, tenfold {taken * each:.2f} ms")
    promises.at_least("inference: pgmpy : tenfold", peer / taken, 1.0)
    once, _ = seconds(lambda: network.marginals(asks[0][1]), 3)
    print(f"  all marginals at once: {once * 1e3:.1f} ms")


def learning(network: Any, rows: int, promises: Promises) -> None:
    """The tables from rows of categories, as pgmpy draws them, and of text; the tables must agree.

    What is promised is of categories. Of text, to find out which values there are takes most of the time.
    """
    from pgmpy.models import DiscreteBayesianNetwork

    structure = {name: list(some) for name, some in network.parents.items() if some}
    text = pd.DataFrame(network.sample(rows, random_state=2))
    for kind, frame in (("categories", text.astype("category")), ("text", text)):
        learner = tn.BayesianNetworkDensity(structure, alpha=0.0)
        learner.fit(frame[:2000])
        taken, model = seconds(lambda learner=learner, frame=frame: learner.fit(frame), 3)
        found = model.network_
        peer = DiscreteBayesianNetwork(network.edges)
        peer.add_nodes_from(network.names)
        other, how = seconds(lambda peer=peer, frame=frame: _fit_pgmpy(peer, frame), 2)
        for cpd in peer.get_cpds():
            name = cpd.variable
            some = found.parents[name]
            axes = [cpd.variables.index(one) for one in (*some, name)]
            theirs = cpd.values.transpose(axes)
            order = [[cpd.state_names[one].index(value) for value in found.values[one]] for one in (*some, name)]
            if not np.allclose(theirs[np.ix_(*order)], found.tables[name], atol=1e-9):
                promises.at_least(f"equal tables of {name}", 0.0, 1.0)
        print(f"tables from {rows:,} rows of {kind}: pgmpy {other:.2f} s ({how}), tenfold {taken:.2f} s")
        promises.at_least(f"tables from {kind}: pgmpy : tenfold", other / taken, 5.0 if kind == "categories" else 1.0)


def _fit_pgmpy(network: Any, frame: Any) -> str:
    """Fit its tables by maximum likelihood, by whichever class this version has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pgmpy.parameter_estimator import DiscreteMLE

            network.fit(frame, estimator=DiscreteMLE(n_jobs=1))
            return "DiscreteMLE"
        except (ImportError, TypeError):
            network.fit(frame)
            return "fit"


def large(cases: int, promises: Promises) -> None:
    """Networks of 40 to 1,000 variables under a limit of memory: answered, or refused before anything is allocated."""
    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, limit[1]))
    answered = refused = wrong = 0
    slowest = 0.0
    for case in range(cases):
        random = np.random.default_rng([3, case])
        n = int(random.integers(40, 1001))
        network = drawn(random, n, int(n * random.uniform(1.0, 2.2)))
        known = {name: network.values[name][0] for name in network.order[-int(random.integers(0, 20)) - 1 :]}
        for ask in range(3):
            start = time.perf_counter()
            try:
                if ask:
                    found = [network.query(network.order[ask * n // 4], evidence=known, limit=1 << 24)]
                else:
                    found = list(network.marginals(known, limit=1 << 24).values())
                wrong += not all(abs(one.p.sum() - 1) < 1e-9 for one in found)
                answered += 1
            except TooLarge:
                refused += 1
                slowest = max(slowest, time.perf_counter() - start)
            except MemoryError:
                wrong += 1
    resource.setrlimit(resource.RLIMIT_AS, limit)
    print(f"{cases} networks of 40 to 1,000: {answered} answered, {refused} refused, the slowest in {slowest:.2f} s")
    promises.at_least("networks answered or refused", float(not wrong and answered > 0 and refused > 0), 1.0)


def em(cases: int, promises: Promises) -> None:
    """The likelihood of what rows have, round after round, with gaps and hidden variables."""
    from tenfold.sources.inputs import as_source

    worst = 0.0
    for case in range(cases):
        random = np.random.default_rng([4, case])
        n = int(random.integers(3, 8))
        network = drawn(random, n, int(random.integers(0, n)), 2, (2, 3))
        rows = pd.DataFrame(network.sample(80, random_state=case))
        rows = rows.mask(random.random(rows.shape) < random.choice([0.0, 0.2, 0.5]), other=None)
        hide = network.names[int(random.integers(n))]
        structure = {name: list(some) for name, some in network.parents.items()}
        latent = {hide: int(random.integers(2, 4))}
        learner = tn.BayesianNetworkEM(structure, latent, alpha=0.0, tol=0.0, random_state=case)
        source = as_source(rows.drop(columns=hide), None, None, learner.need)
        schema = source.known(learner.need) or source.schema_of(0, learner.need)
        state, before = learner.start(schema), -np.inf
        for _ in range(15):
            if (statistic := learner.ask(state)) is None:
                break
            summary = statistic.summarize(source.load(0, learner.need, schema))
            worst = max(worst, before - summary.log_likelihood / summary.weight)
            before = summary.log_likelihood / summary.weight
            state = learner.update(state, summary)
    print(f"{cases} runs of EM: the mean log-likelihood fell by {worst:.1e} at most")
    promises.at_least("EM never falls (by more than rounding)", float(worst < 1e-12), 1.0)


def trees(cases: int, promises: Promises) -> None:
    """Trees of 10 columns in which neighbours tell much of each other, from 20,000 rows."""
    right = 0
    for case in range(cases):
        random = np.random.default_rng([5, case])
        names = [f"v{at}" for at in range(10)]
        parents = {names[at]: [names[int(random.integers(at))]] for at in range(1, 10)}
        tables = {name: random.dirichlet([0.5, 0.5, 0.5], size=(3,) * (name in parents)) for name in names}
        tables["v0"] = np.full(3, 1 / 3)
        network = tn.BayesianNetwork(dict.fromkeys(names, ("a", "b", "c")), parents, tables)
        found = tn.BayesianNetworkDensity().fit(pd.DataFrame(network.sample(20_000, random_state=case)))
        right += {frozenset(edge) for edge in found.edges_} == {frozenset(edge) for edge in network.edges}
    print(f"trees of Chow and Liu: {right} of {cases} recovered")
    promises.at_least("share of trees recovered", right / cases, 0.9)


def coverage(cases: int, promises: Promises) -> None:
    """How often intervals of 95 percent hold the exact probability."""
    inside = total = 0
    for case in range(cases):
        random = np.random.default_rng([6, case])
        network = drawn(random, 12, 14, 3, (2, 3))
        row = network.sample(1, random_state=case)
        names = random.permutation(network.names).tolist()
        known = {name: str(row[name][0]) for name in names[1:4]}
        exact = network.query(names[0], evidence=known).p
        for state in range(10):
            found = network.likelihood_weighting(names[0], evidence=known, n_samples=2000, random_state=state)
            inside += bool(found.interval[0][0] <= exact[0] <= found.interval[1][0])
            total += 1
    print(f"likelihood weighting: {inside / total:.3f} of {total:,} intervals of 95 percent hold the exact probability")
    promises.at_least("coverage of 95 percent intervals", inside / total, 0.95 - 3 * (0.05 * 0.95 / total) ** 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--pgmpy", help="the folder that pgmpy is installed in")
    parser.add_argument("--bif", help="a network to measure with, instead of one drawn at random")
    given = parser.parse_args()
    if given.pgmpy:
        sys.path.append(given.pgmpy)
    promises = Promises()
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, numpy {version('numpy')}")
    large(given.cases // 2, promises)
    em(given.cases * 3, promises)
    trees(given.cases, promises)
    coverage(given.cases * 2, promises)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pgmpy.inference
    except ImportError:
        raise SystemExit("no pgmpy: nothing is beside it. Remedy: --pgmpy FOLDER") from None
    print(f"pgmpy {pgmpy.__version__}, pandas {version('pandas')}, opt_einsum {version('opt_einsum')}")
    network = tn.BayesianNetwork.read_bif(given.bif) if given.bif else drawn(np.random.default_rng(0), 37, 46)
    inference(network, given.questions, promises)
    learning(network, given.rows, promises)
    promises.settle()


if __name__ == "__main__":
    main()
