"""A model for each key, from one scan: the cells of a cube, their hierarchy, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, Literal, cast

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import Bunch
from sklearn.utils.metaestimators import available_if

from tenfold.core import Codes, DataError, Flags, MatrixLike, MergeError, Schema, VectorLike
from tenfold.core.errors import warn_user
from tenfold.engine.cells.keys import Missing, hashes_of, hashes_of_key
from tenfold.engine.plan import NO_ROWS
from tenfold.estimator import Classifier
from tenfold.estimator.keyed_learner import KeyedLearner
from tenfold.estimator.updating.merging import different
from tenfold.models import cube_file
from tenfold.models.cell_outputs import CellOutputs, warn_of_coarser
from tenfold.models.class_outputs import OF_UNSEEN, ClassOutput, Method, gives
from tenfold.models.cross_validation.level_scores import LevelScores
from tenfold.models.cube_fit import Keyed, fit_cells, learner_that_applies, named_learners
from tenfold.models.cube_level import CubeLevel, Origin, Outputs, assembled, beside, predicts, transforms
from tenfold.models.gathered.fit_gathered import fit_gathered, table_source
from tenfold.models.gathered.gather_rows import row_tables
from tenfold.models.keyed_chunks import keyed_chunks, keyed_source
from tenfold.models.named_cubes import failed_of, models_of, table_of
from tenfold.models.pooling.pool_level import pool_level
from tenfold.models.pooling.pooled_cube import PooledCube, RandomTerms
from tenfold.models.pooling.pooled_tables import PooledTables
from tenfold.sources import is_lazy
from tenfold.sources.frames import materialized

Level = int | Literal["best"] | None
"""a number of columns of the key"""
SHOWN_CELLS = 3
"""keys that an error shows"""


class Cube(KeyedLearner, BaseEstimator):
    """A model for each key, from one scan of the rows.

    The rows of each key are a *cell*. Cells are found and summarized in the same scan, without a shuffle; a model is
    made of each summary. A cell has the bits of a fit to its rows alone in the same parts. Cells merge along the key:
    the model of a country from those of its stores, without the rows.

    Parameters
    ----------
    learner : learner, list or dict of learners
        Unfitted, of one pass: `Ridge()`, `LinearRegression()`, `GaussianNB()`, `StandardScaler()`, ..., or a pipeline
        of scalers or PCA before a linear model, whose steps are all made of one summary of the rows. Several are
        fitted in one scan, and what they have in common is computed once. Their names are those of a dict, or of pairs
        (name, learner); otherwise their classes in lower case, as `make_pipeline` has them.
    by : str or list of str
        The columns of the key, from the coarsest to the finest. They are not features.
    levels : list of str or of tuples of str, default=()
        Coarser keys whose cells are to be summarized from their rows as well. All other coarser keys are merged from
        the cells: the same model but for rounding.
    missing : {"error", "cell"}, default="error"
        What becomes of rows that miss a key: an error, or a cell of their own, whose key is None.
    cv : int or str, optional
        A number of folds that rows are dealt to at random, or the column that has the fold of each row: predictors are
        scored on held-out rows, by their own cell and by coarser keys. The models of all folds are made in the same
        scan. So are the scores of linear models; those of others take one more.
    shared_steps : bool, default=False
        Whether the cells of a pipeline share the steps before the last, as they are fitted to all rows. By default each
        cell has its own.
    gather : bool, default=False
        Whether to gather the rows, and to fit the learner to those of each cell: for learners that read their rows
        several times, such as `LogisticRegression`, trees, `KMeans` or boosting, and for any pipeline. The rows must
        fit in the memory that the runner may use, and the cube keeps them for coarser keys.

    Attributes
    ----------
    keys_ : pyarrow.Table
        The key of each cell, sorted.
    n_cells_ : int
    failed_ : pyarrow.Table
        Cells without a model: key, number of rows, and the reason.
    cross_validation_ : LevelScores
        With `cv`, the scores of held-out rows by cell and by level of the key.
    best_level_ : int
        With `cv`, how many columns of the key predict held-out rows best: all, if models of the cells do.
    named_cubes_ : Bunch
        Of several learners, the cube of each by its name.
    classes_ : array
        Of classifiers, the classes of all cells, sorted: the columns of `predict_proba`.
    n_features_in_ : int
    feature_names_in_ : array of str

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> sales = pd.DataFrame({
    ...     "country": ["FR", "FR", "FR", "DE", "DE", "DE"],
    ...     "store": [1, 1, 1, 1, 1, 2],
    ...     "size": [1.0, 2.0, 3.0, 1.0, 2.0, 5.0],
    ...     "price": [3.0, 5.0, 7.0, 1.0, 4.0, 2.0],
    ... })
    >>> cube = tn.Cube(tn.LinearRegression(), by=["country", "store"]).fit(tn.scan(sales, target="price"))
    >>> cube["FR", 1].coef_.round(6)
    array([2.])
    >>> cube["DE"].certificate_.provenance.rows
    3
    >>> cube.table().select(["country", "store", "rows", "status"]).to_pylist()[0]
    {'country': 'DE', 'store': 1, 'rows': 2, 'status': 'solved'}
    """

    _most: Codes | None = None
    """how many columns of the key each cell predicts by, if not all"""
    _by_class: ClassOutput | None = None
    """what rows become, if not predictions or transformed rows"""

    def __init__(
        self,
        learner: Any,
        by: str | Sequence[str],
        *,
        levels: Sequence[str | Sequence[str]] = (),
        missing: Missing = "error",
        cv: int | str | None = None,
        shared_steps: bool = False,
        gather: bool = False,
    ) -> None:
        self.learner = learner
        self.by = by
        self.levels = levels
        self.missing = missing
        self.cv = cv
        self.shared_steps = shared_steps
        self.gather = gather

    # ---- fitting -----------------------------------------------------------------------------------

    def fit(self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None) -> Cube:
        """Fit a model to the rows of each key.

        Parameters
        ----------
        X : frame or Source
            The rows, with the columns of the key. A Source brings its own target and weights.
        y : array, optional
        sample_weight : array, optional

        Returns
        -------
        self : Cube
        """
        keyed = Keyed(self._names(), self._levels(), self.missing, self._folds(), self._shared_steps())
        fit = fit_gathered if self.gather else fit_cells
        found = fit(named_learners(self.learner), keyed, X, y, sample_weight)
        for name in ("named_cubes_", "cross_validation_"):
            self.__dict__.pop(name, None)
        if not isinstance(self.learner, (Mapping, list, tuple)):
            self._become(found[0].schema, found[0].levels, found[0].lazy, found[0].scores)._warn_without_models()
            return self
        each = {}
        for (name, learner), one in zip(named_learners(self.learner), found, strict=True):
            cube = Cube(learner, self.by, levels=self.levels, missing=self.missing, cv=self.cv, gather=self.gather)
            each[name] = cube._become(one.schema, one.levels, one.lazy, one.scores)
            cube._warn_without_models(f"{name}: ")
        return self._become_named(each)

    @property
    def best_level_(self) -> int:
        """How many columns of the key have the models that predict held-out rows best."""
        return self._scores.best_level

    @property
    def _scores(self) -> LevelScores:
        self._refuse_named("best_level_")
        _ = self._level
        found: LevelScores | None = self.__dict__.get("cross_validation_")
        if found is None:
            raise AttributeError("no rows were held out. Remedy: Cube(..., cv=5).fit(rows)")
        return found

    def _warn_without_models(self, name: str = "") -> None:
        """Warn of a fit of which no cell has a model."""
        if self._level.without_models:
            many = "the only cell has no" if len(self) == 1 else f"none of {len(self):,} cells has a"
            warn_user(f"{name}{many} model. {self._level.commonest_reason}. `failed_` lists all reasons")

    def refuse_steps(self, steps: list[Any]) -> None:
        """Refuse the steps of a pipeline before a cube, which would change the columns of its key."""
        some = ", ".join(f"{type(step).__name__}()" for step in steps)
        raise TypeError(
            f"Cube deals rows by the columns {list(self._names())}, which the steps before it would change. Remedy: "
            f"the steps in the cube, Cube(make_pipeline({some}, {self.learner!r}), by={self.by!r}), where each cell "
            "has its own, or with shared_steps=True those of all rows"
        )

    def _become_named(self, each: Mapping[str, Cube]) -> Cube:
        """Take over cubes of one learner each."""
        self.named_cubes_ = Bunch(**each)
        first: Any = next(iter(each.values()))
        self.n_features_in_ = first.n_features_in_
        if "feature_names_in_" in first.__dict__:
            self.feature_names_in_ = first.feature_names_in_
        return self

    def _of_each(self, method: str, *given: Any, **more: Any) -> Cube:
        """Return the cube of what a method makes of the cube of each learner."""
        each = {name: getattr(cube, method)(*given, **more) for name, cube in self.named_cubes_.items()}
        by = next(iter(each.values())).by
        made = Cube(self.learner, by, levels=self.levels, missing=self.missing, gather=self.gather)
        return made._become_named(each)

    def _refuse_named(self, call: str) -> None:
        """Refuse what is of one learner."""
        if self._named:
            name = next(iter(self.named_cubes_))
            raise TypeError(f"this cube has several learners. Remedy: cube.named_cubes_[{name!r}].{call}, of one")

    def _refuse_gathered(self, what: str) -> None:
        """Refuse what is made of summaries."""
        if self.gather:
            raise TypeError(
                f"cells of gather=True {what} have no summaries. Remedy: gather=False, with a learner of one pass"
            )

    @property
    def _named(self) -> bool:
        """Whether this is the cube of several learners, by their names."""
        return "named_cubes_" in self.__dict__

    def _become(
        self, schema: Schema, levels: Sequence[CubeLevel], lazy: bool = True, scores: LevelScores | None = None
    ) -> Cube:
        """Take over the levels of a fit; the first is that of the whole key."""
        if scores is not None:
            self.cross_validation_ = scores
        self._schema, self._lazy = schema, lazy
        self._found = {level.names: level for level in levels}
        self._finest = levels[0]
        self.n_features_in_ = len(schema.columns)
        if schema.named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        return self

    def _with(self, levels: Sequence[CubeLevel], by: Sequence[str]) -> Cube:
        """Return a cube of other cells of the same rows."""
        made = Cube(self.learner, list(by), levels=(), missing=self.missing, gather=self.gather)
        return made._become(self._schema, levels, self._lazy)

    def _names(self) -> tuple[str, ...]:
        """The columns of the key."""
        names = (self.by,) if isinstance(self.by, str) or not isinstance(self.by, Iterable) else tuple(self.by)
        if not names or not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
            raise ValueError(f"by must be the names of different columns, not {self.by!r}")
        if self.missing not in ("error", "cell"):
            raise ValueError(f"missing must be 'error' or 'cell', not {self.missing!r}")
        return names

    def _folds(self) -> int | str | None:
        """The number of folds, or the column that has them."""
        cv = self.cv
        if cv is None or (isinstance(cv, str) and cv not in self._names()):
            return cv
        if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool) and cv >= 2:
            return int(cv)
        raise ValueError(f"cv must be a number of folds from 2 on, or a column that is none of the key, not {cv!r}")

    def _shared_steps(self) -> bool:
        """Whether cells share the steps of a pipeline before the last."""
        if not isinstance(self.shared_steps, (bool, np.bool_)):
            raise ValueError(f"shared_steps must be True or False, not {self.shared_steps!r}")
        if self.shared_steps and self.cv is not None:
            raise ValueError(
                "steps that all rows share have seen the held-out rows too. Remedy: shared_steps=False, or cv=None"
            )
        return bool(self.shared_steps)

    def _levels(self) -> tuple[tuple[str, ...], ...]:
        """The keys whose cells are summarized from rows, the finest first."""
        names, found = self._names(), [self._names()]
        for level in (self.levels,) if isinstance(self.levels, str) else self.levels:
            some = (level,) if isinstance(level, str) else tuple(level)
            if not some or not {*some} <= {*names} or len({*some}) < len(some):
                raise ValueError(f"levels must name columns of the key, {list(names)}, not {some}")
            found.append(tuple(name for name in names if name in some))
        return tuple(dict.fromkeys(found))

    # ---- cells -------------------------------------------------------------------------------------

    @property
    def _level(self) -> CubeLevel:
        if self._named:
            first: Cube = next(iter(self.named_cubes_.values()))
            return first._level
        found = self.__dict__.get("_finest")
        if found is None:
            raise NotFittedError("this Cube is not fitted yet. Remedy: cube.fit(rows)")
        level: CubeLevel = found
        return level

    def __sklearn_is_fitted__(self) -> bool:
        return "_finest" in self.__dict__ or self._named

    def __len__(self) -> int:
        return len(self._level)

    @property
    def n_cells_(self) -> int:
        """How many cells there are."""
        return len(self)

    @property
    def keys_(self) -> pa.Table:
        """The key of each cell, sorted."""
        level = self._level
        return level.keys.values.take(pa.array(level.in_order))

    @property
    def failed_(self) -> pa.Table:
        """Cells without a model: key, number of rows, and the reason."""
        if self._named:
            return failed_of(self.named_cubes_)
        table, names = self.table(), self._level.names
        some = table.filter(pa.compute.equal(table[beside("status", names)], "failed"))
        return some.select([*names, beside("rows", names), beside("reason", names)])

    def __contains__(self, key: Any) -> bool:
        return self._level.place(_as_key(key)) >= 0 if len(_as_key(key)) == len(self._level.names) else False

    def __getitem__(self, key: Any) -> Any:
        """Return the fitted learner of a cell; of the first columns of the key, that of all cells with these values.

        Parameters
        ----------
        key : value, or tuple of values

        Returns
        -------
        learner : learner, or Bunch
            Of several learners, each by its name.
        """
        if self._named:
            return Bunch(**models_of(self.named_cubes_, key))
        level, key = self._level, _as_key(key)
        if len(key) > len(level.names):
            raise KeyError(f"a key has {len(level.names)} values, {list(level.names)}, not {len(key)}")
        if len(key) < len(level.names):
            coarser = self._found.get(level.names[: len(key)])
            level = self._merged_cell(key) if coarser is None else coarser
        else:
            level = level.around(key)
        place = level.place(key)
        if place < 0:
            raise KeyError(self._no_cell(level, key))
        if not level.models.solved[place]:
            reason, where = (
                level.models.reasons.get(place, "its rows give none"),
                level.described(place) or "of all rows",
            )
            raise DataError(f"there is no model {where}: {reason.rstrip('.')}. `failed_` lists all cells without one")
        return level.fitted(place)

    def _merged_cell(self, key: tuple[Any, ...]) -> CubeLevel:
        """Return the one cell that all cells below a shorter key merge into."""
        level = self._level
        names = level.names[: len(key)]
        keep = np.ones(len(level), bool)
        for name, value in zip(names, key, strict=True):
            keep &= _is_among(level, name, [value])
        among = level.in_order[keep[level.in_order]]
        if not len(among):
            raise KeyError(self._no_cell(level, key))
        return level.rolled_up(names, among)

    def _no_cell(self, level: CubeLevel, key: tuple[Any, ...]) -> str:
        some = [level.key(place) for place in level.in_order[:SHOWN_CELLS].tolist()]
        said = ", ".join(repr(one if len(one) > 1 else one[0]) for one in some)
        return f"there is no cell {key if len(key) != 1 else key[0]!r}; `keys_` lists all {len(level):,}: {said}, ..."

    def rollup(self, *by: str) -> Cube:
        """Return the cube of fewer columns of the key, merged from the cells in the order of their keys.

        Levels that were named in `levels` are those that were summarized from the rows.

        Parameters
        ----------
        *by : str
            Columns of the key; none gives the one cell of all rows.

        Returns
        -------
        cube : Cube
        """
        if self._named:
            return self._of_each("rollup", *by)
        level = self._coarser(self._among_names(by))
        return self._with([level], level.names)

    def _coarser(self, names: tuple[str, ...]) -> CubeLevel:
        """Return the level of some columns of the key; it is kept."""
        if names not in self._found:
            self._found[names] = self._level.rolled_up(names)
        return self._found[names]

    def _among_names(self, by: Sequence[str]) -> tuple[str, ...]:
        names = self._level.names
        if not {*by} <= {*names}:
            wrong = sorted({*by} - {*names})
            raise ValueError(
                f"cells merge, and cannot be split: the key has the columns {list(names)}, and not {wrong}. Remedy: "
                f"fit with by={[*names, *wrong]}"
            )
        return tuple(name for name in names if name in by)

    def sel(self, **keys: Any) -> Cube:
        """Return the cells with some values of the key.

        Parameters
        ----------
        **keys : value or list of values
            By the name of the column.

        Returns
        -------
        cube : Cube
        """
        if self._named:
            return self._of_each("sel", **keys)
        level = self._level
        self._among_names(tuple(keys))
        keep = np.ones(len(level), bool)
        for name, wanted in keys.items():
            some = wanted if isinstance(wanted, Iterable) and not isinstance(wanted, str) else [wanted]
            keep &= _is_among(level, name, some)
        if not keep.any():
            raise KeyError(f"there is no cell with {', '.join(f'{name} = {value!r}' for name, value in keys.items())}")
        return self._with([level.only(np.flatnonzero(keep))], level.names)

    def __add__(self, other: Cube) -> Cube:
        """Return the cube of the rows of both: cells with the same key merge."""
        if not isinstance(other, Cube):
            return NotImplemented
        if self._named or other._named:
            return self._sum_of_named(other)
        if self.gather or other.gather:
            raise MergeError("cells that were fitted to gathered rows do not merge. Remedy: a fit to the rows of both")
        a, b = self._level, other._level
        if a.names != b.names:
            raise MergeError(f"cubes of different keys do not merge: {list(a.names)} and {list(b.names)}")
        if type(a.learner) is not type(b.learner):
            raise MergeError(f"cubes of {type(a.learner).__name__} and {type(b.learner).__name__} do not merge")
        if text := different(a.learner.get_params(), b.learner.get_params()):
            raise MergeError(f"cubes of learners with different parameters do not merge: {text}")
        if self._schema != other._schema:
            raise MergeError(
                "cubes of rows with different columns, categories or classes do not merge. Remedy: the same columns, "
                "and categories or classes that both have"
            )
        if a.origin.computed != b.origin.computed:
            raise MergeError(
                "cubes of other computed columns do not merge. Remedy: the same `with_columns` for the rows of both"
            )
        if {*a.origin.source.split(" + ")} & {*b.origin.source.split(" + ")}:
            raise MergeError("both cubes were made from the same rows, which would count twice. Remedy: add each once")
        both = [name for name in self._found if name in other._found and name and self._found[name].direct]
        levels = [_sum(self._found[name], other._found[name]) for name in both if other._found[name].direct]
        if not levels or levels[0].names != a.names:
            levels = [_sum(a, b), *levels]
        made = Cube(self.learner, self.by, levels=self.levels, missing=self.missing)
        return made._become(self._schema, levels, self._lazy)

    def _sum_of_named(self, other: Cube) -> Cube:
        """Return the cube of the rows of both, learner by learner."""
        names = [list(cube.named_cubes_) if cube._named else [] for cube in (self, other)]
        if names[0] != names[1]:
            raise MergeError(f"cubes of other learners do not merge: {names[0]} and {names[1]}")
        each = {name: cube + other.named_cubes_[name] for name, cube in self.named_cubes_.items()}
        return Cube(self.learner, self.by, levels=self.levels, missing=self.missing)._become_named(each)

    # ---- what is made of them ----------------------------------------------------------------------

    def table(self, *by: str) -> pa.Table:
        """Return a table with a row for each cell: its key, number of rows, status, and the numbers of its model.

        Parameters
        ----------
        *by : str
            Columns of the key, for the cells of a rollup; by default all.

        Returns
        -------
        table : pyarrow.Table
            `.to_pandas()`, and `polars.from_arrow`, make a frame of it. A status is "solved", "another scan" (a fit of
            the cell's rows alone would have read them again, to gain digits) or "failed", with a reason. With `cv`
            there are the score of held-out rows by the cell's own model, its interval of 95 percent, and the number of
            columns of the key by which they were predicted best.
        """
        if self._named:
            return table_of(self.named_cubes_, self._among_names(by))
        table = (self._coarser(self._among_names(by)) if by else self._level).table()
        return table if by or "cross_validation_" not in self.__dict__ else self._scores.beside_cells(table)

    @available_if(lambda self: self._has_kind(transforming=False))
    def predict(self, X: MatrixLike, *, level: Level = None, return_level: bool = False) -> Any:
        """Predict each row by the model of its cell; a row without one, by the first coarser key that has a model.

        Parameters
        ----------
        X : frame or Source
            Rows with the columns of the features and of the key.
        level : int or "best", optional
            How many columns of the key to predict by, at most: 0 is the model of all rows. "best" takes, for each cell,
            the level that predicted its held-out rows best, of a cube with `cv`. By default the whole key.
        return_level : bool, default=False
            Whether to return how many columns of the key the model of each row was found by. Without it, a warning
            gives the number of rows that have no model of their own.

        Returns
        -------
        y : array of shape (rows,), or lazy outputs
            Those for a Source are computed when they are read, part by part: `collect`, or `to_parquet`. Of several
            learners, a Bunch of what each predicts.
        level : array of int, or lazy outputs, if `return_level`
            The number of columns of the key: all of them, if the cell of the row has a model; 0, if it is the model of
            all rows.
        """
        return self._of_kind("predict", X, return_level, level)

    @available_if(lambda self: self._gives("predict_proba"))
    def predict_proba(self, X: MatrixLike, *, level: Level = None, return_level: bool = False) -> Any:
        """Return the probability of each class for each row, by the model of its cell as in `predict`.

        Parameters
        ----------
        X : frame or Source
            Rows with the columns of the features and of the key.
        level : int or "best", optional
            As in `predict`.
        return_level : bool, default=False
            As in `predict`.

        Returns
        -------
        p : array of shape (rows, classes), or lazy outputs
            A column for each of `classes_`: 0 of a class that the cell has never seen.
        level : array of int, or lazy outputs, if `return_level`

        Examples
        --------
        >>> import pandas as pd, tenfold as tn
        >>> rows = pd.DataFrame({
        ...     "store": [1, 1, 1, 1, 2, 2, 2, 2],
        ...     "size": [1.0, 2.0, 8.0, 9.0, 1.0, 2.0, 3.0, 4.0],
        ...     "kind": ["a", "a", "c", "c", "a", "a", "b", "b"],
        ... })
        >>> cube = tn.Cube(tn.GaussianNB(), by="store").fit(tn.scan(rows, target="kind"))
        >>> cube.classes_.tolist()
        ['a', 'b', 'c']
        >>> cube.predict_proba(pd.DataFrame({"store": [1, 2], "size": [5.0, 2.5]})).round(3).tolist()
        [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
        """
        return self._of_kind("predict_proba", X, return_level, level)

    @available_if(lambda self: self._gives("predict_log_proba"))
    def predict_log_proba(self, X: MatrixLike, *, level: Level = None, return_level: bool = False) -> Any:
        """Return the logarithm of `predict_proba`, without its underflow.

        Parameters
        ----------
        X : frame or Source
            Rows with the columns of the features and of the key.
        level : int or "best", optional
            As in `predict`.
        return_level : bool, default=False
            As in `predict`.

        Returns
        -------
        log_p : array of shape (rows, classes), or lazy outputs
            A column for each of `classes_`: minus infinity of a class that the cell has never seen.
        level : array of int, or lazy outputs, if `return_level`
        """
        return self._of_kind("predict_log_proba", X, return_level, level)

    @available_if(lambda self: self._gives("decision_function"))
    def decision_function(self, X: MatrixLike, *, level: Level = None, return_level: bool = False) -> Any:
        """Return the scores of the classes for each row, by the model of its cell as in `predict`.

        Parameters
        ----------
        X : frame or Source
            Rows with the columns of the features and of the key.
        level : int or "best", optional
            As in `predict`.
        return_level : bool, default=False
            As in `predict`.

        Returns
        -------
        scores : array of shape (rows, classes), or (rows,) of two classes, or lazy outputs
            The class with the highest is predicted; of two, the second if it is above 0. Of more classes, a cell that
            has seen two gives their score with either sign. A class that the cell has never seen has minus infinity.
        level : array of int, or lazy outputs, if `return_level`
        """
        return self._of_kind("decision_function", X, return_level, level)

    @property
    def classes_(self) -> Any:
        """The classes of all cells, sorted: of a cube of classifiers. `cube[key].classes_` are those of one."""
        if self._named:
            raise AttributeError("this cube has several learners. Remedy: cube.named_cubes_[name].classes_, of one")
        found = self._level.classes
        if found is None or not isinstance(learner_that_applies(self.learner), Classifier):
            raise AttributeError(f"{type(self.learner).__name__} is no classifier, so its cube has no classes_")
        return found

    @available_if(lambda self: self._has_kind(transforming=True))
    def transform(self, X: MatrixLike, *, return_level: bool = False) -> Any:
        """Transform each row by the transformer of its cell; a row without one, by that of a coarser key.

        Parameters
        ----------
        X : frame or Source
            Rows with the columns of the features and of the key.
        return_level : bool, default=False
            As in `predict`.

        Returns
        -------
        rows : array of shape (rows, columns), or lazy outputs
            As in `predict`.
        level : array of int, or lazy outputs, if `return_level`
        """
        return self._of_kind("transform", X, return_level)

    def _has_kind(self, transforming: bool) -> bool:
        """Whether a learner transforms rows, or whether one predicts."""
        return any(
            transforms(one) if transforming else predicts(one)
            for one in (learner_that_applies(given) for _, given in named_learners(self.learner))
        )

    def _gives(self, method: Method) -> bool:
        """Whether a learner is a classifier that has a method."""
        return any(gives(learner_that_applies(given), method) for _, given in named_learners(self.learner))

    def _of_kind(self, method: str, X: MatrixLike, return_level: bool, level: Level = None) -> Any:
        """Return what a method makes of rows; of several learners, of each that has it."""
        if self._named:
            X = materialized(X)
            some = {name: cube for name, cube in self.named_cubes_.items() if hasattr(cube, method)}
            return Bunch(**{name: cube._of_kind(method, X, return_level, level) for name, cube in some.items()})
        asked = copy(self)
        if level is not None:
            asked._most = self._most_columns(level)
        if method in OF_UNSEEN:
            asked._by_class = ClassOutput(cast(Method, method), self.classes_)
        return asked._outputs(X, return_level)

    def _outputs(self, X: MatrixLike, return_level: bool) -> Any:
        level = self._level
        keys = level.keys.values.schema
        if self.gather:
            return self._assembled(self._gathered_rows(X, keys), return_level)
        if is_lazy(X):
            source, need = keyed_source(X, level.learner, self._schema, keys, level.origin.computed)
            made = CellOutputs(source, self, need, warn=not return_level and self._most is None)
            return (made, made.levels()) if return_level else made
        chunks = keyed_chunks(X, level.learner, self._schema, keys, level.origin.computed)
        return self._assembled(((chunk.X, columns) for chunk, columns in chunks), return_level)

    def _gathered_rows(self, X: MatrixLike, keys: pa.Schema) -> Iterator[tuple[Any, list[pa.Array]]]:
        """Yield rows as tables of their features, and the columns of their keys."""
        yield from row_tables(table_source(X), self._schema.names, keys, self._level.origin.computed)

    def _assembled(self, rows: Iterable[tuple[Any, list[pa.Array]]], return_level: bool) -> Any:
        """Return the outputs of rows that come in pieces."""
        level, found, depths = self._level, list[Outputs](), list[Codes]()
        for X, columns in rows:
            output, depth = self._of_rows(X, columns)
            found.append(output._replace(rows=np.full(len(X), len(depths))))
            depths.append(depth)
        if not depths:
            raise DataError(NO_ROWS)
        depth = np.concatenate(depths)
        if not return_level and self._most is None:
            warn_of_coarser(int((depth < len(level.names)).sum()), len(depth))
        output = assembled(found).values
        return (output, depth) if return_level else output

    def _of_rows(self, X: Any, columns: list[pa.Array]) -> tuple[Outputs, Codes]:
        """Return the outputs of some rows, and by how many columns of the key their models were found."""
        names = self._level.names
        n, pieces = len(X), list[Outputs]()
        depth, most = np.full(n, -1), self._most_of_rows(columns, n)
        for many in range(len(names), -1, -1):
            left = np.flatnonzero((depth < 0) & (most >= many))
            if not len(left):
                continue
            level = self._level if many == len(names) else self._coarser(names[:many])
            places = level.places([column.take(pa.array(left)) for column in columns], len(left), "cell")
            there = places >= 0
            there[there] = level.models.solved[places[there]]
            if not there.any():
                continue
            rows = left[there]
            some = X.rows(rows) if len(rows) < n else X
            pieces.append(level.outputs(some, places[there], rows, self._by_class))
            depth[rows] = many
        if (depth < 0).any():
            row = int((depth < 0).argmax())
            key = ", ".join(f"{n} = {c[row].as_py()!r}" for n, c in zip(names, columns, strict=True))
            why = next(iter(self._coarser(()).models.reasons.values()), "it has no rows")
            raise DataError(
                f"neither the cell of a row with {key} nor all cells together have a model: {why.rstrip('.')}. "
                "`failed_` lists the cells without one: leave out their rows here, or in the fit"
            )
        return assembled(pieces), depth

    def _most_columns(self, level: int | str) -> Codes:
        """Return how many columns of the key to predict by: a number for each cell."""
        known = self._level
        if isinstance(level, str):
            if level != "best":
                raise ValueError(f"level must be a number of columns of the key, or 'best', not {level!r}")
            found = np.empty(len(known), np.int64)
            found[known.in_order] = self._scores.best
            return found
        if isinstance(level, bool) or not isinstance(level, (int, np.integer)) or not 0 <= level <= len(known.names):
            raise ValueError(f"level must be 0 to {len(known.names)}, or 'best', not {level!r}")
        return np.full(len(known), int(level))

    def _most_of_rows(self, columns: list[pa.Array], n: int) -> Codes:
        """Return by how many columns of the key each row is predicted, at the most."""
        level, most = self._level, self._most
        if most is None:
            return np.full(n, len(level.names))
        places = level.places(columns, n, "cell")
        one = int(most[0]) if (most == most[0]).all() else len(level.names)
        return np.where(places < 0, one, most[places])

    # ---- pooling -----------------------------------------------------------------------------------

    def pool(self, random: RandomTerms = "intercept") -> PooledCube | PooledTables:
        """Pool the cells in part: draw each to its parent by as much as the cells differ. No row is read.

        The model is a linear mixed one: fixed effects of the population, and random effects of the cells of each column
        of the key, within each other. Their variances are estimated by restricted maximum likelihood (REML) from the
        summaries. A penalty of the learner is left aside, since the estimated variances take its place.

        The class tables of `DummyClassifier` and `CategoricalNB` are pooled by empirical Bayes: Dirichlet distributions
        around those of the parents.

        Parameters
        ----------
        random : str, list of str or dict, default="intercept"
            The terms that vary between cells, "intercept" and names of features; for all columns of the key, or a dict
            of them. A column of the key that the dict leaves out has no effects.

        Returns
        -------
        pooled : PooledCube or PooledTables
        """
        self._refuse_named("pool()")
        self._refuse_gathered("are not pooled: they")
        return pool_level(self._level, random)

    # ---- files -------------------------------------------------------------------------------------

    def to_parquet(self, path: Any) -> None:
        """Write the cells to a Parquet file: a row for each, with its key, its model and its summary.

        DuckDB, polars and pandas read it as a table. `Cube.open` makes a cube of it again, with the same bits.

        Parameters
        ----------
        path : str or path
        """
        self._refuse_named("to_parquet(path)")
        self._refuse_gathered("are no rows of a table: they")
        cube_file.write(self, path)

    @staticmethod
    def open(path: Any) -> Cube:
        """Open a cube that was written by `to_parquet`. Loading it runs no code of the file.

        Its cells are read when they are asked for: `cube[key]` reads the numbers of one cell, and what needs all cells
        reads them once. A cell that was damaged is an error when it is read.

        Parameters
        ----------
        path : str or path

        Returns
        -------
        cube : Cube
        """
        return cube_file.read(path)

    @staticmethod
    def open_cell(path: Any, *key: Any) -> Any:
        """Return the fitted learner of one cell of a file. The rest of the file is not read.

        Parameters
        ----------
        path : str or path
        *key
            The values of the key.

        Returns
        -------
        learner : learner
        """
        return cube_file.read_cell(path, key)


def _as_key(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _is_among(level: CubeLevel, name: str, values: Iterable[Any]) -> Flags:
    """Return which cells have one of some values in a column of their key."""
    column = level.keys.values[name].combine_chunks()
    some = [found for value in values if (found := hashes_of_key([value])) is not None]
    known = hashes_of([column], [name], "cell", len(column))
    first, second = (np.isin(hash, [one[at] for one in some]) for at, hash in enumerate(known))
    return first & second


def _sum(a: CubeLevel, b: CubeLevel) -> CubeLevel:
    """Return the level of the rows of both."""
    origin = Origin(
        f"{a.origin.source} + {b.origin.source}",
        a.origin.parts + b.origin.parts,
        a.origin.dropped + b.origin.dropped,
        a.origin.machines | b.origin.machines,
        computed=a.origin.computed,
        merged=True,
    )
    cells = a.cells.summarized() + b.cells.summarized()
    return CubeLevel(a.learner, a.schema, a.names, cells, origin, direct=True)
