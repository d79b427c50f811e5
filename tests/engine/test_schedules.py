"""Simulated clusters: whatever happens to tasks and workers, a fit has the bits of one thread, or names the cause."""

from collections import Counter

import numpy as np
import pytest

import tenfold as tn
from faulty_executors import FAULTY
from fits_on_engines import SHAPES, rows_of
from tenfold.engine.executors.executor import MAX_ATTEMPTS, TaskSession
from tenfold.engine.executors.simulated import CALM, Hazards, Simulated, SimulatedExecutor, WorkerLost
from tenfold.testing import Memo, check_runner, check_schedules
from tiers import draws

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ROUGH = Hazards(death=0.03, late=0.03, twice=0.2, unreadable=0.2, joins=0.03)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_schedule_has_the_bits_of_one_thread(shape):
    seeds = range(draws(6, 60))
    found = check_schedules(SHAPES[shape], rows_of(shape), seeds, memo=Memo())
    assert found["same"] + found["WorkerLost"] + found["OSError"] == len(seeds)
    assert found["same"] > 0.6 * len(seeds)


@pytest.mark.parametrize("shape", ["read", "held, and its scratch kept", "in order"])
def test_tasks_that_are_pickled_and_run_again_have_the_same_bits(shape):
    found = check_schedules(SHAPES[shape], rows_of(shape, 300), range(draws(2, 10)), hazards=ROUGH)
    assert found["same"]


def test_the_laws_of_runners():
    check_runner(Simulated(3, hazards=CALM), [(tn.Ridge(), rows_of("read")), (tn.KMeans(3), rows_of("many rounds"))])


def test_a_schedule_is_a_function_of_the_seed():
    def events(seed):
        runner = Simulated(seed, hazards=ROUGH)
        with tn.on(runner):
            tn.Ridge().fit(rows_of("read"))
        return [(executor.clock, executor.workers) for executor in runner.executors]

    assert events(5) == events(5)
    assert events(5) != events(6)


def test_where_nothing_happens_nothing_is_done_again():
    runner = Simulated(1, hazards=CALM)
    with tn.on(runner):
        tn.AdaBoostClassifier(n_estimators=20).fit(rows_of("held, and its scratch kept"))
    assert runner.repeated == 0


def test_scratch_is_kept(monkeypatch):
    """The shape of that name has its scratch held, every eighth round."""
    kept, on_held = Counter(), TaskSession._on_held

    def counted(self, function, *given, **options):
        kept[function.__name__] += 1
        return on_held(self, function, *given, **options)

    monkeypatch.setattr(TaskSession, "_on_held", counted)
    with tn.on(Simulated(0, hazards=CALM)):
        SHAPES["held, and its scratch kept"].fit(rows_of("held, and its scratch kept"))
    assert kept["follow_parts"] == 2


def test_predictions_come_in_order():
    model = tn.Ridge().fit(rows_of("read"))
    runner = Simulated(4, hazards=Hazards(unreadable=0.0, death=0.0, late=0.0, slow=0.5))
    function = str
    assert list(runner.map(function, range(20), None)) == [str(part) for part in range(20)]
    with tn.on(runner):
        np.testing.assert_array_equal(model.predict(np.eye(3)), model.predict(np.eye(3)))
    assert runner.handles_left == 0


def test_workers_that_die_every_time_end_the_fit_by_name():
    runner = Simulated(0, hazards=Hazards(death=0.0, late=1.0))
    with tn.on(runner), pytest.raises(WorkerLost, match="workers died under"):
        tn.Ridge().fit(rows_of("read"))
    assert runner.executors[0].losses == MAX_ATTEMPTS


def test_a_file_that_stays_unreadable_ends_the_fit_by_name():
    with tn.on(Simulated(0, hazards=Hazards(unreadable=1.0))), pytest.raises(OSError, match="cannot read its file"):
        tn.Ridge().fit(rows_of("read"))


def test_an_output_that_was_not_to_be_kept_is_not_read_in_a_later_round():
    executor = Simulated(0, hazards=CALM).executor()
    (first,) = executor.submit(abs, [(-3,)], "first")
    assert executor.gather([first]) == [3]
    with pytest.raises(AssertionError, match=r"second-0 reads first-0, an output of an earlier round"):
        executor.submit(abs, [(first,)], "second")


@pytest.mark.parametrize("fault", FAULTY)
def test_faults_of_executors_are_found(fault):
    shape = "many rounds"
    with pytest.raises(AssertionError, match=r"^seed \d+: "):
        check_schedules(SHAPES[shape], rows_of(shape), range(200), hazards=ROUGH, executor=FAULTY[fault])


def test_without_the_fault_none_is_found():
    assert issubclass(FAULTY["a loss is dropped"], SimulatedExecutor)
    shape = "many rounds"
    assert check_schedules(SHAPES[shape], rows_of(shape), range(draws(10, 100)), hazards=ROUGH, memo=Memo())["same"]
