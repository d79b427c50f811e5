"""Cross-validation of the cells of a cube and of coarser keys, with folds as one more column of the key."""
