"""Learners whose samples are sequences of rows."""
