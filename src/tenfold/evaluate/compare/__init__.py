"""Comparison: whether one learner or model is really better than another."""
