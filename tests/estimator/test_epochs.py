"""Learners that are trained by epochs: which states a fit goes through, and what their checkpoints may hold."""

from dataclasses import is_dataclass

import numpy as np
import pytest

import tenfold as tn
from tenfold.core.axes import Bundle
from tenfold.estimator.epochs import Epoch, FinalPass, TrainedByEpochs, Validate
from tenfold.estimator.files import checkpoint

random = np.random.default_rng(0)
X = random.standard_normal((80, 3))
LABEL = X[:, 0] + 0.3 * random.standard_normal(80) > 0

LEARNERS = {
    "sgd": (tn.SGDClassifier(max_iter=2), ["Scaling", "Epoch", "Epoch", "FinalPass"]),
    "perceptron": (tn.Perceptron(max_iter=2), ["Epoch", "Epoch", "FinalPass"]),
    "pocket": (tn.Perceptron("pocket", max_iter=1), ["Epoch", "Trying", "FinalPass"]),
    "network": (tn.MLPClassifier(2, max_iter=2), ["Epoch", "Epoch", "FinalPass"]),
    "validated": (tn.MLPClassifier(2, max_iter=1, early_stopping=True), ["Epoch", "Validate", "FinalPass"]),
}


@pytest.mark.quick
@pytest.mark.parametrize("name", LEARNERS)
def test_a_fit_ends_with_one_pass_that_certifies_its_model(name, monkeypatch):
    learner, expected = LEARNERS[name]
    update, seen = type(learner).update, []
    monkeypatch.setattr(type(learner), "update", lambda self, at, s: seen.append(at) or update(self, at, s))
    model = learner.fit(X, LABEL)
    assert [type(state).__name__ for state in seen] == expected
    assert isinstance(learner, TrainedByEpochs)
    assert all(state.training is not None for state in seen if isinstance(state, Epoch | Validate))
    assert learner.model(seen[-1]) is None  # it is not certified yet
    assert seen[-1].model.n_iter == model.n_iter_
    assert "epochs" in {claim.kind for claim in model.certificate_.claims}


class Stopped(Exception):
    pass


@pytest.mark.parametrize(
    ("name", "kind"),
    [("sgd", Epoch), ("perceptron", Epoch), ("sgd", FinalPass), ("perceptron", FinalPass), ("network", FinalPass)],
)
def test_a_checkpoint_whose_state_holds_another_record_is_refused(name, kind, tmp_path, monkeypatch):
    learner, _ = LEARNERS[name]
    update = type(learner).update

    def interrupted(self, at, s):
        if isinstance(at, kind) and at.step:
            raise Stopped
        return update(self, at, s)

    write = checkpoint.write

    def swapped(path, learner, at, seed):
        if isinstance(at.state, kind):
            field, held = ("record", at.state.training) if kind is Epoch else ("kept", at.state.model)
            other = next(one for one in held if hasattr(one, "_fields") or is_dataclass(one))
            at = at._replace(state=at.state._replace(**{field: Bundle((other,))}))
        write(path, learner, at, seed)

    monkeypatch.setattr(type(learner), "update", interrupted)
    monkeypatch.setattr(checkpoint, "write", swapped)
    with pytest.raises(Stopped):
        learner.fit(X, LABEL, checkpoint=tn.Checkpoint(tmp_path, every=0))
    monkeypatch.undo()
    with pytest.raises(tn.ModelFileError, match="cannot be resumed"):
        learner.fit(X, LABEL, checkpoint=tmp_path)
