"""Displays of scores: curves, confusion matrices and margins."""
