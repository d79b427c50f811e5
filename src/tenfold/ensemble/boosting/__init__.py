"""Gradient boosting of trees."""
