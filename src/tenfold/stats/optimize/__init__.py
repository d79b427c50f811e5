"""Pieces of optimizers: line searches, quasi-Newton steps, curvature."""
