"""Dependence: what a model predicts on average for each value of a column."""
