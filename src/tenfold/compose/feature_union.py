"""Several transformers of the same columns: z = (f₁(x), f₂(x), ...), all learned in shared scans."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

from tenfold.core import Remedy
from tenfold.estimator import fitted
from tenfold.estimator.ensembles.parallel_transformers import ALL_COLUMNS, Branch, Branches, named_after_classes
from tenfold.estimator.shell.constraints import boolean
from tenfold.estimator.shell.keyword_decisions import ignored_n_jobs, ignored_verbose
from tenfold.estimator.shell.keywords import Refused, refused
from tenfold.preprocessing.min_max_scaler import MinMaxScaler
from tenfold.preprocessing.standard_scaler import StandardScaler

named_by_transformer = refused(
    "names begin with that of the transformer, or do not",
    Remedy('tn.FeatureUnion([("scaled", tn.StandardScaler())], verbose_feature_names_out=False)'),
    str,
    callable,
)
DOUBLING_EXAMPLE = "tn.make_pipeline(tn.StandardScaler(), tn.FunctionTransformer(lambda Z: 2 * Z))"
unweighted = Refused(
    "outputs come as the transformers make them",
    Remedy(f'tn.FeatureUnion([("doubled", {DOUBLING_EXAMPLE})])', "with a last step that multiplies"),
    (None,),
)


class FeatureUnion(Branches):
    """Put what several transformers make of the same columns side by side: all learn in the same scans.

    If each transformer learns in one pass, models merge.

    Parameters
    ----------
    transformer_list : list of (str, transformer), optional
        Names and transformers of tenfold, or "drop", or "passthrough" for unchanged columns. By default both
        scalers.
    verbose_feature_names_out : bool, default=True
        Whether outputs are named after their transformer too: `scale__age`.
    n_jobs, transformer_weights, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect or raises an error (see *Coming from scikit-learn*).

    Attributes
    ----------
    named_transformers_ : Bunch
        The fitted transformers by name.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import FeatureUnion, MinMaxScaler, StandardScaler
    >>> model = FeatureUnion([("standard", StandardScaler()), ("range", MinMaxScaler())])
    >>> model.fit_transform([[1.0], [3.0]]).tolist()
    [[-1.0, 0.0], [1.0, 1.0]]
    """

    listed = "transformer_list"
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"transformer_list": [("scale", StandardScaler()), ("same", "passthrough")]},
    )

    transformer_list: Annotated[Any, list, tuple, None] = None
    _: KW_ONLY
    n_jobs: Annotated[int | None, ignored_n_jobs] = None
    transformer_weights: Annotated[Any, unweighted] = None
    verbose: Annotated[int, ignored_verbose] = False
    verbose_feature_names_out: Annotated[bool, boolean, named_by_transformer] = True

    def branches(self) -> list[Branch]:
        if self.transformer_list is None:
            return [Branch("standard", StandardScaler(), ALL_COLUMNS), Branch("range", MinMaxScaler(), ALL_COLUMNS)]
        given = [tuple(one) if isinstance(one, (list, tuple)) else () for one in self.transformer_list]
        if not all(len(one) == 2 and isinstance(one[0], str) for one in given):
            raise ValueError("transformer_list must be a list of (name, transformer)")
        return [Branch(one[0], one[1], ALL_COLUMNS) for one in given]

    @property
    @fitted
    def named_transformers(self) -> Any:
        """The transformers as they were given, by name."""
        return self._by_name()


def make_union(*transformers: Any, verbose_feature_names_out: bool = True) -> FeatureUnion:
    """A FeatureUnion whose transformers are named after their classes.

    Parameters
    ----------
    *transformers : transformer
        The transformers, whose columns come side by side.
    verbose_feature_names_out : bool, default=True
        As FeatureUnion takes it.

    Returns
    -------
    model : FeatureUnion

    Examples
    --------
    >>> from tenfold import MinMaxScaler, StandardScaler, make_union
    >>> [name for name, _ in make_union(StandardScaler(), MinMaxScaler()).transformer_list]
    ['standardscaler', 'minmaxscaler']
    """
    return FeatureUnion(named_after_classes(transformers), verbose_feature_names_out=verbose_feature_names_out)
