"""Permutation importance: the decrease of a score when the values of a column are permuted."""
