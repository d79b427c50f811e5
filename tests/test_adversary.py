"""The short form of the adversary (`benchmarks/adversary.py`): some cases hold, and broken learners are found."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

import mutants
import mutation_score
import planted
from adversary import judging, shrink
from adversary.book import LAWS, OF_KIND, ORACLES
from adversary.broken import BROKEN
from adversary.case import Problem, must
from adversary.learners import SPACES, public
from tiers import draws, only_full

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


def test_every_public_learner_is_drawn_with_parameters():
    assert set(public()) <= set(SPACES)


KINDS = [kind for kind in judging.SHARES if kind not in ("learners", "networks")]


@pytest.mark.parametrize("kind", [*KINDS, *only_full("networks")])  # PyTorch is slow to import
def test_no_case_of_another_kind_is_wrong(kind):
    found = []
    for index in range(draws(5, 40)):
        case = judging.draw(4, index, kind=kind)
        verdict = judging.judge(case)
        if verdict.outcome == "find":
            found.append(shrink.code(*shrink.shrunk(case, verdict)))
    assert not found, "\n\n".join(found)


def test_every_check_has_a_name_of_its_own():
    books = [LAWS, ORACLES, *OF_KIND.values()]
    assert len(judging.CHECKS) == sum(len(book) for book in books)
    assert {*OF_KIND} == {*judging.SHARES} - {"learners"}


def test_a_case_follows_from_seed_and_number():
    for index in range(6):
        a, b = (judging.draw(5, index, dask=False) for _ in range(2))
        assert a.tags == b.tags
        assert repr(a) == repr(b)


def test_a_problem_is_made_small_and_runs_alone(tmp_path):
    case = Problem(large_sizes_are_wrong, (1, 2), 9, "claims")
    small, verdict = shrink.shrunk(case, judging.judge(case))
    assert small.size == 3
    program = tmp_path / "find.py"
    program.write_text(shrink.code(small, verdict))
    assert "Problem(large_sizes_are_wrong, " in program.read_text()


def large_sizes_are_wrong(case):
    must(case.size < 3, f"a size of {case.size}")


@pytest.mark.parametrize("fault", [*planted.FAULTS, *mutants.FAULTS], ids=lambda fault: fault.name)
def test_a_fault_has_its_place(fault):
    text = (mutants.ROOT / "src" / "tenfold" / fault.file).read_text()
    assert text.count(fault.right) == 1
    compile(text.replace(fault.right, fault.wrong), fault.file, "exec")


def test_mutants_are_other_programs():
    path = mutation_score.SOURCES / "stats" / "moments" / "moments.py"
    drawn = list(mutation_score.mutants_of(path))
    assert len(drawn) > 50
    for mutant in drawn:
        assert path.read_text().count(mutant.right) == 1
        assert mutant.wrong != mutant.right
        compile(path.read_text().replace(mutant.right, mutant.wrong), mutant.name, "exec")


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
