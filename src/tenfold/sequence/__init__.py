"""Learners of sequences: Markov chains, and models whose states are hidden."""
