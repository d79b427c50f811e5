"""Calibrated probabilities and decision thresholds, learned on rows that the classifier was not fitted to."""
