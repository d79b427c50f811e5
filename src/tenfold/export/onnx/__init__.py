"""Models as ONNX graphs: a file for each family of models."""
