"""Curves: how a score depends on the training rows or on a parameter, and why a learner errs."""
