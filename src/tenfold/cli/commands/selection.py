"""Commands `tenfold compare` and `tune`: learners and parameters by cross-validation."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import tenfold as tn
from tenfold.cli import options
from tenfold.cli.output import check_can_write, show
from tenfold.cli.pipeline_for_table import described, learner_of, pipeline_for


def compare(
    data: options.Data,
    target: options.Target,
    learners: Annotated[list[str], typer.Option("--learner", "-l", help="Learners to compare; may be repeated.")],
    folds: options.Folds = "10",
    groups: options.Groups = None,
    scoring: options.Scoring = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    weight: options.Weight = None,
    where: options.Where = None,
    raw: options.Raw = False,
    engine: options.Engine = "local",
    as_json: options.AsJson = False,
) -> None:
    """Compare learners by cross-validation, in shared scans of the rows."""
    rows = options.scanned(data, target, drop=drop, categorical=categorical, weight=weight, where=where)
    asked = {name: learner_of(name) for name in options.listed(learners)}
    with options.on_engine(engine):
        if not raw:
            found = described(rows)
            asked = {name: pipeline_for(one, found)[0] for name, one in asked.items()}
        cv = tn.cross_validate(asked, rows, **_division(folds, groups, scoring))
    pairs = tn.compare_all(cv) if len(asked) > 1 else None
    each = pairs.to_dict() if isinstance(pairs, tn.Comparisons) else None
    document = {"scores": cv.to_dict(), "pairs": each, "best": cv.best}
    show(f"{cv}\n\n{pairs}" if pairs is not None else cv, document, as_json)


def tune(
    data: options.Data,
    target: options.Target,
    learner: options.Learner,
    grid: Annotated[
        list[str], typer.Option("--grid", "-g", help="Values of a parameter: NAME=VALUE,VALUE,...; may be repeated.")
    ],
    out: options.OptionalOut = None,
    parameters: options.Parameters = None,
    folds: options.Folds = "10",
    groups: options.Groups = None,
    scoring: Annotated[str | None, typer.Option("--scoring", help="The score, as scikit-learn names it.")] = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    weight: options.Weight = None,
    where: options.Where = None,
    raw: options.Raw = False,
    engine: options.Engine = "local",
    as_json: options.AsJson = False,
) -> None:
    """Choose parameters by cross-validation, and write the best model."""
    if out is not None:
        check_can_write(out, [".tenfold"])
    asked = learner_of(learner, parameters)
    values = {name: _grid_values(given) for name, given in map(options.named_value, grid)}
    learner_of(learner, [f"{name}={given[0]!r}" for name, given in values.items()])  # refuses names it does not have
    rows = options.scanned(data, target, drop=drop, categorical=categorical, weight=weight, where=where)
    with options.on_engine(engine):
        model, _ = (asked, []) if raw else pipeline_for(asked, described(rows))
        prefix = f"{model.steps[-1][0]}__" if isinstance(model, tn.Pipeline) else ""
        found = tn.tune(
            model, {prefix + name: given for name, given in values.items()}, rows,
            **_division(folds, groups, None if scoring is None else [scoring]),
        )  # fmt: skip
    if out is not None:
        found.best_estimator_.save(out)
    best = {name.removeprefix(prefix): given for name, given in found.best_params_.items()}
    said = "\n".join([str(found.results), *([f"{out}: the best model"] if out is not None else [])])
    show(said, {"best": best, "score": found.best_score_, "results": found.results.to_dict()}, as_json)


def _division(folds: str, groups: str | None, scoring: list[str] | None) -> dict[str, Any]:
    """Arguments of cross-validation."""
    wanted = options.listed(scoring)
    return {
        "folds": options.fold_option(folds), "groups": options.group_option(groups),
        "scoring": wanted[0] if len(wanted) == 1 else wanted or None,
    }  # fmt: skip


def _grid_values(text: str) -> list[object]:
    return [options.value(one.strip()) for one in text.split(",")]
