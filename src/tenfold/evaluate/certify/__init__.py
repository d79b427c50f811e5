"""Certificates: what a model promises on unseen rows, and how sure that is."""
