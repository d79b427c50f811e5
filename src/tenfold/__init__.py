"""tenfold: learning is merging.

A learner summarizes a chunk of rows, summaries merge, a model is made from the merged summary. So the
answer is the same on one thread and on many, in memory and out of core; models add up; and each carries a
certificate of how far it can be trusted.

Every public name is here, loaded when it is first used: `import tenfold` itself loads nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0.dev0"

_PLACES = {
    "tenfold.bayes.categorical_nb": ("CategoricalNB",),
    "tenfold.bayes.gaussian_nb": ("GaussianNB",),
    "tenfold.cluster.kmeans": ("KMeans",),
    "tenfold.compose.ada_boost_classifier": ("AdaBoostClassifier",),
    "tenfold.concept.find_s": ("FindS",),
    "tenfold.core.certificate": ("Certificate", "Claim", "Provenance"),
    "tenfold.core.errors": ("DataError", "MergeError", "ModelFileError"),
    "tenfold.core.stop": ("Gap", "Rounds", "Seconds"),
    "tenfold.engine.dask": ("Dask",),
    "tenfold.engine.local": ("Local",),
    "tenfold.engine.running": ("on",),
    "tenfold.estimator.checkpoint": ("Checkpoint",),
    "tenfold.estimator.model_file": ("load",),
    "tenfold.estimator.registry": ("register",),
    "tenfold.evaluate.certify": ("certify",),
    "tenfold.evaluate.compare": ("Comparison", "Comparisons", "Ranks", "compare", "compare_all"),
    "tenfold.evaluate.cross_validate": ("cross_validate",),
    "tenfold.evaluate.fit_together": ("fit_together",),
    "tenfold.evaluate.intervals": ("Interval", "difference_interval", "error_interval"),
    "tenfold.evaluate.results": ("CrossValidation",),
    "tenfold.evaluate.tune": ("Tuned", "tune"),
    "tenfold.linear.linear_regression": ("LinearRegression",),
    "tenfold.linear.ridge": ("Ridge",),
    "tenfold.preprocessing.max_abs_scaler": ("MaxAbsScaler",),
    "tenfold.preprocessing.min_max_scaler": ("MinMaxScaler",),
    "tenfold.preprocessing.one_hot": ("OneHot",),
    "tenfold.sources.scan": ("scan",),
    "tenfold.preprocessing.standard_scaler": ("StandardScaler",),
    "tenfold.preprocessing.unit_vector": ("UnitVector",),
}
_WHERE = {name: module for module, names in _PLACES.items() for name in names}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name in ("testing", "theory"):
        return import_module(f"tenfold.{name}")
    if name not in _WHERE:
        raise AttributeError(f"module 'tenfold' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
