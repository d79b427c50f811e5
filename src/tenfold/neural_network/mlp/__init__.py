"""Multi-layer perceptrons."""
