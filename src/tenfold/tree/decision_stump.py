"""A decision stump: a tree of one split, that of least weighted error."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

from tenfold.estimator.shell.constraints import choice, integer, seed, share
from tenfold.estimator.shell.parameters import Behind
from tenfold.tree.decision_tree_classifier import CRITERIA
from tenfold.tree.growing.missing import MISSING_RULES
from tenfold.tree.presets import _Preset
from tenfold.tree.records import MaxBins


class DecisionStump(_Preset):
    """A tree of a single split: one column, one threshold or two sets of categories, a class for either side.

    By default no other stump gets less weight wrong, of those that split between bins; a column of at most `max_bins`
    distinct values loses nothing by these. If no split is better than the most common class, both sides predict it.

    Parameters
    ----------
    criterion : str, default="error"
        What makes a split good, as in `DecisionTreeClassifier`.
    split : {"subset", "multiway"}, default="subset"
        How categories are split: into two sets, or into a branch for each.
    missing : {"learned", "node_majority", "class_majority", "fractional"}, default="learned"
        What becomes of missing values, as in `DecisionTreeClassifier`.
    min_samples_leaf : int or float, default=1
        Each leaf has at least this many rows; a float: this share of all rows.
    max_bins : int or "auto", default="auto"
        Bins of each numeric column, at most 255; splits lie between bins. Half of the edges lie beside the values of
        rare classes and extreme targets. "auto": 255, or one for each number of at most 4,096 rows.
    random_state : int, default=0
        Seed of all that is drawn; the same seed gives the same bits.

    Attributes
    ----------
    classes_ : array
    tree_ : Tree
    value_ : array of shape (nodes, classes)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import DecisionStump
    >>> model = DecisionStump().fit([["red", 1.0], ["blue", 2.0], ["green", 2.0], ["red", 3.0]], [1, 0, 0, 1])
    >>> print(model.to_text())
    x0 in {blue, green}: 0 (2)
    x0 = red: 1 (2)
    """

    max_depth = 1
    min_samples_split = 2
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"criterion": "entropy", "split": "multiway", "missing": "fractional"},
    )

    criterion: Annotated[str, choice(*CRITERIA)] = "error"
    _: KW_ONLY
    split: Annotated[str, choice("subset", "multiway")] = "subset"
    missing: Annotated[str, choice(*MISSING_RULES)] = "learned"
    min_samples_leaf: Annotated[int | float, integer(1), share(open=True), Behind("missing")] = 1
    max_bins: Annotated[MaxBins, integer(2), choice("auto"), Behind("min_samples_leaf")] = "auto"
    random_state: Annotated[int | None, seed, Behind("max_bins")] = 0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # two sides cannot tell three classes apart
        return tags
