"""Merging of models: `a + b`, `partial_fit` and `verify`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tenfold.core import ONE, SEQUENTIAL, Certificate, Claim, MergeError, Provenance
from tenfold.core.axes import is_record, recode, values
from tenfold.core.errors import short_repr, warn_user
from tenfold.core.rows.row_sketch import RowSketch, digest_of
from tenfold.core.schema import naming_columns
from tenfold.engine import one_blas_thread as one_blas_thread
from tenfold.estimator.updating.capabilities import remedy_for_more_rows

MIN_PLACES_FOR_INTERVAL = 30
"""places: of fewer, the spread between bootstraps is off by more than an eighth, and folds have one or two of them"""
MIN_DISTINCT_ROWS = 32
"""different rows that are not all equal by chance"""


def add(a: Any, b: Any, *, again: bool = False) -> Any:
    """The model of both models' rows: never a scan, whatever the learner would ask for."""
    for model in (a, b):
        check_is_fitted(model)
        if model.summary_ is None:
            raise MergeError(
                "a model without its summary does not merge: it was saved without it, or made from given parameters"
            )
    name = type(a).__name__
    if a.passes != ONE:
        how = "one row after another" if a.passes == SEQUENTIAL else "its rows several times"
        raise MergeError(f"{name} reads {how}, so two of its models do not merge. Remedy: {remedy_for_more_rows(a)}")
    if why := a.does_not_merge or b.does_not_merge:
        raise MergeError(why)
    if a.computed != b.computed:
        raise MergeError(
            f"{name} models of other computed columns do not merge: {_written(a.computed)} and {_written(b.computed)}. "
            "Remedy: the same `with_columns` for the rows of both"
        )
    if said := different(a.get_params(), b.get_params()):
        raise MergeError(f"{name} models with different parameters do not merge: {said}")
    if not again:
        _refuse_twice(a.certificate_.provenance, b.certificate_.provenance)
    where = a.certificate_.provenance + b.certificate_.provenance
    if a.draws_rows and where.overlap and where.places < MIN_PLACES_FOR_INTERVAL:
        raise MergeError(
            f"two {name} models of so few rows do not merge: both draw their rows by number, from the first on, so "
            f"only {where.places} draws would be left for {where.rows} rows. Remedy: partial_fit, which goes on "
            "numbering, or fit all rows at once"
        )
    schema = a.schema_ + b.schema_
    if a.need.binary and schema.classes is not None and len(schema.classes) > 2:
        raise MergeError(f"{name} takes two classes, but together these models have {schema.classes.tolist()}")
    with one_blas_thread(), refusing_arithmetic_errors(), naming_columns(schema):
        summary = recode(a.summary_, a.schema_, schema) + recode(b.summary_, b.schema_, schema)
        state = a.update(a.start(schema), summary)
        model = a.model(state)
        claims = claims_of(a, model, summary, where, a.ask(state) is not None)
    merged = a._blank()
    same = ("n_features_in_", "feature_names_in_", "_computed", "_named_by_step")
    merged.__dict__.update({k: a.__dict__[k] for k in same if k in a.__dict__})
    both = [k for k in a.decided if k in a.__dict__ and k in b.__dict__]
    merged.__dict__.update({k: a.__dict__[k] and b.__dict__[k] for k in both})
    merged._set(schema, model, summary, Certificate(claims, where))
    return merged


def _written(computed: Any) -> list[str]:
    """The names of computed columns, each with its expression."""
    return [f"{name} = {text}" for made in computed for name, text in made]


@contextmanager
def refusing_arithmetic_errors() -> Iterator[None]:
    """Raise for a summary that divides by zero or overflows: it cannot come from rows, but it may come from a file."""
    try:
        yield
    except ArithmeticError as error:
        raise MergeError(f"the summary holds numbers that no rows give ({type(error).__name__}: {error})") from None


def _refuse_twice(a: Provenance, b: Provenance) -> None:
    """Rows that are in both models would count twice; a few rows in memory may be equal by chance."""
    if not a.each_source & b.each_source:
        return
    which = next((s for s in (b.source, a.source) if digest_of(s) in a.each_source & b.each_source), "a source")
    text = (
        f"both models were made from the same rows ({which}), which would count twice. Remedy: add each model once; "
        "or partial_fit, or sample_weight, if they are to count twice"
    )
    distinct = min(len(RowSketch.read(one.marks).hashes) for one in (a, b))
    if distinct >= MIN_DISTINCT_ROWS or not which.startswith(("array", "table", "a source")):
        raise MergeError(text)
    warn_user(text)


def claims_of(learner: Any, model: Any, summary: Any, where: Provenance, asks: bool) -> tuple[Claim, ...]:
    """Return the claims of a model, and whether a fit would read the rows again or draw them otherwise."""
    claims: tuple[Claim, ...] = learner.certify(model, summary) or ()
    if asks:
        why = "a model of all rows would have read them once more; this one was merged without"
        claims += (Claim("another scan", 1.0, "proved", why, "arithmetic"),)
    if learner.draws_rows and where.overlap:
        why = (
            "an upper bound on the rows at the place of another in the models that were merged, drawn as often as it, "
            "or into the same fold; partial_fit draws each by itself"
        )
        claims += (Claim("rows drawn together", float(where.overlap), "proved", why, "data"),)
    return claims


def verify(model: Any) -> Certificate:
    """Recompute model and claims and return the certificate, or raise with the differences."""
    check_is_fitted(model)
    if model.summary_ is None:
        raise ValueError(
            "the model was saved without its summary, or made from given parameters, so it cannot be verified"
        )
    with one_blas_thread(), refusing_arithmetic_errors():
        wrong, asks = [], False
        if model.passes == ONE:  # else the summary was made at the model: `certify` sees that it was this one
            state = model.update(model.start(model.schema_), model.summary_)
            asks = model.ask(state) is not None
            wrong += [f"{n}_ is not what the summary gives" for n in _unlike(model, model.model(state), model.model_)]
        found = claims_of(model, model.model_, model.summary_, model.certificate_.provenance, asks)
    said: dict[str, list[Claim]] = {}
    for claim in model.certificate_.claims:
        said.setdefault(claim.kind, []).append(claim)
    for claim in Certificate(found).named(model.schema_).claims:
        other = said[claim.kind].pop(0) if said.get(claim.kind) else None
        if other is None:
            wrong.append(f"{claim.kind} = {claim.value:.6g} is missing")
        elif other != claim:
            wrong.append(f"{claim.kind}: it says {other.value:.6g}, the summary {claim.value:.6g}")
    wrong += [f"{kind} cannot be computed from the summary" for kind, left in said.items() if left]
    if wrong:
        raise ValueError("the certificate does not hold: " + "; ".join(wrong))
    verified: Certificate = model.certificate_.coming_from("verified")
    return verified


def _unlike(learner: Any, again: Any, model: Any) -> list[str]:
    """The fields in which two models of a learner differ; of a team, those of its members."""
    names = [
        name
        for name, field, value in values(again)
        if not is_record(field.type)
        and not np.array_equal(value, getattr(model, name), equal_nan=isinstance(value, np.ndarray))
    ]
    for (member, a), (_, b) in zip(learner.members_of(again), learner.members_of(model), strict=True):
        names += [f"{type(member).__name__}: {name}" for name in _unlike(member, a, b)]
    return names


def different(a: dict[str, Any], b: dict[str, Any]) -> str:
    """Return the names of the parameters in which two sets differ."""
    pairs = [(k, a[k], b[k]) for k in a if not _equal(a[k], b[k])]
    deepest = [one for one in pairs if not _is_told_by(one[0], one[1], pairs)]
    return ", ".join(f"{k} is {short_repr(x)} and {short_repr(y)}" for k, x, y in deepest or pairs)


def _is_told_by(name: str, value: Any, pairs: list[tuple[str, Any, Any]]) -> bool:
    """Whether parameters of members, which are listed too, say what differs in a learner or a list of learners."""
    members = {key.partition("__")[0] for key, _, _ in pairs if "__" in key}
    if any(key.startswith(f"{name}__") for key, _, _ in pairs):
        return True
    pairs_of_names = isinstance(value, list) and all(isinstance(one, tuple) and one for one in value)
    return pairs_of_names and any(one[0] in members for one in value)


def _equal(x: Any, y: Any) -> bool:
    if hasattr(x, "__array__") or hasattr(y, "__array__"):
        return np.array_equal(x, y)
    if hasattr(x, "get_params") and type(x) is type(y):
        return not different(x.get_params(), y.get_params())
    if isinstance(x, (list, tuple)) and type(x) is type(y):
        return len(x) == len(y) and all(map(_equal, x, y))
    return bool(x == y) or (x != x and y != y)  # NaN is NaN
