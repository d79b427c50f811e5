"""Least squares and ridge regression, from merged moments or triangular factors."""
