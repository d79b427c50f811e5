"""Shapley values of trees, forests and boosted trees."""
