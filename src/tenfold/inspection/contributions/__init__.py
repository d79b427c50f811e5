"""What each column of the input contributes to the prediction of a row."""
