"""A transformer for some of the columns, another for others: z = (f₁(x₁), f₂(x₂), ...), all learned in shared scans."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import scipy.sparse as sp

from tenfold.core import Matrix, Remedy
from tenfold.estimator import fitted
from tenfold.estimator.ensembles.parallel_transformers import (
    ALL_COLUMNS,
    Branch,
    Branches,
    are_names,
    named_after_classes,
    numbers,
)
from tenfold.estimator.shell.constraints import boolean, choice, share, transformer
from tenfold.estimator.shell.keyword_decisions import ignored_n_jobs, ignored_verbose
from tenfold.estimator.shell.keywords import Refused, refused
from tenfold.preprocessing.standard_scaler import StandardScaler

UNKNOWN_REMAINDER: list[str] = []
"""placeholder for the columns of the remainder before the schema is known; compared by identity"""
SPARSITY_SAMPLE_ROWS = 1000
"""number of rows from which the density of the output is estimated: cheap compared with a fit"""


named_by_transformer = refused(
    "names begin with that of the transformer, or do not",
    Remedy('tn.ColumnTransformer([("scaled", tn.StandardScaler(), [0, 1])], verbose_feature_names_out=False)'),
    str,
    callable,
)
DOUBLING_EXAMPLE = "tn.make_pipeline(tn.StandardScaler(), tn.FunctionTransformer(lambda Z: 2 * Z))"
unweighted = Refused(
    "outputs come as the transformers make them",
    Remedy(f'tn.ColumnTransformer([("doubled", {DOUBLING_EXAMPLE}, [0, 1])])', "with a last step that multiplies"),
    (None,),
)


class ColumnTransformer(Branches):
    """Transform some columns in one way, others in another: all learn in the same scans.

    Each transformer reads its own columns, as it takes them: numbers, categories or text. What they make of a row
    stands side by side, in the order of `transformers`. Of a Source it is computed part by part, as it is read.
    Columns that no transformer takes are not read. Once it is fitted to columns with names, these decide which ones of
    a frame are meant, not their order. If each transformer learns in one pass, models merge.

    Parameters
    ----------
    transformers : list of (str, transformer, columns), optional
        Names, transformers of tenfold (or "drop", or "passthrough" for unchanged columns), and columns: a
        name or number, a list of them, a slice, a mask, or a function of a pandas frame of the first rows, or
        `make_column_selector`. Integers are positions, whatever the labels are; a selector, and an Index of pandas
        that a function gives, are of labels. By default all columns are scaled.
    remainder : {"drop", "passthrough"} or transformer, default="drop"
        What becomes of the columns that are not named.
    sparse_threshold : float, default=0.3
        Outputs of which some are CSR come as CSR if less than this share of them is stored, counting all of those that
        are dense; 0: always as an array. `fit` decides it by the first 1,000 rows in memory, for all that come later.
        Of a Source they are CSR unless it is 0.
    verbose_feature_names_out : bool, default=True
        Whether outputs are named after their transformer too: `scale__age`.
    n_jobs, transformer_weights, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect or raises an error (see *Coming from scikit-learn*).

    Attributes
    ----------
    transformers_ : list of (str, transformer, list of columns)
        The fitted ones, the remainder among them.
    named_transformers_ : Bunch
        The fitted transformers by name; "drop" where columns are dropped.
    output_indices_ : dict
        Which outputs each transformer makes, as a slice.
    sparse_output_ : bool
        Whether outputs are CSR, as `fit` decided; after a fit to a Source each `transform` of rows in memory decides.
    certificate_ : Certificate

    Examples
    --------
    >>> import pandas as pd
    >>> from tenfold import ColumnTransformer, OneHotEncoder, StandardScaler
    >>> frame = pd.DataFrame({"size": [1.0, 3.0], "city": ["Oslo", "Rome"], "note": ["a", "b"]})
    >>> model = ColumnTransformer([("scale", StandardScaler(), ["size"]), ("code", OneHotEncoder(), ["city"])])
    >>> model.fit_transform(frame).tolist()
    [[-1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    >>> model.get_feature_names_out().tolist()
    ['scale__size', 'code__city_Oslo', 'code__city_Rome']
    """

    listed = "transformers"
    by_name = True
    decided = ("sparse_output_",)
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"transformers": [("scale", StandardScaler(), [0]), ("rest", "passthrough", slice(1, None))]},
    )

    transformers: Annotated[Any, list, tuple, None] = None
    _: KW_ONLY
    remainder: Annotated[Any, choice("drop", "passthrough"), transformer] = "drop"
    sparse_threshold: Annotated[float, share()] = 0.3
    n_jobs: Annotated[int | None, ignored_n_jobs] = None
    transformer_weights: Annotated[Any, unweighted] = None
    verbose: Annotated[int, ignored_verbose] = False
    verbose_feature_names_out: Annotated[bool, boolean, named_by_transformer] = True

    def branches(self) -> list[Branch]:
        if self.transformers is None:
            return [Branch("scale", StandardScaler(), ALL_COLUMNS)]
        given = [tuple(one) if isinstance(one, (list, tuple)) else () for one in self.transformers]
        if not all(len(one) == 3 and isinstance(one[0], str) for one in given):
            raise ValueError("transformers must be a list of (name, transformer, columns)")
        found = [Branch(*one) for one in given]
        if isinstance(self.remainder, str) and self.remainder not in ("drop", "passthrough"):
            raise ValueError(f"remainder must be 'drop', 'passthrough' or a transformer, not {self.remainder!r}")
        return found if self.remainder == "drop" else [*found, Branch("remainder", self.remainder, UNKNOWN_REMAINDER)]

    def _validate_params(self) -> None:
        if self.transformers is None or self.remainder == "drop":
            super()._validate_params()
            own = self.branches() if self.transformers else []
            if own and own[-1].name == "remainder" and are_names(own[-1].columns):
                own.pop()  # a copy that `bound_to` made, or a file, lists it last, by the names of its columns
            self._validate_names([b.name for b in own])
            return
        self._validate_names([b.name for b in self.branches() if b.columns is not UNKNOWN_REMAINDER])
        checked = self._blank()  # of the remainder nobody knows yet whether it has columns
        checked.transformers = [
            (*b[:2], b.columns if b.columns is not UNKNOWN_REMAINDER else ALL_COLUMNS) for b in self.branches()
        ]
        checked.remainder = "drop"
        super(ColumnTransformer, checked)._validate_params()

    def bound_to(self, first: Any) -> Any:
        found, names, taken = self._blank(), first.names, set[int]()
        chosen: list[tuple[str, Any, list[str]]] = []
        for b in self.branches():
            some = numbers(first, b.columns, repr(b.name))
            if b.columns is UNKNOWN_REMAINDER:
                some = tuple(j for j in range(len(names)) if j not in taken)
            taken |= {*some}
            chosen.append((b.name, b.transformer, [names[j] for j in some]))
        found.transformers, found.remainder = chosen, "drop"
        return found

    def _dense(self, made: list[Matrix]) -> bool:
        return self.sparse_threshold == 0 or super()._dense(made)

    def _after_fit(self, source: Any) -> None:
        super()._after_fit(source)
        if not source.lazy:
            self.sparse_output_ = self._is_sparse(source)

    def _is_sparse(self, source: Any) -> bool:
        """Whether the outputs of the first rows are to be CSR: some are, and few are stored."""
        need, known = self.need.without_target(), self.schema_.without_target
        stored, cells, some = 0, 0, False
        for chunk in source.first_rows(0, need, known, SPARSITY_SAMPLE_ROWS):
            made: list[Any] = self._blocks(self.model_, chunk.X, lambda member, at, its: member.transform_from(at, its))
            for one in made:
                size = one.shape[0] * one.shape[1]
                stored, cells = stored + (one.nnz if sp.issparse(one) else size), cells + size
                some = some or sp.issparse(one)
        return bool(some and stored < self.sparse_threshold * cells)

    def _apply(self, function: Any, X: Any, names: Any, read: Any = None) -> Any:
        found = super()._apply(function, X, names, read)
        if not sp.issparse(found):
            return found
        kept = self.__dict__.get("sparse_output_")
        if kept is None:
            kept = found.nnz < self.sparse_threshold * found.shape[0] * found.shape[1]
        return found if kept else found.toarray()

    @property
    @fitted
    def transformers_(self) -> list[tuple[str, Any, list[str]]]:
        """The fitted transformers, with their names and columns; those that are dropped too."""
        if "model_" not in self.__dict__:
            raise AttributeError("transformers_")
        fitted = super().fitted_by_name()
        each = [(b.name, fitted.get(b.name, b.transformer), list(b.columns)) for b in self.branches()]
        left = [n for n in self.schema_.names if not any(n in columns for _, _, columns in each)]
        return [*each, ("remainder", "drop", left)] if left else each

    def fitted_by_name(self) -> dict[str, Any]:
        # The fitted transformers by name; of columns that are dropped, "drop".
        return {name: transformer for name, transformer, _ in self.transformers_}

    @property
    @fitted
    def output_indices_(self) -> dict[str, slice]:
        """Which of the outputs each transformer makes; of columns that are dropped, none."""
        if "model_" not in self.__dict__:
            raise AttributeError("output_indices_")
        found, start = {name: slice(0, 0) for name in [*(b.name for b in self.branches()), "remainder"]}, 0
        for at, b in enumerate(self.going()):
            stop = start + len(self.fitted(at).names_out(list(b.columns)))
            found[b.name], start = slice(start, stop), stop
        return found


def make_column_transformer(
    *transformers: Any,
    remainder: Any = "drop",
    sparse_threshold: float = 0.3,
    verbose_feature_names_out: bool = True,
) -> ColumnTransformer:
    """A ColumnTransformer whose transformers are named after their classes.

    Parameters
    ----------
    *transformers : (transformer, columns)
        Pairs of a transformer and its columns.
    remainder, sparse_threshold, verbose_feature_names_out : optional
        As ColumnTransformer takes them.

    Returns
    -------
    model : ColumnTransformer

    Examples
    --------
    >>> from tenfold import OneHotEncoder, StandardScaler, make_column_transformer
    >>> model = make_column_transformer((StandardScaler(), ["size"]), (OneHotEncoder(), ["city", "colour"]))
    >>> [name for name, _, _ in model.transformers]
    ['standardscaler', 'onehotencoder']
    """
    named = named_after_classes([one for one, _ in transformers])
    return ColumnTransformer(
        [(*both, columns) for both, (_, columns) in zip(named, transformers, strict=True)],
        remainder=remainder,
        sparse_threshold=sparse_threshold,
        verbose_feature_names_out=verbose_feature_names_out,
    )
