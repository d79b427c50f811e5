"""Multi-layer perceptrons killed in mid-fit, or trained on a cluster: always the bits of one undisturbed thread."""

import signal

import numpy as np
import pytest

import faults
import tenfold as tn
from tenfold.sources import part_rows
from tenfold.testing import bits

random = np.random.default_rng(0)
X = random.standard_normal((240, 4))
t = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]

LEARNERS = {
    "adam": "tn.MLPRegressor((5, 3), batch_norm=True, early_stopping=True, dropout=0.2, batch_size=20, max_iter=6)",
    "lbfgs": "tn.MLPRegressor(5, 'tanh', solver='lbfgs', n_init=2, max_iter=5)",
}
PROGRAM = """
import os, signal, sys
import numpy as np
import tenfold as tn

X = np.random.default_rng(0).standard_normal((240, 4))
t = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
turns = iter(range(1000))
replace = os.replace

def dies(*given):
    replace(*given)
    if next(turns) == 7:
        os.kill(os.getpid(), signal.SIGKILL)

os.replace = dies
{learner}.fit(X, t, checkpoint=tn.Checkpoint(sys.argv[1], every=0))
"""


@pytest.mark.full
@pytest.mark.parametrize("name", LEARNERS)
def test_a_fit_whose_process_is_killed_goes_on_to_the_same_bits(tmp_path, name):
    code, _, said = faults.Driver(PROGRAM.replace("{learner}", LEARNERS[name]), tmp_path).end()
    assert code == -signal.SIGKILL, said
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".checkpoint"]
    learner = eval(LEARNERS[name])
    whole = bits(learner.fit(X, t).model_)
    seen = []
    resumed = eval(LEARNERS[name])
    ask = type(resumed).ask
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(resumed), "ask", lambda self, state: seen.append(state.step) or ask(self, state))
        resumed.fit(X, t, checkpoint=tmp_path)
    assert bits(resumed.model_) == whole
    assert seen[0] >= 2  # not from the beginning
    assert not list(tmp_path.glob("*.checkpoint"))


@pytest.mark.full
def test_merged_gradients_have_the_same_bits_on_one_two_and_three_workers():
    nets = [
        tn.MLPRegressor(5, "tanh", solver="lbfgs", max_iter=6),
        tn.MLPRegressor(5, "tanh", solver="cg", max_iter=4, n_init=2),
    ]
    with part_rows(30), tn.on(tn.Local(threads=1)):
        expected = [bits(net.fit(X, t).model_) for net in nets]
    with faults.Cluster(3) as cluster:
        for workers in (1, 2, 3):
            with part_rows(30), tn.on(cluster.ready(workers).runner):
                assert [bits(net.fit(X, t).model_) for net in nets] == expected
