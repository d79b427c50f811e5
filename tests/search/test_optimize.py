"""The loop: optima by brute force, budgets, traces, stops, resuming, and the same bits on every runner."""

import itertools

import numpy as np
import pytest

import tenfold as tn
from tenfold import search

METHODS = {
    "climb": search.HillClimbing(climbers=20, attempts=30),
    "strict": search.HillClimbing(climbers=20, attempts=30, sideways=False),
    "anneal": search.SimulatedAnnealing(20, search.GeometricDecay(start=10.0, decay=0.98)),
    "genetic": search.Genetic(population=40),
    "one_point": search.Genetic(population=40, crossover="one_point", elite=0),
    "two_point": search.Genetic(population=40, crossover="two_point", elite=5, mutation=0.1),
    "tree": search.MIMIC(population=100, smoothing=1.0),
    "chain": search.MIMIC(population=100, model="chain", smoothing=1.0),
    "independent": search.MIMIC(population=100, model="independent", smoothing=1.0),
}
MOVERS = {name: method for name, method in METHODS.items() if not isinstance(method, search.MIMIC)}


def all_bits(n):
    return np.array(list(itertools.product((0, 1), repeat=n)))


def same(a, b):
    """Whether two searches have found the same, to the bit."""
    pairs = zip(a.progress[2:] + a.progress.state, b.progress[2:] + b.progress.state, strict=True)
    return all(np.asarray(x).tobytes() == np.asarray(y).tobytes() for x, y in pairs)


def plain_sum(X):
    return X @ np.arange(1.0, X.shape[1] + 1)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_bits_against_brute_force(method):
    rng = np.random.default_rng(4)
    things = search.knapsack(rng.integers(1, 30, 12), rng.integers(1, 30, 12), 80)
    for problem in (search.four_peaks(10), search.six_peaks(10), search.continuous_peaks(10), things):
        X = all_bits(problem.space.n_variables)
        best = problem.objective(X).max()
        found = search.optimize(problem, method, evaluations=8_000, target=best)
        assert found.fitness == best
        assert problem.objective(found.best[None])[0] == best


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_codes_against_brute_force(method):
    rng = np.random.default_rng(5)
    table = rng.normal(size=(4, 4, 3))
    problem = search.Problem(lambda X: table[tuple(X.T)], search.Discrete([4, 4, 3]), maximize=False)
    found = search.optimize(problem, method, evaluations=4_000, target=table.min())
    assert found.fitness == table.min()
    assert found.best.tolist() == list(np.unravel_index(table.argmin(), table.shape))


@pytest.mark.parametrize("method", MOVERS.values(), ids=MOVERS)
def test_orders_against_brute_force(method):
    problem = search.tsp(np.random.default_rng(6).random((7, 2)))
    shortest = problem.objective(np.array(list(itertools.permutations(range(7))))).min()
    found = search.optimize(problem, method, evaluations=8_000, target=shortest * (1 + 1e-12))
    assert found.fitness == pytest.approx(shortest, rel=1e-12)
    assert search.optimize(search.queens(6), method, evaluations=20_000).fitness == 0


@pytest.mark.parametrize("method", MOVERS.values(), ids=MOVERS)
def test_reals_find_the_lowest_dent(method):
    found = search.optimize(search.rastrigin(2), method, evaluations=20_000, target=0.5)
    assert found.fitness < 0.995  # the next dents are as high as this
    assert np.abs(found.best).max() < 0.1


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("budget", [1, 39, 100, 333, 1_000])
def test_budgets_are_kept_exactly(method, budget):
    seen = []

    def counted(X):
        seen.append(len(X))
        return plain_sum(X)

    found = search.optimize(search.Problem(counted, search.Bits(40)), method, evaluations=budget)
    assert sum(seen) == found.evaluations == budget
    assert found.stopped == "evaluations spent"


@pytest.mark.parametrize("maximize", [True, False])
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_traces_say_what_was_seen_and_never_fall(method, maximize):
    seen = []

    def noted(X):
        seen.append(plain_sum(X))
        return seen[-1]

    problem = search.Problem(noted, search.Bits(30), maximize=maximize)
    with tn.on(tn.Local(1)):
        found = search.optimize(problem, method, evaluations=777)
    every = np.concatenate(seen)
    running = np.maximum.accumulate(every) if maximize else np.minimum.accumulate(every)
    assert found.trace.at(np.arange(1, 778)).tolist() == running.tolist()
    assert np.isnan(found.trace.at([0])).all()
    steps = np.diff(found.trace.fitness)
    assert (steps > 0).all() if maximize else (steps < 0).all()
    assert found.fitness == running[-1] == plain_sum(found.best[None])[0]
    assert (found.population_fitness == plain_sum(found.population)).all()


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_resumed_searches_have_the_bits_of_uninterrupted_ones(method, tmp_path):
    problem = search.four_peaks(25)
    whole = search.optimize(problem, method, evaluations=1_500, random_state=3)
    at = search.optimize(problem, method, evaluations=7, random_state=3)
    for budget in (60, 61, 500, 999, 1_500):
        at.save(tmp_path / "search.npz")
        at = search.optimize(problem, method, evaluations=budget, resume=search.load(tmp_path / "search.npz"))
    assert same(at, whole)
    assert search.optimize(problem, method, evaluations=1_000, resume=at).stopped == whole.stopped


def test_seeds():
    problem, method = search.flip_flop(40), search.Genetic(population=30)
    found = [search.optimize(problem, method, evaluations=300, random_state=seed) for seed in (0, 0, 1)]
    assert same(found[0], found[1])
    assert not same(found[0], found[2])
    assert same(search.optimize(problem, method, evaluations=300), found[0])


def test_stops():
    problem = search.flip_flop(30)
    found = search.optimize(problem, search.SimulatedAnnealing(), evaluations=10**6)
    assert (found.fitness, found.stopped) == (29, "target reached")
    found = search.optimize(problem, search.HillClimbing(), evaluations=10**6, target=20)
    assert found.fitness >= 20
    assert found.evaluations < 1_000
    flat = search.Problem(lambda X: np.zeros(len(X)), search.Bits(5))
    found = search.optimize(flat, search.HillClimbing(climbers=10), evaluations=10**6, patience=7)
    assert (found.rounds, found.evaluations, found.stopped) == (7, 80, "7 rounds without a better point")
    found = search.optimize(flat, search.MIMIC(population=10), evaluations=10**6, stop=tn.Rounds(4))
    assert (found.rounds, found.evaluations, found.stopped) == (4, 50, "4 rounds")
    found = search.optimize(flat, search.Genetic(), evaluations=10**9, stop=tn.Seconds(0.01))
    assert found.stopped == "0.01 seconds"
    assert found.trace.evaluations.tolist() == [1]


def test_points_that_are_not_allowed():
    """Infinitely bad points are left, also if all of the first population are; one evaluation is found all the same."""
    problem = search.Problem(
        lambda X: np.where(X[:, 0] == 1, X.sum(axis=1), -np.inf), search.Bits(12), optimum=12
    )  # fmt: skip
    start = np.zeros((20, 12))
    for method in METHODS.values():
        found = search.optimize(problem, method, evaluations=20_000, init=start, target=10)
        assert found.fitness >= 10
    found = search.optimize(problem, search.HillClimbing(), evaluations=3, init=start)
    assert found.fitness == -np.inf
    assert found.trace.evaluations.tolist() == [1]


def test_restarts_begin_anew():
    """A climber at a peak of which all neighbours are worse starts again after so many attempts."""
    peak = search.Problem(lambda X: np.where(X.sum(axis=1) == 0, 5.0, X.sum(axis=1)), search.Bits(10), optimum=10)
    found = search.optimize(peak, search.HillClimbing(1, attempts=50), evaluations=51, init=np.zeros((1, 10)))
    assert found.population.tolist() == [[0] * 10]
    found = search.optimize(peak, search.HillClimbing(1, attempts=50), evaluations=52, init=np.zeros((1, 10)))
    assert found.population.sum() > 1
    found = search.optimize(peak, search.HillClimbing(1, attempts=50), evaluations=3_000, init=np.zeros((1, 10)))
    assert found.fitness == 10


def test_wrong_input_is_named(tmp_path):
    bits, order = search.flip_flop(10), search.tsp(np.eye(4))
    half = search.optimize(bits, search.Genetic(), evaluations=100, random_state=5)
    with pytest.raises(TypeError, match="MIMIC searches Bits, Discrete and Permutations, not Box"):
        search.optimize(search.rastrigin(3), search.MIMIC(), evaluations=10)
    with pytest.raises(ValueError, match="65 are more than 64. Remedy: Genetic"):
        search.optimize(search.queens(65), search.MIMIC(), evaluations=10)
    with pytest.raises(ValueError, match="evaluations must be an integer at least 1"):
        search.optimize(bits, search.Genetic(), evaluations=0)
    with pytest.raises(ValueError, match="has the seed 5"):
        search.optimize(bits, search.Genetic(), evaluations=200, random_state=1, resume=half)
    with pytest.raises(ValueError, match="init and resume exclude"):
        search.optimize(bits, search.Genetic(), evaluations=200, init=np.zeros((2, 10)), resume=half)
    with pytest.raises(ValueError, match="must have a row each and 12 columns"):
        search.optimize(search.flip_flop(12), search.Genetic(), evaluations=200, resume=half)
    with pytest.raises(ValueError, match="maximizes, the other minimizes"):
        search.optimize(order, search.Genetic(), evaluations=200, resume=half)
    with pytest.raises(ValueError, match="the temperature of round 0 must be finite and above 0"):
        search.optimize(bits, search.SimulatedAnnealing(schedule=lambda round: 0.0), evaluations=200)
    with pytest.raises(TypeError, match="schedule must be a function"):
        search.SimulatedAnnealing(schedule=0.5)
    with pytest.raises(ValueError, match="elite must be an integer at least 0 and at most 9"):
        search.Genetic(population=10, elite=10)
    with pytest.raises(ValueError, match="smoothing must not be negative"):
        search.MIMIC(smoothing=-1)
    (tmp_path / "other.npz").write_bytes(b"something else")
    with pytest.raises(ValueError, match="is not a file that SearchResult.save wrote"):
        search.load(tmp_path / "other.npz")
    np.savez(tmp_path / "array.npz", a=np.zeros(3))
    with pytest.raises(ValueError, match="is not a file that SearchResult.save wrote"):
        search.load(tmp_path / "array.npz")


@pytest.mark.timeout(120)
def test_threads_and_workers_find_the_same_bits():
    from distributed import Client

    def products(X):  # of this test alone: workers cannot import it, so it is sent to them as it is
        """An objective whose bits depend on how many rows a product has, were batches cut otherwise."""
        weights = np.random.default_rng(0).normal(size=(X.shape[1], 50))
        return np.tanh(X @ weights) @ np.random.default_rng(1).normal(size=50)

    tasks = [
        (search.Problem(products, search.Bits(20), batch_size=16), search.MIMIC(population=100)),
        (search.Problem(products, search.Box([-1.0] * 5, [1.0] * 5), batch_size=7), search.SimulatedAnnealing(30)),
        (search.tsp(np.random.default_rng(0).random((12, 2))), search.Genetic(population=50)),
        (search.k_coloring([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]], 3), search.HillClimbing(climbers=10)),
    ]  # fmt: skip
    found = []
    for threads in (1, 2, 3):
        with tn.on(tn.Local(threads)):
            found.append([search.optimize(*task, evaluations=400, random_state=2) for task in tasks])
    here = Client(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with here as client, tn.on(tn.Dask(client)):
        found.append([search.optimize(*task, evaluations=400, random_state=2) for task in tasks])
        with pytest.raises(ValueError, match="one number for each row"):
            search.optimize(search.Problem(np.sum, search.Bits(3)), search.Genetic(), evaluations=200)
    for other in found[1:]:
        assert all(map(same, found[0], other))
