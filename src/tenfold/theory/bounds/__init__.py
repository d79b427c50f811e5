"""Bounds on errors: PAC, VC, Occam, PAC-Bayes, margins, mistakes."""
