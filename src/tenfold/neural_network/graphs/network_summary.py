"""Summary of a trained network: its layers, their numbers of weights, how it was trained, and its certificate."""

from __future__ import annotations

import math
from typing import Any

from tenfold.estimator.summary_table import Summary
from tenfold.neural_network.mlp.network_weights import Network


def network_summary(model: Any) -> Summary:
    """The summary of a fitted MLPClassifier or MLPRegressor."""
    network = model._network(model.schema_)
    rows = [("input", f"{network.sizes[0]:,}", "", "0")]
    for name, table in model.embeddings_.items():
        rows.append((f"embedding of {name}", f"{table.shape[1]:,}", "", f"{table.size:,}"))
    each = [[math.prod(shape) for name, shape in some] for some in _layers(network)]
    for at, (units, counts) in enumerate(zip(network.sizes[1:], each, strict=True), 1):
        last = at == len(each)
        kind = model.out_activation_ if last else model.activation + (", batch norm" if network.batch_norm else "")
        rows.append(("output" if last else f"hidden {at}", f"{units:,}", kind, f"{sum(counts):,}"))
    total = sum(int(row[-1].replace(",", "")) for row in rows)
    curve, scores = model.loss_curve_, model.validation_scores_
    whole = {"lbfgs": "steps of L-BFGS", "cg": "steps of conjugate gradients"}
    what = whole.get(model.solver, f"epochs of {model.solver}, {model.t_:,} rows in all")
    facts = [f"{total:,} parameters, {8 * total:,} bytes", f"{model.n_iter_:,} {what}"]
    if len(curve):
        facts.append(f"loss {curve[-1]:.6g}, at first {curve[0]:.6g}")
    if len(scores):
        facts.append(f"validation score {scores.max():.6g}, of epoch {int(scores.argmax()) + 1}")
    claims = model.certificate_.claims
    notes = (
        ("How far this can be trusted", tuple(f"{c.kind} = {c.value:.6g} ({c.status}): {c.because}" for c in claims)),
    )
    header = ("layer", "units", "activation", "parameters")
    return Summary(type(model).__name__, tuple(facts), header, tuple(rows), notes)


def _layers(network: Network) -> list[list[tuple[str, tuple[int, ...]]]]:
    """What is learnt of each layer: not embeddings, nor running means and variances."""
    found: list[list[tuple[str, tuple[int, ...]]]] = []
    for name, shape in network.pieces:
        if name == "coef":
            found.append([])
        if name in ("coef", "intercept", "scale", "shift"):
            found[-1].append((name, shape))
    return found
