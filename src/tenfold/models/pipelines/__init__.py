"""Pipelines in the cells of a cube: their steps are made of one summary of the rows."""
