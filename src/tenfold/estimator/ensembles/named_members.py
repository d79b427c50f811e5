"""Teams whose members have names: `estimators=[(name, learner), ...]`, as scikit-learn has it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from sklearn.utils import Bunch
from sklearn.utils.metaestimators import _BaseComposition

from tenfold.core import Schema
from tenfold.estimator.ensembles.ensemble import Ensemble
from tenfold.estimator.ensembles.members import check_member
from tenfold.estimator.ensembles.predictor_chain import chained_predictor, check_pipeline
from tenfold.estimator.ensembles.transformer_chain import as_pipeline
from tenfold.estimator.files.registry import is_pipeline
from tenfold.estimator.shell.diagram import side_by_side
from tenfold.estimator.shell.fitted_params import fitted
from tenfold.stats.member_summaries import Joint


class NamedEnsemble(_BaseComposition, Ensemble):
    """A team of named members. A subclass writes `usual()`: the members if none are named."""

    predicts: ClassVar[str]
    """the target of the members"""

    estimators: Annotated[Any, list, tuple, None] = None

    def default_estimators(self) -> list[tuple[str, Any]]:
        """The members if none are named."""
        raise NotImplementedError

    def named(self) -> list[tuple[str, Any]]:
        """Return the names and members, without dropped ones."""
        given = self.default_estimators() if self.estimators is None else self.estimators
        pairs = isinstance(given, (list, tuple)) and all(isinstance(m, (list, tuple)) and len(m) == 2 for m in given)
        if not pairs or not all(isinstance(name, str) for name, _ in given):
            raise ValueError("Invalid 'estimators' attribute: it must be a list of (name, learner) pairs")
        some = [(name, member) for name, member in given if not (isinstance(member, str) and member == "drop")]
        if not some:
            raise ValueError("All estimators are dropped. At least one is required to be an estimator")
        return [(name, self.as_member(f"member {name!r}", member)) for name, member in some]

    def as_member(self, who: str, given: Any) -> Any:
        """Return a learner that can be a member: as it was given, or the steps of a pipeline as one learner."""
        if is_pipeline(given):
            check_pipeline(who, given, self.predicts)
            return chained_predictor(given, self.predicts)
        check_member(who, given, self.predicts)
        return given

    def _sk_visual_block_(self) -> Any:
        return side_by_side(self.default_estimators() if self.estimators is None else self.estimators)

    def _validate_params(self) -> None:
        super()._validate_params()
        self.named()
        if self.estimators is not None:
            self._validate_names([name for name, _ in self.estimators])

    def team(self) -> list[Any]:
        return [member._blank() for _, member in self.named()]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters; those of the members too.

        Parameters
        ----------
        deep : bool, default=True

        Returns
        -------
        params : dict
        """
        found: dict[str, Any] = self._get_params("estimators", deep=deep)
        return found

    def set_params(self, **params: Any) -> Any:
        """Set parameters, members by their names, or parameters of members.

        Parameters
        ----------
        **params : dict
            For instance `estimators=[...]`, `line=Ridge()`, or `line__alpha=2`.

        Returns
        -------
        self : object
        """
        if isinstance(self.estimators, tuple):  # in which nothing can be replaced
            self.estimators = list(self.estimators)
        self._set_params("estimators", **params)
        return self

    def is_valid(self, model: Any, summary: Any, schema: Schema) -> bool:
        return (summary is None or type(summary) is Joint) and super().is_valid(model, summary, schema)

    @property
    @fitted
    def estimators_(self) -> list[Any]:
        """The members as fitted models, in the order of `estimators`."""
        if "model_" not in self.__dict__:
            raise AttributeError("estimators_")
        return [self.as_given(at, self.fitted(at)) for at in range(len(self.named()))]

    def as_given(self, at: int, fitted: Any) -> Any:
        """Return a fitted member as it was given: the steps of a pipeline as a pipeline."""
        given = self.default_estimators() if self.estimators is None else self.estimators
        member = [one for _, one in given if not (isinstance(one, str) and one == "drop")][at]
        return as_pipeline(member, fitted) if is_pipeline(member) else fitted

    @property
    @fitted
    def named_estimators(self) -> Any:
        """The members as passed by the user, by name."""
        return Bunch(**dict(self.default_estimators() if self.estimators is None else self.estimators))

    @property
    @fitted
    def named_estimators_(self) -> Any:
        """The fitted members by name."""
        return Bunch(**dict(zip((name for name, _ in self.named()), self.estimators_, strict=True)))
