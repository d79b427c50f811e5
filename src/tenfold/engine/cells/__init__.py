"""Cells: the rows that share a key, and their summaries, from one scan in which the keys are found."""
