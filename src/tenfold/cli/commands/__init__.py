"""The commands of `tenfold`, a family of them a file."""
