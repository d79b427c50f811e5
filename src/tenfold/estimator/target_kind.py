"""Base of transformers that use the target, whose kind (numbers or classes) may come from the rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from sklearn.utils.multiclass import type_of_target

from tenfold.core.need import Target
from tenfold.estimator.shell.kinds import Transformer
from tenfold.sources.tables import ArrowSource


def target_kind(X: Any, y: Any) -> Target:
    """Return whether a target holds numbers or classes, as scikit-learn decides; of a source, by its column type."""
    if y is not None and not hasattr(y, "dask"):
        return "number" if type_of_target(y, input_name="y").startswith("continuous") else "class"
    if isinstance(X, ArrowSource) and X.roles.target is not None:
        kind = X.types.field(X.roles.target).type
        return "number" if pa.types.is_floating(kind) or pa.types.is_decimal(kind) else "class"
    return "class"


class TargetTransformer(Transformer):
    """A subclass writes `with_target(kind)`: a copy, not fitted, for a target of numbers or of classes."""

    chooses_columns = True
    cross_fits = True

    def with_target(self, kind: Target) -> Any:
        """A copy for a target of this kind."""
        raise NotImplementedError

    def bound(self, X: Any, y: Any = None, target: Target | None = None) -> Any:
        return self._blank().with_target(target_kind(X, y) if target is None else target)

    def _fit(self, X: Any, y: Any, *args: Any, **given: Any) -> Any:
        fresh = self._blank()
        fresh._validate_params()
        fresh = fresh.bound(X, y)
        super(TargetTransformer, fresh)._fit(X, y, *args, **given)
        return self._become(fresh)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
