"""Columns computed from others: expressions as values, what they compute, and the source that has such columns."""
