"""A flavour of MLflow: models are logged as model files, which hold no pickle and run no code when they are loaded."""

from __future__ import annotations

import math
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

import tenfold
from tenfold.core.certificate import Certificate
from tenfold.estimator import Estimator
from tenfold.estimator.ensembles.pipeline import Pipeline
from tenfold.estimator.files.model_file import load

try:
    import mlflow
    from mlflow.models import Model, infer_signature
    from mlflow.models.model import MLMODEL_FILE_NAME, ModelInfo
    from mlflow.models.utils import _save_example
    from mlflow.tracking.artifact_utils import _download_artifact_from_uri
    from mlflow.utils.autologging_utils import autologging_integration, safe_patch

    with warnings.catch_warnings():  # it warns of type hints of its own
        warnings.simplefilter("ignore")
        import mlflow.pyfunc
except ImportError:
    raise ImportError("tenfold.mlflow needs MLflow. Remedy: pip install mlflow, or mlflow-skinny") from None

FLAVOR_NAME = "tenfold"
MODEL_FILE, REQUIREMENTS_FILE, CERTIFICATE_FILE = "model.tenfold", "requirements.txt", "certificate.txt"
LONGEST_PARAMETER = 500
"""letters of a parameter that MLflow takes"""
REFUSED_LETTERS = re.compile(r"[^\w \-./]")
"""letters in names of metrics that MLflow refuses"""
METHODS = ("predict", "predict_proba", "decision_function", "transform")


def save_model(
    model: Any,
    path: str | Path,
    *,
    mlflow_model: Model | None = None,
    signature: Any = None,
    input_example: Any = None,
    pip_requirements: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Save a fitted model as a folder that MLflow reads.

    Parameters
    ----------
    model : learner or Pipeline
        Fitted, of tenfold.
    path : str or path
        The folder; it must not be there yet.
    mlflow_model : mlflow.models.Model, optional
        What the folder describes; `log_model` passes it.
    signature : mlflow.models.ModelSignature, optional
        Of inputs and outputs. By default that of `input_example`, if one is given.
    input_example : frame or array, optional
        Some rows, which are saved beside the model.
    pip_requirements : list of str, optional
        By default tenfold in this version.
    metadata : mapping, optional

    Examples
    --------
    >>> import tempfile, tenfold as tn, tenfold.mlflow
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tenfold.mlflow.save_model(tn.Ridge().fit([[0.0], [1.0]], [0.0, 2.0]), f"{folder}/model")
    ...     tenfold.mlflow.load_model(f"{folder}/model").coef_.round(3).tolist()
    [0.667]
    """
    check_is_fitted(model)
    path = Path(path)
    if path.exists() and any(path.iterdir()):
        raise FileExistsError(f"{path} is not empty. Remedy: another folder")
    path.mkdir(parents=True, exist_ok=True)
    described = Model() if mlflow_model is None else mlflow_model
    if input_example is not None and signature is None:
        signature = infer_signature(input_example, model.predict(input_example))
    if signature is not None:
        described.signature = signature
    if input_example is not None:
        _save_example(described, input_example, str(path))
    if metadata is not None:
        described.metadata = dict(metadata)
    model.save(path / MODEL_FILE)
    requirements = list(pip_requirements or [f"tenfold=={tenfold.__version__}"])
    (path / REQUIREMENTS_FILE).write_text("\n".join(requirements) + "\n")
    (path / CERTIFICATE_FILE).write_text(f"{model.certificate_}\n")
    described.add_flavor(FLAVOR_NAME, tenfold_version=tenfold.__version__, data=MODEL_FILE)
    mlflow.pyfunc.add_to_model(described, loader_module="tenfold.mlflow", data=MODEL_FILE)
    described.save(str(path / MLMODEL_FILE_NAME))


def log_model(model: Any, name: str = "model", **options: Any) -> ModelInfo:
    """Log a fitted model to the current run of MLflow.

    Parameters
    ----------
    model : learner or Pipeline
        Fitted, of tenfold.
    name : str, default="model"
    **options
        Those of `save_model`, and of `mlflow.models.Model.log`, such as `registered_model_name`.

    Returns
    -------
    info : mlflow.models.model.ModelInfo
        Its `model_uri` is what `load_model` takes.
    """
    return Model.log(artifact_path=None, name=name, flavor=sys.modules[__name__], model=model, **options)


def load_model(model_uri: str) -> Any:
    """Load a model that was logged or saved by this flavour. No code of it runs.

    Parameters
    ----------
    model_uri : str
        Such as `models:/name/1`, `runs:/id/model`, or a folder.

    Returns
    -------
    model : learner or Pipeline
    """
    folder = Path(_download_artifact_from_uri(artifact_uri=model_uri))
    flavors = Model.load(str(folder / MLMODEL_FILE_NAME)).flavors
    if FLAVOR_NAME not in flavors:
        raise ValueError(f"{model_uri} is no model of tenfold: it has the flavours {', '.join(flavors)}")
    return load(folder / MODEL_FILE)


class _Predictor:
    """A model as MLflow serves it."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def get_raw_model(self) -> Any:
        return self.model

    def predict(self, data: Any, params: Mapping[str, Any] | None = None) -> Any:
        """Predict; `params={"predict_method": "predict_proba"}` asks for probabilities."""
        method = (params or {}).get("predict_method", "predict")
        if method not in METHODS:
            raise ValueError(f"predict_method={method!r} is not one of {', '.join(METHODS)}")
        return getattr(self.model, method)(data)


def _load_pyfunc(path: str) -> _Predictor:
    """Load a model for `mlflow.pyfunc.load_model` and `mlflow models serve`."""
    return _Predictor(load(path))


@autologging_integration(FLAVOR_NAME)
def autolog(
    log_models: bool = True,
    disable: bool = False,
    exclusive: bool = False,
    disable_for_unsupported_versions: bool = False,
    silent: bool = False,
) -> None:
    """Log each fit of a learner or pipeline: its parameters, the numbers of its certificate, and the model.

    Parameters
    ----------
    log_models : bool, default=True
        Whether to log the model too, as a model file.
    disable, exclusive, disable_for_unsupported_versions, silent : bool, default=False
        As in every `autolog` of MLflow.
    """
    for kind in (*_classes_with_fit(), Pipeline):
        safe_patch(FLAVOR_NAME, kind, "fit", _logged_fit, manage_run=True)


def _classes_with_fit() -> list[type]:
    """Return the classes that define `fit` for the public learners, which are all loaded for it."""
    public = (getattr(tenfold, name) for name in dir(tenfold) if name[0].isupper())
    learners = [one for one in public if isinstance(one, type) and issubclass(one, Estimator)]
    bases = dict.fromkeys(base for learner in learners for base in learner.__mro__ if "fit" in vars(base))
    return [base for base in bases if issubclass(base, Estimator) or base.__module__.startswith("tenfold.")]


def _logged_fit(original: Callable[..., Any], self: Any, *args: Any, **kwargs: Any) -> Any:
    """Fit, then log what was fitted to the run."""
    from mlflow.utils.autologging_utils import get_autologging_config

    fitted = original(self, *args, **kwargs)
    parameters = {name: str(value)[:LONGEST_PARAMETER] for name, value in fitted.get_params(deep=True).items()}
    mlflow.log_params({"learner": type(fitted).__name__, **parameters})
    mlflow.log_metrics(_metrics(fitted.certificate_))
    mlflow.log_text(str(fitted.certificate_), CERTIFICATE_FILE)
    if get_autologging_config(FLAVOR_NAME, "log_models", True):
        log_model(fitted)
    return fitted


def _metrics(certificate: Certificate) -> dict[str, float]:
    """The finite numbers of a certificate, its rows and scans, under names that MLflow takes."""
    found = {f"certificate {claim.kind}": float(claim.value) for claim in certificate.claims}
    if certificate.provenance is not None:
        found |= {"rows": float(certificate.provenance.rows), "scans": float(certificate.provenance.passes)}
    return {REFUSED_LETTERS.sub("_", name): value for name, value in found.items() if math.isfinite(value)}
