"""Stacking: a final learner over out-of-fold predictions of others."""
