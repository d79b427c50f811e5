"""A tree as text, in the form of scikit-learn's `export_text`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.utils._param_validation import validate_parameter_constraints

from tenfold.estimator.shell.constraints import array, boolean, integer
from tenfold.tree.rules.labels import book_of, class_labels, condition, heights, renamed
from tenfold.tree.rules.reading import in_order

SIGNS = {"<=": "<=", ">": "> "}
"""as wide as each other"""
CONSTRAINTS: dict[str, Any] = {
    "feature_names": [array, None],
    "class_names": [array, None],
    "max_depth": [integer(0), None],
    "spacing": [integer(1)],
    "decimals": [integer(0)],
    "show_weights": [boolean],
}


def export_text(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_depth: int | None = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """A tree as text, a line for each branch and each leaf, as scikit-learn writes it.

    Beyond it, a split of categories says which go where, a split of a column that had missing values which way those
    go, and columns have the names of the fit. A tree of scikit-learn is handed to its own function.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier, DecisionTreeRegressor or a preset
        A fitted tree, also one of `estimators_` of a forest.
    feature_names : sequence of str, optional
        Names of the columns. By default those of the fit; without any, `feature_0`, `feature_1`, ...
    class_names : sequence of str, optional
        Names of the classes, in the order of `classes_`; by default the classes themselves.
    max_depth : int, default=10
        Splits on a path that are written before it is cut short, less one. None writes all.
    spacing : int, default=3
        Width of a level.
    decimals : int, default=2
        Digits behind the point.
    show_weights : bool, default=False
        Whether a leaf says the weight of each class among its training rows.

    Returns
    -------
    report : str

    Examples
    --------
    >>> import tenfold as tn
    >>> model = tn.CART().fit([["sun", 3.0], ["sun", 9.0], ["rain", 4.0]], ["in", "out", "in"])
    >>> print(tn.export_text(model, feature_names=["sky", "warmth"]))
    |--- warmth <= 6.50
    |   |--- class: in
    |--- warmth >  6.50
    |   |--- class: out
    <BLANKLINE>
    """
    given = {
        "feature_names": feature_names, "class_names": class_names, "max_depth": max_depth, "spacing": spacing,
        "decimals": decimals, "show_weights": show_weights,
    }  # fmt: skip
    found = book_of(decision_tree)
    if found is None:
        from sklearn.tree import export_text as theirs

        return str(theirs(decision_tree, **given))
    validate_parameter_constraints(CONSTRAINTS, given, "export_text")
    book = renamed(found, feature_names, "feature_{}")
    labels = None if book.schema.classes is None else class_labels(book, class_names)
    tree, above, tall = book.tree, book.tree.parent, heights(book)

    def number(value: float) -> str:
        return f"{value:.{decimals}f}"

    def numbers(values: Any) -> str:
        return f"[{', '.join(number(value) for value in values)}]"

    lines = []
    for k in in_order(tree):
        depth = int(tree.depth[k])
        if max_depth is not None and depth > max_depth + 1:
            continue
        if depth:
            up = int(above[k])
            bar = "|" + " " * spacing
            says = condition(book, up, int(k - tree.first_child[up]), number, SIGNS)
            lines.append(f"{(bar * depth)[:-spacing]}{'-' * spacing} {says}")
        indent = f"{(('|' + ' ' * spacing) * (depth + 1))[:-spacing]}{'-' * spacing}"
        if tree.feature[k] < 0:
            if labels is None:
                lines.append(f"{indent} value: {numbers(book.prediction[k : k + 1])}")
            else:
                weights = f" weights: {numbers(book.classes[k])}" if show_weights else ""
                lines.append(f"{indent}{weights} class: {labels[int(book.classes[k].argmax())]}")
        elif max_depth is not None and depth > max_depth:
            lines.append(f"{indent} truncated branch of depth {tall[k]}")
    return "\n".join([*lines, ""])
