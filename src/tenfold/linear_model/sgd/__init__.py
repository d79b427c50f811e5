"""Linear models trained row by row: SGD and the perceptron."""
