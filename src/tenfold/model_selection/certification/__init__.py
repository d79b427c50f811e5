"""Certificates: what a model promises on unseen rows, with which confidence."""
