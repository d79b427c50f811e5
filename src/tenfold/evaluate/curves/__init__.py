"""Curves: how a score depends on the rows learned from or on a parameter, and why a learner errs."""
