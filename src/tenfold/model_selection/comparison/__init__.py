"""Comparison: whether one learner or model is significantly better than another."""
