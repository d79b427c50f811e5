"""Graphs run by onnxruntime, and compared with the models that they are of."""

import numpy as np
import onnxruntime

import tenfold as tn


def run(proto, rows, dtype=np.float64):
    """The outputs of a graph by name, for an array, or for the columns of a frame."""
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    inputs = [one.name for one in session.get_inputs()]
    if inputs == ["X"] and not (hasattr(rows, "columns") and "X" in rows.columns):
        given = {"X": np.asarray(rows, dtype)}
    else:
        given = {name: as_input(rows[name], dtype) for name in inputs}
    return dict(zip(names, session.run(None, given)))


def as_input(column, dtype=np.float64):
    """A column as an input of its own: text with an empty one for what is missing, or numbers."""
    if column.dtype.kind in "biuf":
        return column.to_numpy(dtype)[:, None]
    return np.array(["" if v is None or v != v else str(v) for v in column], object)[:, None]


def assert_same(model, rows, exact=1e-9, dtype="float64"):
    """Check that the graph of a model gives what the model does."""
    found = run(tn.to_onnx(model, dtype=dtype), rows, np.dtype(dtype))
    if "prediction" in found:
        np.testing.assert_allclose(found["prediction"], model.predict(rows), rtol=exact, atol=exact)
    if "probabilities" in found:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), rtol=exact, atol=exact)
    if "label" in found:
        assert found["label"].tolist() == np.asarray(model.predict(rows)).tolist()
    if "distances" in found:
        np.testing.assert_allclose(found["distances"], model.transform(rows), rtol=exact, atol=exact)
    if "transformed" in found:
        made = model.transform(rows)
        made = made.toarray() if hasattr(made, "toarray") else np.asarray(made)
        np.testing.assert_allclose(found["transformed"], made, rtol=exact, atol=exact)
    return found
