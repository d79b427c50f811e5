"""Bagging: members fitted to rows drawn with replacement."""
