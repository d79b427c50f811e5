"""Importance: how much worse a score is where a column says nothing."""
