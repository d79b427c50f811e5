"""Cross-validation: how good learners are on unseen rows, and the best of their parameters."""
