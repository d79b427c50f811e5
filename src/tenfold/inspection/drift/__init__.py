"""Drift: which columns of some rows are not as they were, from profiles alone."""
