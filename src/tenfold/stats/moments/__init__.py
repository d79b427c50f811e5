"""Moments and factors that merge."""
