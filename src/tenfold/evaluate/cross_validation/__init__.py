"""Cross-validation: how good learners are on rows they have not seen, and the best of their parameters."""
