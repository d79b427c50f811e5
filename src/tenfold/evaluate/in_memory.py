"""Estimators of scikit-learn in the same list: fitted in memory, to the same folds, judged by the same scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from tenfold.core import DataError
from tenfold.evaluate.folds import Plan


def scores_in_memory(
    entry: Any, clone: Any, X: Any, y: Any, source: Any, schema: Any, found: Plan, keep: bool = False
) -> list[tuple[int, int]]:
    """Fill in the entry's scores; rows to learn from and to be judged on, of each split."""
    codes = {id(key): codes_of(key, source, entry, schema, found) for key in {s.key for s in found.splits}}
    entry.scores = np.full((len(entry.scorers), len(found.splits)), np.nan)
    y = column_or_1d(y)
    classes = 0 if schema.classes is None else len(schema.classes)
    entry.scorers = tuple(scorer.among(schema.classes) for scorer in entry.scorers)
    sizes = []
    for j, split in enumerate(found.splits):
        mine = codes[id(split.key)]
        train, test = (np.flatnonzero(np.isin(mine, groups)) for groups in (split.train, split.test))
        model = clone(entry.given).fit(_rows(X, train), y[train])
        truth = y[test]
        kept: dict[Any, Any] = {}
        for i, scorer in enumerate(entry.scorers):
            if scorer.needs == "prediction":
                said = model.predict(_rows(X, test))
                said = np.searchsorted(schema.classes, said) if classes else said
            elif scorer.needs == "score" and classes == 2 and not hasattr(model, "predict_proba"):
                said = model.decision_function(_rows(X, test))
            elif not hasattr(model, "predict_proba"):
                raise DataError(f"{scorer.name!r} needs probabilities, which {entry.name} does not give")
            else:
                said = np.zeros((len(test), classes))
                said[:, np.searchsorted(schema.classes, model.classes_)] = model.predict_proba(_rows(X, test))
            real = np.searchsorted(schema.classes, truth) if classes else truth
            kept[scorer.summarize] = scorer.summarize(real, said, None, classes)
            entry.scores[i, j] = scorer.value(kept[scorer.summarize])
        if keep:
            entry.keep(j, kept.values())
        sizes.append((len(train), len(test)))
    return sizes


def codes_of(key: Any, source: Any, entry: Any, schema: Any, found: Plan) -> Any:
    """The group of every row."""
    each = []
    for part in range(len(source)):
        coder = key.coder(part)
        each += [coder(chunk) for chunk in source.chunks(part, entry.need, schema)]
    return np.concatenate(each)


def _rows(X: Any, which: Any) -> Any:
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, which)
