"""The command line: `tenfold bound` sizes a study."""
