"""Bins of columns, for trees."""
