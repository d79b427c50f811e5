"""Forged model files and checkpoints put to every learner: what comes of each, in workers that may die of it.

Used by the tests and by `benchmarks/fuzz_files.py`. A forged file may be refused. One that loads must answer every
public method and property, or say why not with an error of ours; it must not crash, hang, fill the memory or run code.
"""

from __future__ import annotations

import inspect
import math
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import tenfold as tn
from forged_files import Parts, forged, places, taken_apart
from helpers import learners
from tenfold.core import ModelFileError
from tenfold.sources import part_rows
from tenfold.tree.growing import grower

SECONDS = 5.0
"""that a file may take, with everything that is asked of its model"""
SPARE = 64 << 20
"""bytes that it may take beyond four times its size"""
FORBIDDEN = (
    "exec", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "subprocess.Popen",
    "pickle.find_class", "marshal.loads", "marshal.load", "socket.connect", "ctypes.dlopen", "shutil.rmtree",
    "os.remove",
)  # fmt: skip
"""what Python is asked to do when code of a file runs"""
SLOW, SOME = 0.004, 6
"""seconds of a call that is made of one file in so many only, and of those that follow from its number"""
NOT_ASKED = frozenset({"fit", "fit_predict", "fit_transform", "get_metadata_routing", "save"})
ARGUMENTS = frozenset({"X", "y", "sample_weight", "label"})


# ---- data and learners ---------------------------------------------------------------------------


class Data(NamedTuple):
    """Rows to learn from, by what a learner takes."""

    numbers: Any
    mixed: Any
    words: Any
    y: Any
    counts: Any
    two: Any
    three: Any


def data(n: int = 60) -> Data:
    """Small rows of every kind, some values missing."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 3))
    colour = np.array(["red", "green", "blue", "größe"], dtype=object)[random.integers(0, 4, n)]
    y = X @ [1.0, -2.0, 0.5] + 0.3 * random.normal(size=n) + 4.0 * (colour == "red") - 4.0 * (colour == "größe")
    mixed = pd.DataFrame({"a": X[:, 0], "colour": pd.Categorical(colour), "b": X[:, 2]})
    words = np.array(["a", "bb", "größe", "漢"], dtype=object)[random.integers(0, 4, (n, 2))]
    names = np.array(["no", "yes"], dtype=object)
    return Data(X, mixed, words, y, np.exp(y / 4), names[(y > 0).astype(int)], np.digitize(y, [-1.0, 1.0]))


def sets(d: Data) -> list[tuple[str, Any, Any, Any]]:
    """Name, learner, rows and target: every learner as it is, and with parameters that bring other states."""
    few = {"max_iter": 4, "n_estimators": 3}
    found = []
    for one in learners():
        one.set_params(**{k: v for k, v in few.items() if k in one.get_params() and not _slow(one)})
        found.append((type(one).__name__, one, *_rows(one, d)))
    with_gaps = d.mixed.copy()
    with_gaps.loc[::7, "a"] = np.nan
    with_gaps.loc[::9, "colour"] = None
    tree, lr = tn.DecisionTreeClassifier(max_depth=3), tn.LogisticRegression(max_iter=4)
    near = np.column_stack([d.numbers, d.numbers[:, 0] + 1e-9 * d.numbers[:, 1]])
    boost = {"max_iter": 3, "max_leaf_nodes": 4, "min_samples_leaf": 3}
    more: list[tuple[str, Any, Any, Any]] = [
        ("tree, gaps", tn.DecisionTreeClassifier(max_depth=4), with_gaps, d.three),
        ("tree, multiway", tn.DecisionTreeClassifier(split="multiway", class_weight="balanced"), with_gaps, d.two),
        ("tree, exact", tn.DecisionTreeClassifier(method="exact", max_depth=3), d.mixed, d.two),
        ("tree, parts", tn.C45(), with_gaps, d.three),
        ("tree, by class", tn.DecisionTreeClassifier(missing="class_majority"), with_gaps, d.three),
        ("tree, ccp", tn.DecisionTreeRegressor(ccp_alpha=0.01), d.mixed, d.y),
        ("tree, held back", tn.DecisionTreeClassifier(prune="reduced_error"), d.mixed, d.two),
        ("tree, leaves", tn.DecisionTreeRegressor(max_leaf_nodes=4), d.mixed, d.y),
        ("rules, mixed", tn.RuleListClassifier(), with_gaps, d.two),
        ("forest, mixed", tn.RandomForestClassifier(n_estimators=3, max_depth=3), with_gaps, d.three),
        ("boosting, gaps", tn.HistGradientBoostingClassifier(**boost), with_gaps, d.two),
        ("boosting, three", tn.HistGradientBoostingClassifier(**boost, early_stopping=True), d.mixed, d.three),
        ("boosting, quantile", tn.HistGradientBoostingRegressor(loss="quantile", quantile=0.7, **boost), d.mixed, d.y),
        ("boosting, absolute", tn.HistGradientBoostingRegressor(loss="absolute_error", **boost), d.numbers, d.y),
        ("boosting, poisson", tn.HistGradientBoostingRegressor(loss="poisson", **boost), d.mixed, d.counts),
        ("boosting, monotonic", tn.HistGradientBoostingRegressor(monotonic_cst=[1, 0, -1], subsample=0.5, **boost),
         d.numbers, d.y),
        ("ridge, mixed", tn.Ridge(standard_errors="HC3"), d.mixed, d.y),
        ("ridge, near", tn.Ridge(alpha=1e-12), near, d.y),
        ("least squares, near", tn.LinearRegression(), near, d.y),
        ("lasso, mixed", tn.Lasso(alpha=0.1), d.mixed, d.y),
        ("logistic, three", tn.LogisticRegression(max_iter=5), d.mixed, d.three),
        ("logistic, inferred", tn.LogisticRegression(C=np.inf), d.mixed, d.two),
        ("logistic, robust", tn.LogisticRegression(C=np.inf, standard_errors="HC3"), d.mixed, d.two),
        ("adaline, three", tn.Adaline(1, max_iter=3), d.numbers, d.three),
        ("perceptron, three", tn.Perceptron(max_iter=3), d.mixed, d.three),
        ("sgd, three", tn.SGDClassifier(max_iter=3, average=True), d.mixed, d.three),
        ("sgd, momentum", tn.SGDRegressor(loss="epsilon_insensitive", max_iter=3, momentum=0.5), d.numbers, d.y),
        ("network, adam", tn.MLPClassifier((3, 2), max_iter=2, early_stopping=True), d.mixed, d.three),
        ("network, parts", tn.MLPClassifier(3, max_iter=2, batch_norm=True, embedding=2, n_init=2), d.mixed, d.three),
        ("network, lbfgs", tn.MLPRegressor(3, solver="lbfgs", max_iter=3), d.numbers, d.y),
        ("machine, three", tn.LinearSVC(loss="hinge"), d.numbers, d.three),
        ("machine, descent", tn.LinearSVR(dual=True, C=0.1), d.numbers, d.y),
        ("polynomial", tn.PolynomialFeatures(3, include_bias=False), d.numbers, None),
        ("one hot, drop", tn.OneHotEncoder(drop="first", handle_missing="ignore"), d.words, None),
        ("median", tn.SimpleImputer("median"), d.numbers, None),
        ("even bins", tn.KBinsDiscretizer(2, strategy="uniform", encode="ordinal"), d.numbers, None),
        ("normal ranks", tn.QuantileTransformer(n_quantiles=4, output_distribution="normal"), d.numbers, None),
        ("mode", tn.SimpleImputer("most_frequent", add_indicator=True), d.numbers, None),
        ("places", tn.OrdinalEncoder(max_categories=2), d.words, None),
        ("PCA, two", tn.PCA(2), d.numbers, None),
        ("boosting of trees", tn.AdaBoostClassifier(tree, n_estimators=3), d.mixed, d.three),
        ("boosting of lines", tn.AdaBoostClassifier(lr, n_estimators=2), d.numbers, d.two),
        ("bag of trees", tn.BaggingClassifier(tree, 3, oob_score=True), d.mixed, d.three),
        ("bag of ridges", tn.BaggingRegressor(tn.Ridge(), 3), d.numbers, d.y),
        ("stack", tn.StackingClassifier([("t", tree), ("l", lr), ("g", tn.GaussianNB())], cv=3), d.numbers, d.three),
        ("stack beside", tn.StackingRegressor(
            [("t", tn.DecisionTreeRegressor(max_depth=2)), ("r", tn.Ridge())], cv=3, passthrough=True
        ), d.mixed, d.y),
        ("vote", tn.VotingClassifier([("t", tree), ("n", tn.GaussianNB())]), d.numbers, d.two),
        ("vote of a bag", tn.VotingClassifier(
            [("b", tn.BaggingClassifier(tn.GaussianNB(), 2)), ("n", tn.GaussianNB())]
        ), d.numbers, d.three),
        ("mean", tn.VotingRegressor([("t", tn.DecisionTreeRegressor(max_depth=2)), ("r", tn.Ridge())]), d.mixed, d.y),
        ("network of a graph", tn.BayesianNetworkDensity({"x1": ["x0"]}, alpha=0.5), d.words, None),
        ("version space", tn.CandidateElimination(undecided="?"), d.words, d.words[:, 0] == "a"),
        ("power set", tn.ListThenEliminate("power set"), d.words, d.two),
        ("network by EM", tn.BayesianNetworkEM({"x1": ["x0", "h"]}, {"h": 2}, tol=1e-2), d.words, None),
        ("bayes optimal", tn.BayesOptimalClassifier([["a", "?"], ["?", "bb"]], noise=0.1), d.words, d.two),
        ("naive bayes, gaps", tn.NaiveBayes(m=2.0, p="marginal"), with_gaps, d.three),
        ("naive bayes, counts", tn.NaiveBayes(poisson=[0]), np.abs(d.numbers).round(), d.two),
        ("vote of lists", tn.VotingClassifier([("f", tn.CategoricalNB()), ("c", tn.CategoricalNB(alpha=2.0))]),
         d.words, d.two),
    ]  # fmt: skip
    return found + more


def _slow(one: Any) -> bool:
    """Whether few rounds would be too few for an answer."""
    return type(one).__name__ in ("Lasso", "ElasticNet", "LassoCV", "ElasticNetCV", "BridgeRegression")


def _rows(one: Any, d: Data) -> tuple[Any, Any]:
    """Rows and target as a learner takes them."""
    need = one.need
    each = {"numeric": d.numbers, "categorical": d.words, "mixed": d.mixed, "unused": d.mixed}
    X = (each | {"text": documents(d), "date": dates(d)})[need.kinds]
    X = np.abs(X) if need.counts else X
    X = X[:, :1] if need.sequence is not None and need.kinds == "categorical" else X
    if need.target is None:
        return X, None
    if need.per_sequence:  # all rows are one
        return X, np.repeat(d.three[:1] if need.target == "class" else d.y[:1], len(X))
    if need.target == "class":
        return X, d.two if need.binary else d.three
    return X, d.counts if need.positive else d.y


def dates(d: Data) -> Any:
    """Dates of about a century, some missing."""
    found = (d.numbers * 1e9).astype("M8[s]")
    found[::9, 0] = np.datetime64("NaT")
    return found


def documents(d: Data) -> Any:
    """A text of a few words for each row."""
    return np.array([" ".join([*some, *some]) for some in d.words.tolist()], dtype=object)


# ---- what is asked of a loaded model ---------------------------------------------------------------


class Case(NamedTuple):
    """A file to forge, and what it is of."""

    name: str
    raw: bytes
    parts: Parts
    places: list[tuple[Any, ...]]
    learner: Any
    X: Any
    y: Any
    file: str
    """of a checkpoint: its name"""
    calls: dict[str, Callable[[Any], Any]]
    declared: dict[str, tuple[type[BaseException], ...]]
    """errors that the calls have on the model as it was saved"""
    slow: frozenset[str] = frozenset()
    """calls that take longer than others: they are made of some files only"""


def calls_of(cls: type, X: Any, y: Any) -> dict[str, Callable[[Any], Any]]:
    """Every public method and property that a user can ask, by name, and what operators and printing do."""
    found: dict[str, Callable[[Any], Any]] = {}
    rows, target = X[:7], None if y is None else y[:7]
    told = {"X": rows, "y": target, "sample_weight": None, "label": None if y is None else y[0]}
    for name in sorted(dir(cls)):
        if name.startswith(("_", "set_")) or name in NOT_ASKED:
            continue
        static = inspect.getattr_static(cls, name)
        if isinstance(static, property) or not callable(getattr(cls, name, static)):
            found[name] = lambda model, name=name: _answer(getattr(model, name))
            continue
        if isinstance(static, type):
            continue
        names = [p.name for p in list(inspect.signature(getattr(cls, name)).parameters.values())[1:]
                 if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]  # fmt: skip
        wanted = {
            p
            for p in list(inspect.signature(getattr(cls, name)).parameters)[1:]
            if p in ARGUMENTS and p != "sample_weight"
        }
        if set(names) <= ARGUMENTS:
            found[name] = lambda model, name=name, wanted=wanted: _answer(
                getattr(model, name)(**{k: told[k] for k in wanted})
            )
    found.pop("inverse_transform", None)
    if hasattr(cls, "inverse_transform"):
        found["inverse_transform"] = lambda model: model.inverse_transform(model.transform(rows))
    found["+"] = lambda model: model + model
    found["repr"] = lambda model: (repr(model), repr(model.certificate_), str(model.certificate_))
    found["html"] = lambda model: model._repr_html_()
    found["model"] = lambda model: [getattr(model, n) for n in dir(model) if n.endswith("_") and not n.startswith("_")]
    if "partial_fit" in found:  # it changes the model, so it comes last
        found["partial_fit"] = found.pop("partial_fit")
    return found


def _answer(value: Any) -> Any:
    """What is given step by step, all of it; of fitted members, what they say."""
    if inspect.isgenerator(value):
        return list(value)
    return value


@contextmanager
def gathering(most: int | None) -> Iterator[None]:
    """Trees that gather so many bytes of rows in one place; None: as they are."""
    old = grower.MAX_GATHERED_BYTES
    grower.MAX_GATHERED_BYTES = old if most is None else most
    try:
        yield
    finally:
        grower.MAX_GATHERED_BYTES = old


def model_cases(names: str = "") -> list[Case]:
    """A saved model of each learner and set of parameters."""
    found = []
    with tempfile.TemporaryDirectory() as folder, quietly(), tn.on(tn.Local(threads=1)):
        path = Path(folder) / "m.tenfold"
        for name, one, X, y in sets(data()):
            if names not in name:
                continue
            one.fit(X, y).save(path)
            raw = path.read_bytes()
            parts = taken_apart(raw)
            case = Case(name, raw, parts, places(parts), one, X, y, "", calls_of(type(one), X, y), {})
            _declared(case, tn.load(path))  # kernels are compiled here
            declared, slow = _declared(case, tn.load(path))
            found.append(case._replace(declared=declared, slow=slow))
    return found


def _declared(case: Case, model: Any) -> tuple[dict[str, tuple[type[BaseException], ...]], frozenset[str]]:
    """Ask everything of the model as it was saved: which errors belong to it, and which calls are slow."""
    out: dict[str, tuple[type[BaseException], ...]] = {}
    slow = {"html"}
    for name, call in case.calls.items():
        began = time.process_time()
        try:
            call(model)
        except (AttributeError, TypeError, NotImplementedError, ImportError) as error:
            out[name] = (type(error),)
        except ValueError:
            pass
        if time.process_time() - began > SLOW:
            slow.add(name)
    return out, frozenset(slow)


class _Cut(KeyboardInterrupt):
    """Ends a fit at a turn."""


def checkpoint_cases(names: str = "", most: int = 5, *, exact: bool = False) -> list[Case]:
    """Checkpoints of each learner, or of those with this text in their names, from some of the turns of its fit."""
    found = []
    with tempfile.TemporaryDirectory() as folder, quietly(), tn.on(tn.Local(threads=1)):
        for name, one, X, y in sets(data()):
            if names != name if exact else names not in name:
                continue
            for gather in (None, 0) if "tree" in type(one).__module__ else (None,):
                said = name if gather is None else f"{name}, by levels"
                with gathering(gather):
                    for turn, file, raw in _turns(one, X, y, Path(folder), most):
                        parts = taken_apart(raw)
                        case = Case(f"{said}, turn {turn}", raw, parts, places(parts), one, X, y, file, {}, {})
                        (Path(folder) / file).write_bytes(raw)
                        said_of_it = _checkpoint(case, Path(folder), lambda step: None)  # kernels are compiled here
                        assert said_of_it == "loaded", f"{case.name}: {said_of_it}"
                        found.append(case)
    return found


def _turns(one: Any, X: Any, y: Any, folder: Path, most: int) -> list[tuple[int, str, bytes]]:
    """Turn, name and bytes of some of the checkpoints of a fit, first and last among them."""
    cls, update, seen = type(one), type(one).update, 0

    @wraps(update)
    def counted(self: Any, state: Any, summary: Any) -> Any:
        nonlocal seen
        seen += 1
        if seen == stop:
            raise _Cut
        return update(self, state, summary)

    cls.update = counted
    try:
        stop, out = -1, []
        _fit(one, X, y, folder)
        turns = seen
        for stop in sorted({1, 2, 3, turns // 2, turns - 1, turns} & set(range(1, turns + 1)))[-most:]:
            seen = 0
            with suppress(_Cut):
                _fit(one, X, y, folder)
            for path in folder.iterdir():
                out.append((stop, path.name, path.read_bytes()))
                path.unlink()
        return out
    finally:
        cls.update = update


def _fit(one: Any, X: Any, y: Any, folder: Path) -> Any:
    with part_rows(25):
        return type(one)(**one.get_params(deep=False)).fit(X, y, checkpoint=folder)


@contextmanager
def quietly() -> Iterator[None]:
    """Senseless numbers may warn."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


# ---- one file ------------------------------------------------------------------------------------


class Find(NamedTuple):
    """Something that must not be."""

    case: str
    field: str
    mutation: str
    number: int
    what: str

    def __str__(self) -> str:
        return f"{self.case} | {self.field} | {self.mutation} | file {self.number} | {self.what}"


class Fuzz(NamedTuple):
    """Which files: the case, the place and the mutation follow from the seed and the number of the file."""

    cases: list[Case]
    seed: int

    def file(self, number: int) -> tuple[Case, Any]:
        """The case and the forged file of a number: places of a case come one after the other."""
        random = np.random.default_rng([self.seed, number])
        case = self.cases[number % len(self.cases)]
        at = (number // len(self.cases) * 7919 + self.seed * 104729) % len(case.places)
        return case, forged(case.raw, case.parts, case.places, case.places[at], random)

    def serve(self, number: int, folder: Path, step: Callable[[str], None]) -> str:
        """What comes of a file: "refused", "loaded", or a find."""
        case, file = self.file(number)
        path = folder / (case.file or "m.tenfold")
        path.write_bytes(file.raw)
        with _limited(len(file.raw)) as over:
            said = _checkpoint(case, folder, step) if case.file else _model(case, path, step, number)
        path.unlink(missing_ok=True)
        return over[0] if over and said in ("refused", "loaded") else said


def _model(case: Case, path: Path, step: Callable[[str], None], number: int) -> str:
    """Load a model, and ask it everything."""
    step("load")
    try:
        model = tn.load(path)
    except ModelFileError:
        return "refused"
    except BaseException as error:
        return _named("load", error)
    calls = case.calls if type(model) is type(case.learner) else calls_of(type(model), case.X, case.y)
    for at, (name, call) in enumerate(calls.items()):
        if name in case.slow and (number // 97 + at) % SOME:
            continue
        step(name)
        try:
            call(model)
        except (ValueError, *case.declared.get(name, ())):
            pass
        except AttributeError as error:  # what these parameters do not offer
            if f"{type(model).__name__!r} object has no attribute {name!r}" not in str(error):
                return _named(name, error)
        except BaseException as error:
            return _named(name, error)
    step("save")
    try:
        model.save(path)
    except ModelFileError:  # what partial_fit made of forged numbers need not be a model
        return "loaded"
    except BaseException as error:
        return _named("save", error)
    try:
        tn.load(path)
    except BaseException as error:
        return _named("load again", error)
    return "loaded"


def _checkpoint(case: Case, folder: Path, step: Callable[[str], None]) -> str:
    """Go on from a checkpoint, and ask the model something."""
    step("fit")
    with gathering(0 if ", by levels" in case.name else None):
        try:
            model = _fit(case.learner, case.X, case.y, folder)
        except ModelFileError:
            return "refused"
        except ValueError:
            return "loaded"
        except BaseException as error:
            return _named("fit", error)
    step("predict")
    try:
        use = next(name for name in ("predict", "transform", "score_samples", "describe") if hasattr(model, name))
        getattr(model, use)(*(() if use == "describe" else (case.X[:7],)))
    except ValueError:
        pass
    except BaseException as error:
        return _named("predict", error)
    return "loaded"


def _named(step: str, error: BaseException) -> str:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{step}: {type(error).__name__}: {str(error)[:120]} ({Path(last.filename).name}:{last.lineno})"


_watch: list[str] | None = None


def _hook(event: str, args: tuple[Any, ...]) -> None:
    """Notes events that code of a file would raise; imports of ours and cached kernels raise some of them too."""
    if _watch is None or event not in FORBIDDEN:
        return
    if event == "os.remove" and "tmp" in str(args):
        return
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith("<frozen importlib") or name.endswith("/typing.py") or "/numba/" in name:
            return  # modules, annotations and kernels are read when they are first used; kernels raise pickled errors
        frame = frame.f_back  # type: ignore[assignment]
    _watch.append(f"code: {event} {str(args)[:80]}")


@contextmanager
def _limited(size: int) -> Iterator[list[str]]:
    """No more memory than a file may take, and no code; what was exceeded."""
    global _watch
    found: list[str] = []
    allowed = 4 * size + SPARE
    pages = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages + allowed, before[1]))
    _watch = found
    try:
        yield found
    finally:
        _watch = None
        resource.setrlimit(resource.RLIMIT_AS, before)


# ---- workers ---------------------------------------------------------------------------------------

TOGETHER = 64
"""answers that are sent at a time"""
PATIENCE = 12
"""times the seconds of a file: so long it may take to compile a kernel; then it is served again, and timed"""


def _work(fuzz: Fuzz, numbers: range, pipe: Connection, at: Any, step: Any) -> None:
    """Serve files one after the other; note before each step what comes, so that a death can be told."""
    sys.addaudithook(_hook)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    answers: list[tuple[int, str, float]] = []

    def note(name: str) -> None:
        step.value = name.encode()[:60]

    with tempfile.TemporaryDirectory() as folder, quietly(), tn.on(tn.Local(threads=1)):
        for number in numbers:
            at.value = number
            for _ in range(2):
                began = time.process_time()
                said = fuzz.serve(number, Path(folder), note)
                used = time.process_time() - began
                if used <= SECONDS:
                    break
            else:
                said = f"took {used:.1f} s"
            answers.append((number, said, used))
            if len(answers) == TOGETHER or said not in ("refused", "loaded"):
                pipe.send(answers)
                answers = []
    pipe.send(answers)
    pipe.send(None)
    pipe.close()


class _Worker:
    """A forked process, and what it was last heard of."""

    def __init__(self, fuzz: Fuzz, numbers: range) -> None:
        context = multiprocessing.get_context("fork")
        self.numbers, self.next = numbers, numbers.start
        self.at, self.step = context.Value("q", numbers.start, lock=False), context.Array("c", 64, lock=False)
        self.pipe, theirs = context.Pipe(duplex=False)
        given = (fuzz, numbers, theirs, self.at, self.step)
        self.process = context.Process(target=_work, args=given, daemon=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # threads are not used in the child
            self.process.start()
        theirs.close()
        self.seen, self.since, self.used = -1, time.monotonic(), 0.0

    def cpu(self) -> float:
        """Seconds of processor time so far: those that a busy machine takes for others do not count."""
        with suppress(OSError, IndexError):
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return 0.0

    def hangs(self) -> bool:
        """Whether a file takes longer than a kernel takes to compile."""
        if self.at.value != self.seen:
            self.seen, self.since, self.used = self.at.value, time.monotonic(), self.cpu()
        lasts = time.monotonic() - self.since
        return lasts > PATIENCE * SECONDS and (self.cpu() - self.used > PATIENCE * SECONDS or lasts > 600)


def run(
    fuzz: Fuzz, numbers: range, workers: int = 1, tell: Callable[[Find], None] | None = None
) -> tuple[list[Find], Counter[tuple[str, str]], float]:
    """Serve the files of some numbers; finds, how many of each case were refused and loaded, and the slowest file."""
    finds: list[Find] = []
    table: Counter[tuple[str, str]] = Counter()
    slowest = 0.0

    def note(number: int, what: str) -> None:
        if what not in ("refused", "loaded"):
            case, file = fuzz.file(number)
            finds.append(Find(case.name, file.field, file.mutation, number, what))
            if tell is not None:
                tell(finds[-1])
            what = "find"
        table[fuzz.cases[number % len(fuzz.cases)].name, what] += 1

    size = math.ceil(len(numbers) / workers)
    going = [_Worker(fuzz, numbers[a : a + size]) for a in range(0, len(numbers), size)]
    while going:
        ready = wait([w.pipe for w in going], timeout=1.0)
        for w in list(going):
            lost = ""
            try:
                answers = w.pipe.recv() if w.pipe in ready else []
            except EOFError:
                w.process.join()
                answers, lost = [], f"died with {w.process.exitcode}"
            for number, said, used in answers or ():
                note(number, said)
                slowest, w.next = max(slowest, used), number + 1
            if answers is not None and not lost and w.hangs():
                w.process.kill()
                lost = f"took more than {PATIENCE * SECONDS:g} s"
            if lost:
                for number in range(w.next, w.at.value):  # answers that were not sent any more
                    table[fuzz.cases[number % len(fuzz.cases)].name, "lost"] += 1
                note(w.at.value, f"{w.step.value.decode(errors='replace')}: {lost}")
                rest = range(w.at.value + 1, w.numbers.stop)
                going += [_Worker(fuzz, rest)] if len(rest) else []
            if answers is None or lost:
                w.process.join()
                w.pipe.close()
                going.remove(w)
    return finds, table, slowest
