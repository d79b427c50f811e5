"""The fitted steps of a model, as exports go through them."""

from __future__ import annotations

from typing import Any

from tenfold.estimator.ensembles.frozen_step import thawed_steps
from tenfold.estimator.ensembles.pipeline import learned_steps
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.estimator.shell.multi_output import MultiOutput


def fitted_stages(model: Any) -> list[Any]:
    """Return the steps of a fitted pipeline, or a learner alone, each with the parameters that it was fitted with."""
    return [as_fitted(step) if isinstance(step, Estimator) else step for step in thawed_steps(learned_steps(model))]


def models_of_outputs(model: Any) -> list[Any]:
    """Return the models of the columns of a target; of a target that is one column, the model itself."""
    return model.each_output() if isinstance(model, MultiOutput) else [model]
