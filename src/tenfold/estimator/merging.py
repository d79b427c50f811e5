"""Models add up: what `a + b`, `partial_fit` and `verify` are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tenfold.core import ONE, Certificate, Claim, MergeError
from tenfold.core.axes import recode
from tenfold.engine import one_blas_thread


def add(a: Any, b: Any) -> Any:
    """The model of both models' rows: never a scan, whatever the learner would ask for."""
    for model in (a, b):
        check_is_fitted(model)
        if model.summary_ is None:
            raise MergeError("a model that was saved without its summary does not merge")
    name = type(a).__name__
    if a.passes != ONE:
        raise MergeError(f"{name} reads its rows several times, so two of its models do not merge")
    if different := _different(a.get_params(), b.get_params()):
        raise MergeError(f"{name} models with different parameters do not merge: {different}")
    schema = a.schema_ + b.schema_
    if a.need.binary and schema.classes is not None and len(schema.classes) > 2:
        raise MergeError(f"{name} knows two classes; together these have {schema.classes.tolist()}")
    with one_blas_thread:
        summary = recode(a.summary_, a.schema_, schema) + recode(b.summary_, b.schema_, schema)
        state = a.update(a.start(schema), summary)
        claims = a.certify(state, summary) or ()
    if a.ask(state) is not None:
        claims += (
            Claim(
                "another scan",
                1.0,
                "proved",
                "a model of all rows would have read them once more; this one was merged without",
                "arithmetic",
            ),
        )
    merged = a._blank()
    merged.__dict__.update(
        {k: a.__dict__[k] for k in ("n_features_in_", "feature_names_in_") if k in a.__dict__}
    )
    merged.schema_, merged.state_, merged.summary_ = schema, state, summary
    merged.certificate_ = Certificate(tuple(claims), a.certificate_.provenance + b.certificate_.provenance)
    return merged


def verify(model: Any) -> Certificate:
    """The certificate computed anew, or an error that lists what differs."""
    check_is_fitted(model)
    if model.summary_ is None:
        raise ValueError("this model was saved without its summary: there is nothing to verify")
    with one_blas_thread:
        found = Certificate(model.certify(model.state_, model.summary_) or ())
    wrong = [
        f"{claim.kind}: the certificate says {said.value:.6g}, the summary {claim.value:.6g}"
        if (said := model.certificate_.get(claim.kind))
        else f"{claim.kind}: not in the certificate"
        for claim in found.claims
        if model.certificate_.get(claim.kind) != claim
    ]
    if wrong:
        raise ValueError("the certificate does not hold: " + "; ".join(wrong))
    model.certificate_ = model.certificate_.coming_from("verified")
    return model.certificate_


def _different(a: dict[str, Any], b: dict[str, Any]) -> str:
    pairs = ((k, a[k], b[k]) for k in a if not _equal(a[k], b[k]))
    return ", ".join(f"{k} is {x!r} and {y!r}" for k, x, y in pairs)


def _equal(x: Any, y: Any) -> bool:
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return np.array_equal(x, y)
    return bool(x == y)
