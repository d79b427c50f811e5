"""The short form of the adversary (`benchmarks/adversary.py`): some cases hold, and broken learners are found."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from adversary import judging, shrink
from adversary.broken import BROKEN
from tiers import only_full

sys.path.pop()  # its modules have names that folders of tests have too

CASES = 100
"""of each of four seeds: some fifteen seconds together"""


@pytest.mark.parametrize("seed", [0, *only_full(1, 2, 3)])
def test_no_answer_is_wrong(seed):
    found = []
    for index in range(CASES):
        case = judging.draw(seed, index, dask=False)
        verdict = judging.judge(case)
        if verdict.outcome == "find":
            found.append(shrink.code(*shrink.shrunk(case, verdict)))
    assert not found, "\n\n".join(found)


def first_find(cls, most=400):
    for index in range(most):
        case = judging.draw(0, index, only=cls.__name__, dask=False)
        if type(case.learner).__name__ == cls.__name__:
            case = case._replace(learner=cls(**case.learner.get_params(deep=False)))
            verdict = judging.judge(case)
            if verdict.kind == BROKEN[cls]:
                return shrink.shrunk(case, verdict, 5.0)
    return None


@pytest.mark.parametrize("cls", BROKEN, ids=lambda cls: cls.__name__)
def test_a_broken_learner_is_found(cls):
    found = first_find(cls)
    assert found is not None
    assert found[0].n < 20


def test_a_find_is_code_that_runs_alone(tmp_path):
    program = tmp_path / "find.py"
    program.write_text(shrink.code(*first_find(next(iter(BROKEN)))))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Wrong" in done.stderr
