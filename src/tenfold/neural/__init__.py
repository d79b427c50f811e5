"""Neural networks: feed-forward nets trained by backpropagation."""
