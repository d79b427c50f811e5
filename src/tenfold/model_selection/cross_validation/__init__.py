"""Cross-validation and tuning of parameters."""
