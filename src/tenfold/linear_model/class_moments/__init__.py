"""Linear classifiers made from the moments of each class."""
