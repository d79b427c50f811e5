"""Classifiers that learn from unseen rows how to take what another one says: as probabilities, by a threshold."""
