"""Judging models: folds, cross-validation, tuning. One scan wherever summaries allow it."""
