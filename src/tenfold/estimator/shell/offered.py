"""Public methods of estimators, which tab completion shows with parameters and fitted attributes.

A learner has other public methods (`start`, `ask`, `update` and the hooks of its family), which the loop and other
learners call. They are the contract of whoever writes a learner, not of whoever fits one.
"""

from __future__ import annotations

from typing import Any

METHODS = frozenset({
    "fit", "partial_fit", "fit_predict", "fit_transform", "predict", "predict_proba", "predict_log_proba",
    "decision_function", "transform", "inverse_transform", "score", "score_samples", "get_feature_names_out",
    "get_params", "set_params", "set_output", "set_callbacks", "get_metadata_routing", "verify", "save", "summary",
    "conf_int", "predict_interval", "staged_predict", "staged_predict_proba",
    "staged_decision_function", "staged_score", "rules", "to_text", "to_sql",
    "to_dnf", "to_graphviz", "tree_stats", "cost_complexity_pruning_path", "path", "leave_one_out", "kneighbors",
    "kneighbors_graph", "predict_over", "predict_proba_over", "evidence", "aic", "bic", "sample", "decode",
    "filter", "impossible_transitions", "likeliest_paths", "stationary_distribution", "every_rule",
    "apply", "decision_path", "get_depth", "get_n_leaves", "get_covariance", "get_precision",
    "predict_joint_log_proba", "from_tree", "from_rules", "from_dnf", "attention",
    "build_analyzer", "build_preprocessor", "build_tokenizer", "get_stop_words",
    "named_estimators", "named_transformers",
})  # fmt: skip


def is_offered(cls: Any, name: str) -> bool:
    """Whether a name is for users: a parameter, a fitted attribute, a method of theirs, or not the library's at all."""
    if name.startswith("_") or name.endswith(("_", "_request")) or name in METHODS:
        return True
    library = __name__.partition(".")[0]
    return not any(name in vars(base) for base in cls.__mro__ if base.__module__.partition(".")[0] == library)
