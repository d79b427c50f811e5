"""Fitted learners whose model was given, not estimated from rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tenfold.core import Certificate, Claim, Columns, Need, Provenance, Schema
from tenfold.sources import part_rows
from tenfold.sources.inputs import as_source
from tenfold.sources.label_codes import levels


def read_as(need: Need, X: Any) -> tuple[Schema, Columns]:
    """The schema of rows that hold what these do, and these rows as a learner with such a need reads them."""
    need = replace(need.without_target(), sequence=None, windows=False)
    with part_rows(len(X)):  # few rows: one part has all of them
        source = as_source(X, need=need)
        schema = source.schema_of(0, need)
        return schema, source.load(0, need, schema).X


def sorted_labels(labels: Any, name: str) -> tuple[Any, Any]:
    """Distinct labels in sorted order, as a target has them, and the place in the given order of each."""
    given = np.asarray(labels)
    if given.ndim != 1 or not len(given):
        raise ValueError(f"{name} must be a list of labels, not {labels!r}")
    found = levels(given, name)
    if len(found) != len(given):
        raise ValueError(f"{name} must differ from each other and not be missing, got {given.tolist()}")
    return found, np.argsort(np.searchsorted(found, given.astype(found.dtype)))


def with_model(learner: Any, schema: Schema, model: Any) -> Any:
    """Make a learner a fitted one by a model that was given."""
    learner._validate_params()
    learner.n_features_in_ = len(schema.columns)
    if schema.named:
        learner.feature_names_in_ = np.array(schema.names, dtype=object)
    why = "the parameters were given, not estimated: nothing is claimed of how well they fit any rows"
    claim = Claim("given", 1.0, "assumed", why, "objective")
    where = Provenance("given parameters", 0, 0, 0, 0.0, "no rows were read", ())
    learner._set(schema, model, None, Certificate((claim,), where))
    return learner
