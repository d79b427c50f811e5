"""Networks that read sequences: recurrent networks and transformers."""
