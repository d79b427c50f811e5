"""A pipeline for a table as people have it: numbers with gaps, categories, text and dates, in front of a learner.

Learners take numbers, some take categories, and few take missing values. The profile of the columns shows what has to
be done so that a learner can take all of them; what is done to which columns is returned in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import typer

import tenfold as tn
from tenfold.cli.options import named_value, value

if TYPE_CHECKING:
    from tenfold.inspection.profile.description import ColumnDescription, Description
    from tenfold.sources import Source

MAX_CATEGORIES = 64
"""distinct values of a column of text, up to which each is a category"""
WORDS, LISTED = 0.2, 500
"""share of the most frequent values, of so many, that have a space in a column of free text"""


def learner_of(name: str, parameters: Sequence[str] | None = None) -> Any:
    """Return an unfitted learner by the name of its class, with parameters such as `alpha=0.5`."""
    from tenfold.estimator import Estimator

    names = [one for one in dir(tn) if one[0].isupper()]
    made = getattr(tn, name) if name in names else None
    if not (isinstance(made, type) and issubclass(made, Estimator)):
        near = get_close_matches(name, names, 3, 0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise typer.BadParameter(f"there is no learner {name!r}{hint}", param_hint="--learner")
    learner = made()
    known = learner.get_params()
    for one in parameters or ():
        key, given = named_value(one)
        if key not in known:
            near = get_close_matches(key, known, 1, 0.5)
            hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(known)}"
            raise typer.BadParameter(f"{name} has no parameter {key!r}{hint}", param_hint="--set")
        learner.set_params(**{key: value(given)})
    learner._validate_params()
    return learner


def described(rows: Source) -> Description:
    """Return what the columns hold, with enough values of each to know free text from codes."""
    return tn.Profile(top=LISTED).fit(rows).describe()


def pipeline_for(learner: Any, found: Description) -> tuple[Any, list[str]]:
    """Put in front of a learner what it needs to take the columns of some rows.

    Returns
    -------
    model : learner or Pipeline
        The learner itself, if it takes the columns as they are.
    steps : list of str
        What is done to which columns.
    """
    need = learner.need
    if need.kinds == "categorical" or need.kinds == "text":
        return learner, []
    columns = {name: [c for c in found.columns if _group(c, found.rows) == name] for name in _GROUPS}
    if columns["refused"]:
        _refuse(columns["refused"], found.rows)
    gaps = any(c.missing > 0 for c in columns["numbers"]) and not need.missing
    takes_categories = need.kinds == "mixed"
    if not (gaps or columns["codes"] or columns["text"] or columns["dates"]) and (
        takes_categories or not columns["categories"]
    ):
        return learner, []
    branches: list[tuple[str, Any, list[str]]] = []
    if columns["numbers"]:
        branches.append(("numbers", *_for_numbers(gaps, need.missing, columns["numbers"])))
    if columns["categories"]:
        whole = takes_categories and all(c.missing == 0 or need.missing for c in columns["categories"])
        encoder = "passthrough" if whole else tn.OneHotEncoder(handle_unknown="ignore")
        branches.append(("categories", encoder, _names(columns["categories"])))
    if columns["codes"]:
        if need.target is None:
            branches.append(("codes", tn.OneHotEncoder(handle_unknown="ignore"), _names(columns["codes"])))
        else:
            branches.append(("codes", tn.TargetEncoder(), _names(columns["codes"])))
    branches += [(c.name, tn.TextFeatures(missing="empty"), [c.name]) for c in columns["text"]]
    if columns["dates"]:
        branches.append(("dates", tn.DateParts(), _names(columns["dates"])))
    said = [f"{', '.join(names)}: {_words(step)}" for _, step, names in branches]
    made = tn.ColumnTransformer(
        [(name, step, names[0] if name == names[0] else names) for name, step, names in branches]
    )
    return tn.make_pipeline(made, learner), said


_GROUPS = ("numbers", "categories", "codes", "text", "dates", "refused")


def _group(column: ColumnDescription, rows: float) -> str:
    """Return how a column enters."""
    if column.kind in ("number", "date"):
        return {"number": "numbers", "date": "dates"}[column.kind]
    if column.kind != "text":
        return "refused"
    if column.distinct <= MAX_CATEGORIES:
        return "categories"
    if sum(" " in part.label.strip() for part in column.parts) >= WORDS * len(column.parts):
        return "text"
    return "codes" if column.distinct < rows / 2 else "refused"


def _for_numbers(gaps: bool, takes_gaps: bool, columns: list[ColumnDescription]) -> tuple[Any, list[str]]:
    """Trees, which take missing values, take numbers as they are; for others gaps are filled, and columns scaled."""
    if takes_gaps:
        return "passthrough", _names(columns)
    scaler = tn.StandardScaler()
    return (tn.make_pipeline(tn.SimpleImputer(strategy="median"), scaler) if gaps else scaler), _names(columns)


def _refuse(columns: list[ColumnDescription], rows: float) -> None:
    names = ",".join(_names(columns))
    why = "; ".join(
        f"column {c.name!r} has {c.distinct:,.0f} distinct values in {rows:,.0f} rows, as ids have"
        if c.kind == "text"
        else f"column {c.name!r} holds values that no learner takes ({c.kind})"
        for c in columns
    )
    raise ValueError(f"{why}. Remedy: --drop {names}")


def _names(columns: list[ColumnDescription]) -> list[str]:
    return [column.name for column in columns]


def _words(step: Any) -> str:
    if isinstance(step, str):
        return "as they are"
    if isinstance(step, tn.Pipeline):
        return ", then ".join(type(one).__name__ for _, one in step.steps)
    return type(step).__name__
