"""Bases of one column: radial, sigmoid and tanh functions."""
