"""Least squares with penalties that are not squared: lasso, elastic net, bridge."""
