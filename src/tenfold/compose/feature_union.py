"""Several transformers of the same columns: z = (f₁(x), f₂(x), ...), all learned in shared scans."""

from __future__ import annotations

from typing import Any, ClassVar

from tenfold.estimator.branches import ALL, Branch, Branches, named_after_classes
from tenfold.estimator.constraints import Constraints, boolean
from tenfold.preprocessing.min_max_scaler import MinMaxScaler
from tenfold.preprocessing.standard_scaler import StandardScaler


class FeatureUnion(Branches):
    """Put what several transformers make of the same columns side by side: all learn in the same scans.

    If each transformer learns in one pass, models merge.

    Parameters
    ----------
    transformer_list : list of (str, transformer), optional
        Names and transformers of tenfold, or "drop", or "passthrough" for numbers as they are. By default both
        scalers.
    verbose_feature_names_out : bool, default=True
        Whether outputs are named after their transformer too: `scale__age`.
    n_jobs, transformer_weights, verbose : optional
        As in scikit-learn, without effect or refused: *Coming from scikit-learn* says why.

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
    _parameter_constraints: ClassVar[Constraints] = {
        "transformer_list": [list, tuple, None],
        "verbose_feature_names_out": [boolean],
    }

    def __init__(
        self,
        transformer_list: Any = None,
        *,
        n_jobs: int | None = None,
        transformer_weights: Any = None,
        verbose: int = False,
        verbose_feature_names_out: bool = True,
    ) -> None:
        self.transformer_list = transformer_list
        self.n_jobs = n_jobs
        self.transformer_weights = transformer_weights
        self.verbose = verbose
        self.verbose_feature_names_out = verbose_feature_names_out

    def branches(self) -> list[Branch]:
        """The transformers, each of all columns."""
        if self.transformer_list is None:
            return [Branch("standard", StandardScaler(), ALL), Branch("range", MinMaxScaler(), ALL)]
        given = [tuple(one) if isinstance(one, (list, tuple)) else () for one in self.transformer_list]
        if not all(len(one) == 2 and isinstance(one[0], str) for one in given):
            raise ValueError("transformer_list must be a list of (name, transformer)")
        return [Branch(one[0], one[1], ALL) for one in given]

    @property
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
