"""The model file: what is saved comes back to the bit, and no file, however damaged or forged, gets far."""

import hashlib
import json
import os
import pickle
import stat
import struct
import threading
import tracemalloc
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import tenfold as tn
from tenfold.core import Array, Claim, Grouped, MergeError, ModelFileError, Need
from tenfold.estimator import Regressor
from tenfold.estimator.files import container, registry
from tenfold.stats.moments.rfactor import RFactor
from tenfold.testing import bits

SPARE = 64 << 20
"""bytes that loading may take beyond the size of the file"""


# ---- models ------------------------------------------------------------------------------------


def numbers(seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(40, 3))
    return X, X @ [1.0, -2.0, 0.5] + random.normal(size=40)


def words(seed=0):
    random = np.random.default_rng(seed)
    X = np.array(["a", "bb", "größe", "漢"], dtype=object)[random.integers(0, 4, (40, 2))]
    return X, np.array(["no", "yes", "perhaps"])[random.integers(0, 2, 40)]


def mixed(seed=0):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "text": np.array(["x", "y", None], dtype=object)[random.integers(0, 3, 40)],
            "int": random.integers(-3, 3, 40),
            "short": random.integers(0, 3, 40).astype(np.int16),
            "float": np.array([0.5, np.nan, 2.5])[random.integers(0, 3, 40)],
            "flag": random.integers(0, 2, 40).astype(bool),
            "gone": np.full(40, None, dtype=object),
        }
    )
    return frame, random.integers(0, 3, 40).astype(np.int8)


def ill_conditioned(seed=0):
    X, y = numbers(seed)
    return np.column_stack([X[:, 0], X[:, 0] + 1e-7 * X[:, 1], X[:, 2] + 1e6]), y


def named(seed=0):
    X, y = numbers(seed)
    return pd.DataFrame(X, columns=["länge", "width", "height"]), y


def labelled(seed=0):
    X, _ = numbers(seed)
    return X, np.random.default_rng(seed).integers(0, 2, 40).astype(np.uint16)


def unlabelled(seed=0):
    return numbers(seed)[0], None


CASES = {
    "LinearRegression": (tn.LinearRegression(), numbers),
    "LinearRegression, named": (tn.LinearRegression(fit_intercept=False), named),
    "LinearRegression, R-factor": (tn.LinearRegression(), ill_conditioned),
    "Ridge": (tn.Ridge(alpha=np.float32(0.1)), numbers),
    "GaussianNB": (tn.GaussianNB(priors=np.array([0.25, 0.75])), labelled),
    "GaussianNB, list of priors": (tn.GaussianNB(priors=[0.25, 0.75], var_smoothing=0), labelled),
    "CategoricalNB, text": (tn.CategoricalNB(), words),
    "CategoricalNB, int": (
        tn.CategoricalNB(alpha=0.5, fit_prior=False),
        lambda seed=0: (np.random.default_rng(seed).integers(-2, 3, (40, 2)), words(seed)[1].astype(object)),
    ),
    "CategoricalNB, mixed": (tn.CategoricalNB(), mixed),
    "StandardScaler": (tn.StandardScaler(with_std=False), unlabelled),
    "KMeans": (tn.KMeans(n_clusters=2, random_state=np.int64(3)), unlabelled),
    "KMeans, from centres": (tn.KMeans(n_clusters=2, init=[[0.0] * 3, [1.0] * 3]), unlabelled),
    "FindS": (tn.FindS(), words),
    "FindS, numbers": (tn.FindS(), lambda seed=0: (words(seed)[0], words(seed)[1] == "yes")),
}
SEVEN = (
    "LinearRegression",
    "Ridge",
    "GaussianNB",
    "CategoricalNB, text",
    "StandardScaler",
    "KMeans",
    "FindS",
)
MERGING = [case for case in CASES if not case.startswith("KMeans")]


def fit(case, seed=0):
    learner, data = CASES[case]
    X, y = data(seed)
    return type(learner)(**learner.get_params()).fit(X, y)


def apply(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a forged variance may be negative
        return model.transform(X) if hasattr(model, "transform") else model.predict(X)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The bytes of a saved model of each case."""
    path = tmp_path_factory.mktemp("models") / "m.tenfold"
    found = {}
    for case in CASES:
        fit(case).save(path)
        found[case] = path.read_bytes()
    return found


# ---- round trip ----------------------------------------------------------------------------------


def same_value(a, b):
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    return a == b


@pytest.mark.parametrize("case", CASES)
def test_round_trip(case, tmp_path):
    model, X = fit(case), CASES[case][1]()[0]
    model.save(tmp_path / "m.tenfold")
    loaded = tn.load(tmp_path / "m.tenfold")
    assert type(loaded) is type(model)
    assert loaded.get_params().keys() == model.get_params().keys()
    assert all(same_value(v, loaded.get_params()[k]) for k, v in model.get_params().items())
    assert loaded.schema_ == model.schema_
    assert bits(loaded.model_) == bits(model.model_)
    assert type(loaded.summary_) is type(model.summary_)
    assert bits(loaded.summary_) == bits(model.summary_)
    assert np.array_equal(apply(loaded, X), apply(model, X))
    if hasattr(model, "classes_"):
        assert loaded.classes_.dtype == model.classes_.dtype
        assert apply(loaded, X).dtype == apply(model, X).dtype
        assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.n_features_in_ == model.n_features_in_
    assert hasattr(loaded, "feature_names_in_") == hasattr(model, "feature_names_in_")
    if hasattr(model, "feature_names_in_"):
        assert loaded.feature_names_in_.dtype == object
        assert loaded.feature_names_in_.tolist() == model.feature_names_in_.tolist()


@pytest.mark.parametrize("case", CASES)
def test_certificate_is_a_claim_until_it_is_verified(case, tmp_path):
    model = fit(case)
    model.save(tmp_path / "m.tenfold")
    loaded = tn.load(tmp_path / "m.tenfold")
    assert loaded.certificate_.origin == "claimed by the file"
    assert loaded.certificate_.claims == model.certificate_.claims
    assert loaded.certificate_.provenance == model.certificate_.provenance
    assert loaded.verify().origin == "verified"
    assert loaded.certificate_.origin == "verified"
    assert loaded.certificate_.claims == model.certificate_.claims


@pytest.mark.parametrize("case", MERGING)
def test_loaded_model_merges_with_a_live_one(case, tmp_path):
    one, other = fit(case, 0), fit(case, 1)
    one.save(tmp_path / "m.tenfold")
    loaded = tn.load(tmp_path / "m.tenfold")
    for merged, live in ((loaded + other, one + other), (other + loaded, other + one)):
        assert bits(merged.model_) == bits(live.model_)
        assert bits(merged.summary_) == bits(live.summary_)
        assert merged.certificate_.origin == "computed"
        assert merged.certificate_ == live.certificate_


def test_merged_and_loaded_models_are_saved_again(tmp_path):
    merged = fit("CategoricalNB, mixed", 0) + fit("CategoricalNB, mixed", 1)
    merged.save(tmp_path / "a.tenfold")
    tn.load(tmp_path / "a.tenfold").save(tmp_path / "b.tenfold")
    assert (tmp_path / "a.tenfold").read_bytes() == (tmp_path / "b.tenfold").read_bytes()


def test_ill_conditioned_case_has_an_r_factor():
    assert isinstance(fit("LinearRegression, R-factor").summary_, RFactor)


@pytest.mark.parametrize("case", MERGING)
def test_without_summary_it_predicts_but_does_not_merge_or_verify(case, tmp_path):
    model, X = fit(case), CASES[case][1]()[0]
    model.save(tmp_path / "m.tenfold", summary=False)
    model.save(tmp_path / "full.tenfold")
    assert (tmp_path / "m.tenfold").stat().st_size < (tmp_path / "full.tenfold").stat().st_size
    loaded = tn.load(tmp_path / "m.tenfold")
    assert np.array_equal(apply(loaded, X), apply(model, X))
    with pytest.raises(MergeError, match="without its summary"):
        loaded + model
    with pytest.raises(MergeError, match="without its summary"):
        model + loaded
    with pytest.raises(ValueError, match="without its summary"):
        loaded.verify()


@pytest.mark.parametrize("kind", ["?", "i1", "u8", "f2", "f4", "f8", "U9", "O"])
def test_labels_keep_their_type(kind, tmp_path):
    X = np.random.default_rng(0).integers(0, 2, (30, 2)).astype(kind)
    model = tn.CategoricalNB().fit(X, X[:, 0])
    model.save(tmp_path / "m.tenfold")
    loaded = tn.load(tmp_path / "m.tenfold")
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.schema_ == model.schema_
    assert np.array_equal(loaded.predict(X), X[:, 0].astype(model.classes_.dtype))


def test_labels_of_another_byte_order_become_native(tmp_path):
    X = np.random.default_rng(0).integers(0, 9, (30, 1)).astype(">i4") * np.array(300, ">i4")
    model = tn.CategoricalNB().fit(X, X[:, 0])
    model.save(tmp_path / "m.tenfold")
    loaded = tn.load(tmp_path / "m.tenfold")
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert np.array_equal(loaded.predict(X), model.predict(X))


# ---- what is not saved ---------------------------------------------------------------------------


def fitted_with(model, **params):
    """The model as if it had been fitted with other parameters, which no fit would take."""
    model.set_params(**params)
    model._fitted_params = model._fitted_params | params
    return model


UNSAVEABLE = {
    "random_state": (np.random.RandomState(0), "random_state = "),
    "init": (np.array([[{"a"}]], dtype=object), "init = "),
    "tol": (np.longdouble(1) / 3, "tol = "),
    "max_iter": (10**50, "max_iter = "),
    "n_clusters": ({1}, "n_clusters = "),
}


@pytest.mark.parametrize("name", UNSAVEABLE)
def test_what_cannot_be_saved_is_named_and_the_old_file_stays(name, tmp_path):
    value, message = UNSAVEABLE[name]
    path = tmp_path / "m.tenfold"
    model = fit("KMeans")
    model.save(path)
    before = path.read_bytes()
    with pytest.raises(ModelFileError, match=message):
        fitted_with(model, **{name: value}).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_endless_list_as_a_parameter_is_refused(tmp_path):
    endless = [0.5, 0.5]
    endless.append(endless)
    model = fitted_with(fit("GaussianNB"), priors=endless)
    with pytest.raises(ModelFileError, match="priors is nested too deeply"):
        model.save(tmp_path / "m.tenfold")
    assert not list(tmp_path.iterdir())


def test_what_would_not_load_is_not_saved(tmp_path):
    with pytest.raises(ModelFileError, match="alpha"):
        fitted_with(fit("Ridge"), alpha=-1.0).save(tmp_path / "m.tenfold")
    X, _ = numbers()
    with pytest.raises(ModelFileError, match="classes"):
        tn.GaussianNB().fit(X, np.array([0.0, 1.0] * 20, dtype=np.longdouble)).save(tmp_path / "m.tenfold")
    with pytest.raises(tn.DataError, match="not valid Unicode"):
        tn.GaussianNB().fit(X, ["\ud800", "a"] * 20)
    chosen = tn.RidgeCV(alphas=[0.1, 1.0]).fit(*numbers())
    with pytest.raises(ModelFileError, match="too large"):
        fitted_with(chosen, alphas=[0.1] * 100_000).save(tmp_path / "m.tenfold")
    assert not list(tmp_path.iterdir())


def test_not_fitted(tmp_path):
    with pytest.raises(NotFittedError):
        tn.Ridge().save(tmp_path / "m.tenfold")
    assert not list(tmp_path.iterdir())


def test_interrupted_save_leaves_nothing_behind(tmp_path, monkeypatch):
    path = tmp_path / "m.tenfold"
    fit("Ridge").save(path)
    before, whole = path.read_bytes(), Path.write_bytes

    def half(self, raw):
        whole(self, raw[: len(raw) // 2])
        raise OSError("disk full")

    monkeypatch.setattr(Path, "write_bytes", half)
    for case in ("KMeans", "Ridge"):
        with pytest.raises(OSError, match="disk full"):
            fit(case).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_save_to_a_directory_or_into_none(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        fit("Ridge").save(tmp_path / "folder")
    with pytest.raises(OSError):
        fit("Ridge").save(tmp_path / "none" / "m.tenfold")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]
    assert not list((tmp_path / "folder").iterdir())


def test_longest_file_name_works(tmp_path):
    path = tmp_path / ("m" * 255)
    fit("Ridge").save(path)
    assert isinstance(tn.load(path), tn.Ridge)


# ---- learners of others --------------------------------------------------------------------------


class Level(NamedTuple):
    value: float


class LevelState(NamedTuple):
    step: int
    level: Level


@dataclass(frozen=True, eq=False)
class Sums:
    weight: float
    total: Annotated[Array, "joint"]

    def __add__(self, other):
        return Sums(self.weight + other.weight, self.total + other.total)


class Totals(Grouped):
    """Sums of the columns and the target."""

    def summarize(self, chunk):
        total = np.append(chunk.X.take(np.arange(chunk.n)).sum(axis=0), chunk.y.sum())
        return Sums(float(chunk.n), total)


class MeanTarget(Regressor):
    """Predicts the mean of the target, shrunk by what another learner would be asked."""

    need = Need("numeric", target="number")

    def __init__(self, inner=None, shrink=1.0):
        self.inner = inner
        self.shrink = shrink

    def start(self, schema):
        return LevelState(0, Level(0.0))

    def ask(self, state: LevelState) -> Totals | None:
        return None if state.step else Totals()

    def update(self, state: LevelState, s: Sums) -> LevelState:
        return LevelState(1, Level(float(self.shrink * s.total[-1] / s.weight)))

    def certify(self, state, s):
        off = abs(state.level.value - self.shrink * s.total[-1] / s.weight)
        return (Claim("gap", float(off), "proved", "mean", "objective"),)

    def predict_from(self, state, X):
        return np.full(len(X), state.level.value)


@pytest.fixture
def _fresh_registry(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})


@pytest.mark.usefixtures("_fresh_registry")
def test_unregistered_class_says_what_to_do(tmp_path):
    X, y = numbers()
    for model in (MeanTarget().fit(X, y), fitted_with(tn.Ridge().fit(X, y), alpha=MeanTarget())):
        with pytest.raises(ModelFileError, match=r"MeanTarget cannot be saved.*@tenfold\.register"):
            model.save(tmp_path / "m.tenfold")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("_fresh_registry")
def test_a_learner_of_this_library_without_a_public_name_says_where_to_name_it(tmp_path):
    class Unnamed(tn.Ridge):
        __module__ = "tenfold.linear_model.unnamed"

    with pytest.raises(ModelFileError, match=r"Unnamed cannot be saved: name it in `_PLACES`"):
        Unnamed().fit([[0.0], [1.0]], [0.0, 1.0]).save(tmp_path / "model.tenfold")


def test_registered_class_comes_back(tmp_path):
    assert tn.register(MeanTarget) is MeanTarget
    assert tn.register(MeanTarget) is MeanTarget  # twice is no harm
    X, y = numbers()
    model = MeanTarget(inner=tn.Ridge(alpha=3.0), shrink=0.5).fit(X, y)
    model.save(tmp_path / "m.tenfold")
    loaded = tn.load(tmp_path / "m.tenfold")
    assert type(loaded) is MeanTarget
    assert type(loaded.inner) is tn.Ridge
    assert loaded.inner.alpha == 3.0
    assert type(loaded.model_.level) is Level
    assert bits(loaded.model_) == bits(model.model_)
    assert bits(loaded.summary_) == bits(model.summary_)
    assert loaded.verify().origin == "verified"
    registry._registered.clear()
    with pytest.raises(ModelFileError, match="'MeanTarget', which this process does not know"):
        tn.load(tmp_path / "m.tenfold")


@pytest.mark.usefixtures("_fresh_registry")
def test_register_is_a_decorator_for_a_subclass(tmp_path):
    @tn.register
    class Firm(tn.Ridge):
        pass

    X, y = numbers()
    Firm(alpha=2.0).fit(X, y).save(tmp_path / "m.tenfold")
    assert type(tn.load(tmp_path / "m.tenfold")) is Firm


@pytest.mark.usefixtures("_fresh_registry")
def test_register_refuses_taken_names_and_what_is_no_learner():
    tn.register(MeanTarget)
    for name in ("Ridge", "load", "MeanTarget"):
        with pytest.raises(ValueError, match="is taken"):
            tn.register(type(name, (MeanTarget,), {}))
    for wrong in (int, Level, Regressor, 5):
        with pytest.raises(TypeError, match="not a learner"):
            tn.register(wrong)

    class Vague(NamedTuple):
        anything: object

    class Odd(MeanTarget):
        def ask(self, state: Vague) -> Totals | None:
            return None

        def update(self, state: Vague, s: Sums) -> Vague:
            return state

    class Unsaid(Regressor):
        def ask(self, state):
            return None

        def update(self, state, s):
            return state

    with pytest.raises(TypeError, match=r"Vague\.anything"):
        tn.register(Odd)
    with pytest.raises(TypeError, match=r"Unsaid\.update does not say of which classes its states are"):
        tn.register(Unsaid)
    assert list(registry._registered) == ["MeanTarget"]


@pytest.mark.usefixtures("_fresh_registry")
def test_record_as_a_parameter_is_refused(tmp_path):
    tn.register(MeanTarget)
    X, y = numbers()
    with pytest.raises(ModelFileError, match="inner = Level"):
        MeanTarget(inner=Level(1.0)).fit(X, y).save(tmp_path / "m.tenfold")


@pytest.mark.usefixtures("_fresh_registry")
def test_a_file_of_the_first_format_is_refused_and_says_so(files, tmp_path):
    text, head, body = taken_apart(files[RIDGE])
    document = json.loads(text) | {"version": 1}
    (tmp_path / "m").write_bytes(put_together(json.dumps(document, separators=(",", ":")), head, body))
    with pytest.raises(ModelFileError, match="has format 1; this tenfold reads format 2.*fit and save it again"):
        tn.load(tmp_path / "m")


def test_state_unlike_its_annotation_is_not_saved(tmp_path):
    tn.register(MeanTarget)
    X, y = numbers()
    model = MeanTarget().fit(X, y)
    model.model_ = LevelState(1, Level(3))
    with pytest.raises(ModelFileError, match=r"Level\.value is a int, not float"):
        model.save(tmp_path / "m.tenfold")
    assert not list(tmp_path.iterdir())


# ---- forging with a valid checksum -----------------------------------------------------------------


def forge(raw, path, edit):
    """Write the file again with a changed document and tensors, and the checksum that fits."""
    path.write_bytes(raw)
    document, tensors = container.read(path)
    tensors = {name: values.copy() for name, values in tensors.items()}
    edit(document, tensors)
    container.write(path, document, tensors)


def signed(header, body=b"", pad=True):
    """A file of this header text, with the right checksum where the header has 64 zeros."""
    head = header.encode()
    head += b" " * (-len(head) % 8) if pad else b""
    raw = struct.pack("<Q", len(head)) + head + body
    digest = hashlib.sha256(raw).hexdigest()
    return raw.replace(container.UNSIGNED.encode(), digest.encode(), 1)


def taken_apart(raw):
    """Our document's text (checksum zeroed), the header's tensors, and the body."""
    (length,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + length])
    text = head.pop("__metadata__")["tenfold"]
    return text.replace(json.loads(text)["sha256"], container.UNSIGNED), head, raw[8 + length :]


def put_together(text, head, body, pad=True):
    entries = {"__metadata__": {"tenfold": text}, **head}
    return signed(json.dumps(entries, separators=(",", ":")), body, pad)


def load_refused(path):
    """The message of the refusal; memory is watched."""
    size = path.stat().st_size
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError) as caught:
            tn.load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert type(caught.value) is ModelFileError
    assert peak <= size + SPARE, f"{peak:,} bytes to refuse a file of {size:,}"
    return str(caught.value)


def put(*where, value):
    """An edit: set a node of the document."""

    def edit(document, tensors):
        at = document
        for key in where[:-1]:
            at = at[key]
        at[where[-1]] = value

    return edit


def drop(*where):
    """An edit: leave a node of the document out."""

    def edit(document, tensors):
        at = document
        for key in where[:-1]:
            at = at[key]
        del at[where[-1]]

    return edit


def swap(*where, to):
    """An edit: replace the tensor whose name stands in the document by a function of it."""

    def edit(document, tensors):
        name = document
        for key in where:
            name = name[key]
        tensors[name] = np.asarray(to(tensors[name]))

    return edit


def both(*edits):
    def edit(document, tensors):
        for one in edits:
            one(document, tensors)

    return edit


def nested(depth, inner):
    node = inner
    for _ in range(depth):
        node = {"list": [node]}
    return node


def again(document, tensors):
    """A tensor that serves twice."""
    document["model"]["coef"] = {"tensor": document["schema"]["counts"]}


def stray(document, tensors):
    """A tensor by the name of t."""
    tensors["t"] = np.ones(2)


def surrogate(text):
    """Three bytes that look like UTF-8, of a character that is none."""
    return np.append(text[:-3], np.array([0xED, 0xA0, 0x80], dtype=np.uint8))


def wrapped(ends):
    """As many ends, not in order; but their differences overflow to something positive."""
    return np.array([0, np.iinfo(np.int64).max, -2, ends[-1]], dtype=np.int64)


RIDGE, NB, TEXT, INT, KM, FS, GNB = (
    "Ridge",
    "GaussianNB",
    "CategoricalNB, text",
    "CategoricalNB, int",
    "KMeans",
    "FindS",
    "GaussianNB, list of priors",
)
COEF = ("model", "coef", "tensor")
CLAIM = ("certificate", "claims", 0)
FROM = ("certificate", "provenance")
NAMES, CLASSES = ("schema", "names"), ("schema", "classes")
FORGED = {
    # the document
    "version 3": (RIDGE, put("version", value=3)),
    "version 1": (RIDGE, put("version", value=1)),
    "version true": (RIDGE, put("version", value=True)),
    "version 1.0": (RIDGE, put("version", value=1.0)),
    "version a deep list": (RIDGE, put("version", value=json.loads("[" * 900 + "]" * 900))),
    "magic": (RIDGE, put("magic", value="elevenfold")),
    "no checksum": (RIDGE, put("sha256", value=None)),
    "short checksum": (RIDGE, put("sha256", value="0" * 63)),
    "extra entry": (RIDGE, put("code", value="print()")),
    **{
        f"without {name}": (RIDGE, drop(name))
        for name in ("learner", "params", "schema", "model", "summary", "certificate")
    },
    **{
        f"{name} is {value!r:.20}": (RIDGE, put(name, value=value))
        for name in ("params", "schema", "model", "summary", "certificate")
        for value in ([], "x", 5, True, {}, {"is": None})
    },
    "model null": (RIDGE, put("model", value=None)),
    # the learner
    **{
        f"learner {value!r:.20}": (RIDGE, put("learner", value=value))
        for value in (
            "os.system", "Certificate", "Local", "load", "register", "Estimator", "__class__", "", 5, None,
            ["Ridge"], {"learner": "Ridge"}, "ridge", "tenfold.Ridge", "x" * 1000,
        )
    },
    "learner a deep list": (RIDGE, put("learner", value=json.loads("[" * 400 + "]" * 400))),
    **{
        f"{one} says it is {other}": (one, put("learner", value=other.split(",")[0]))
        for one in SEVEN
        for other in SEVEN
        if one != other
    },
    # its parameters
    "alpha negative": (RIDGE, put("params", "alpha", value={"float": (-1.0).hex()})),
    "alpha nan": (RIDGE, put("params", "alpha", value={"float": "nan"})),
    "alpha text": (RIDGE, put("params", "alpha", value={"is": "1.0"})),
    "alpha not a node": (RIDGE, put("params", "alpha", value=1.0)),
    "alpha two things": (RIDGE, put("params", "alpha", value={"int": "1", "float": "0x1p+0"})),
    "alpha an unknown thing": (RIDGE, put("params", "alpha", value={"call": "os.system"})),
    "alpha nothing": (RIDGE, put("params", "alpha", value={})),
    "alpha a record": (RIDGE, put("params", "alpha", value={"record": {}})),
    "alpha a learner": (RIDGE, put("params", "alpha", value={"learner": "Ridge", "params": {}})),
    "alpha an unknown learner": (RIDGE, put("params", "alpha", value={"learner": "os.system", "params": {}})),
    "alpha a learner of another process": (
        RIDGE, put("params", "alpha", value={"params": {}, "learner": "Ridge"}),
    ),
    "alpha a float of another spelling": (RIDGE, put("params", "alpha", value={"float": "0x1.0p0"})),
    "alpha a float too large": (RIDGE, put("params", "alpha", value={"float": "0x1p+99999"})),
    "alpha an int of another spelling": (RIDGE, put("params", "alpha", value={"int": "1_0"})),
    "alpha an int of other digits": (RIDGE, put("params", "alpha", value={"int": "١"})),
    "alpha an int as a number": (RIDGE, put("params", "alpha", value={"int": 1})),
    "alpha an int of 50 digits": (RIDGE, put("params", "alpha", value={"int": "9" * 50})),
    "parameter missing": (RIDGE, drop("params", "alpha")),
    "parameter more": (RIDGE, put("params", "beta", value={"int": "1"})),
    "priors nested too deeply": (GNB, put("params", "priors", value=nested(17, {"int": "1"}))),
    "priors of learners": (
        GNB, put("params", "priors", value={"list": [{"learner": "Nobody", "params": {}}]}),
    ),
    "priors a missing tensor": (GNB, put("params", "priors", value={"tensor": "999"})),
    "priors a tensor of no name": (GNB, put("params", "priors", value={"tensor": ["0"]})),
    "no clusters": (KM, put("params", "n_clusters", value={"int": "0"})),
    "random_state negative": (KM, put("params", "random_state", value={"int": "-1"})),
    # the schema
    "no columns": (
        RIDGE,
        both(
            swap(*NAMES, "ends", to=lambda a: a[:1]), swap(*NAMES, "bytes", to=lambda a: a[:0]),
            swap("schema", "kinds", "ends", to=lambda a: a[:1]),
            swap("schema", "kinds", "bytes", to=lambda a: a[:0]),
            swap("schema", "counts", to=lambda a: a[:0]),
        ),
    ),
    "target": (RIDGE, put("schema", "target", value="class")),
    "target a list": (RIDGE, put("schema", "target", value=[])),
    "no target": (RIDGE, put("schema", "target", value=None)),
    "named 1": (RIDGE, put("schema", "named", value=1)),
    "classes of a number": (RIDGE, put("schema", "classes", value={"tensor": "0"})),
    "no classes": (NB, put("schema", "classes", value=None)),
    "schema with more": (RIDGE, put("schema", "more", value=None)),
    "categories a list": (RIDGE, put("schema", "categories", value=[])),
    "counts of another type": (RIDGE, swap("schema", "counts", to=lambda a: a.astype(np.float64))),
    "counts of another shape": (RIDGE, swap("schema", "counts", to=lambda a: a[:-1])),
    "counts of no shape": (RIDGE, swap("schema", "counts", to=lambda a: a[0])),
    "counts negative": (TEXT, swap("schema", "counts", to=lambda a: -a)),
    "counts too many": (TEXT, swap("schema", "counts", to=lambda a: a + 2**60)),
    "counts too few": (TEXT, swap("schema", "counts", to=lambda a: a - 1)),
    "ends not monotone": (RIDGE, swap(*NAMES, "ends", to=lambda a: a[[0, 2, 1, 3]])),
    "ends overflowing": (RIDGE, swap(*NAMES, "ends", to=wrapped)),
    "ends beyond": (RIDGE, swap(*NAMES, "ends", to=lambda a: a + (a > 0))),
    "ends from 1": (RIDGE, swap(*NAMES, "ends", to=lambda a: np.maximum(a, 1))),
    "ends empty": (RIDGE, swap(*NAMES, "ends", to=lambda a: a[:0])),
    "ends of another type": (RIDGE, swap(*NAMES, "ends", to=lambda a: a.astype(np.int32))),
    "ends in two axes": (RIDGE, swap(*NAMES, "ends", to=lambda a: a[None])),
    "bytes in no axis": (RIDGE, swap(*NAMES, "bytes", to=lambda a: a[0])),
    "bytes of another type": (RIDGE, swap(*NAMES, "bytes", to=lambda a: a.view(np.int8))),
    "names not UTF-8": (RIDGE, swap(*NAMES, "bytes", to=lambda a: a | 0x80)),
    "names a surrogate": (
        TEXT,
        swap("schema", "categories", "O", "bytes", to=surrogate),
    ),
    "names not texts": (RIDGE, put(*NAMES, value={"tensor": "0"})),
    "kinds unknown": (RIDGE, swap("schema", "kinds", "bytes", to=lambda a: a + 1)),
    "kinds categorical": (RIDGE, swap("schema", "kinds", "bytes", to=lambda a: np.full_like(a, ord("O")))),
    "kinds numeric": (TEXT, swap("schema", "kinds", "bytes", to=lambda a: np.full_like(a, ord("-")))),
    "categories duplicate": (INT, swap("schema", "categories", "<i8", to=lambda a: a * 0)),
    "categories not sorted": (INT, swap("schema", "categories", "<i8", to=lambda a: -a)),
    "categories in no axis": (INT, swap("schema", "categories", "<i8", to=lambda a: a[0])),
    "categories in two axes": (INT, swap("schema", "categories", "<i8", to=lambda a: a[:, None])),
    "categories of another type": (INT, swap("schema", "categories", "<i8", to=lambda a: a.astype(np.uint8))),
    "categories too many": (INT, swap("schema", "categories", "<i8", to=lambda a: np.append(a, 9))),
    "categories too few": (INT, swap("schema", "categories", "<i8", to=lambda a: a[:-1])),
    "categories of floats": (INT, swap("schema", "categories", "<i8", to=lambda a: a + 0.5)),
    "categories of a kind that is none": (INT, put("schema", "categories", "V8", value="0")),
    "text categories not sorted": (
        TEXT, swap("schema", "categories", "O", "bytes", to=lambda a: np.roll(a, 1)),
    ),
    "classes duplicate": (NB, swap(*CLASSES, "tensor", to=lambda a: a * 0)),
    "classes not sorted": (NB, swap(*CLASSES, "tensor", to=lambda a: a[::-1].copy())),
    "classes none": (NB, swap(*CLASSES, "tensor", to=lambda a: a[:0])),
    "classes in two axes": (NB, swap(*CLASSES, "tensor", to=lambda a: a[None])),
    "classes in no axis": (NB, swap(*CLASSES, "tensor", to=lambda a: a[0])),
    "classes nan": (NB, swap(*CLASSES, "tensor", to=lambda a: np.array([0.0, np.nan]))),
    "classes infinite": (NB, swap(*CLASSES, "tensor", to=lambda a: np.array([0.0, np.inf]))),
    "classes more than the state": (NB, swap(*CLASSES, "tensor", to=lambda a: np.arange(5, dtype=a.dtype))),
    "classes of a width that is none": (TEXT, put(*CLASSES, "fixed", value=True)),
    "classes of a negative width": (TEXT, put(*CLASSES, "fixed", value=-1)),
    "classes wider than said": (TEXT, put(*CLASSES, "fixed", value=1)),
    "three classes of a binary learner": (
        FS,
        both(
            swap(*CLASSES, "texts", "ends", to=lambda a: np.array([0, 1, 2, a[-1]])),
            swap(*CLASSES, "texts", "bytes", to=np.sort),
        ),
    ),
    # model and summary
    "model with more": (RIDGE, put("model", "more", value={"int": "1"})),
    "model without coef": (RIDGE, drop("model", "coef")),
    "coef too short": (RIDGE, swap(*COEF, to=lambda a: a[:-1])),
    "coef too long": (RIDGE, swap(*COEF, to=lambda a: np.append(a, a))),
    "coef in two axes": (RIDGE, swap(*COEF, to=lambda a: a[None])),
    "coef in no axis": (RIDGE, swap(*COEF, to=lambda a: a[0])),
    "coef float32": (RIDGE, swap(*COEF, to=lambda a: a.astype(np.float32))),
    "coef int": (RIDGE, swap(*COEF, to=lambda a: a.astype(np.int64))),
    "coef bool": (RIDGE, swap(*COEF, to=lambda a: a > 0)),
    "coef a float": (RIDGE, put("model", "coef", value={"float": "0x1p+0"})),
    "coef a list": (RIDGE, put("model", "coef", value={"list": [{"float": "0x1p+0"}] * 3})),
    "coef missing": (RIDGE, put("model", "coef", value={"tensor": "coef"})),
    "coef another's tensor": (RIDGE, again),
    "n_iter a float": (KM, put("model", "n_iter", value={"float": "0x1p+0"})),
    "n_iter a bool": (KM, put("model", "n_iter", value={"is": True})),
    "n_iter none": (KM, put("model", "n_iter", value={"is": None})),
    "n_iter an array": (KM, both(put("model", "n_iter", value={"tensor": "t"}), stray)),
    "n_iter an int of another kind": (KM, put("model", "n_iter", value={"int": "01"})),
    "pos_label an int": (FS, put("model", "pos_label", value={"int": "1"})),
    "intercept a learner": (
        RIDGE,
        put(
            "model", "intercept",
            value={"learner": "LinearRegression", "params": {"fit_intercept": {"is": True}}},
        ),
    ),
    "summary of another learner": (RIDGE, put("summary", "type", value="ClassCounts")),
    "summary of another kind": (RIDGE, put("summary", "type", value="RFactor")),
    "summary of no kind": (RIDGE, put("summary", "type", value=["Moments"])),
    "summary without type": (RIDGE, drop("summary", "type")),
    "summary without mean": (RIDGE, drop("summary", "record", "mean")),
    "summary of another shape": (RIDGE, swap("summary", "record", "comoment", "tensor", to=lambda a: a[1:])),
    "n_categories out of bounds": (TEXT, swap("model", "n_categories", "tensor", to=lambda a: a + 10**12)),
    "n_categories negative": (TEXT, swap("model", "n_categories", "tensor", to=lambda a: a - 10**12)),
    "n_categories one fewer": (TEXT, swap("model", "n_categories", "tensor", to=lambda a: np.maximum(a - 1, 0))),
    "log_prob too narrow": (TEXT, swap("model", "log_prob", "tensor", to=lambda a: a[:, 1:])),
    "positive far out": (FS, put("model", "positive", value={"int": str(10**9)})),
    "positive negative": (FS, put("model", "positive", value={"int": "-1"})),
    "hypothesis beyond the categories": (FS, swap("model", "values", "tensor", to=lambda a: a * 0 + 10.0**9)),
    "hypothesis between the categories": (FS, swap("model", "values", "tensor", to=lambda a: a * 0 + 0.5)),
    "hypothesis nan": (FS, swap("model", "values", "tensor", to=lambda a: a * np.nan)),
    "no centres": (KM, swap("model", "cluster_centers", "tensor", to=lambda a: a[:0])),
    "centres too narrow": (KM, swap("model", "cluster_centers", "tensor", to=lambda a: a[:, 1:])),
    # the certificate
    "claims not a list": (RIDGE, put("certificate", "claims", value={})),
    "claim too short": (RIDGE, put(*CLAIM, value=[{"is": "gap"}])),
    "claim not a list": (RIDGE, put(*CLAIM, value="gapgap")),
    "claim of an int": (RIDGE, put(*CLAIM, 1, value={"int": "0"})),
    "claim of a tensor": (RIDGE, both(put(*CLAIM, 1, value={"tensor": "t"}), stray)),
    **{
        f"claim with a tensor at {k}": (
            RIDGE, both(put(*CLAIM, k, value={"tensor": "t"}), stray),
        )
        for k in (0, 2, 3, 4, 5)
    },
    **{f"claim with none at {k}": (RIDGE, put(*CLAIM, k, value={"is": None})) for k in range(6)},
    **{f"claim with a list at {k}": (RIDGE, put(*CLAIM, k, value={"list": []})) for k in range(6)},
    "claim of unknown status": (RIDGE, put(*CLAIM, 2, value={"is": "certain"})),
    "claim about something else": (RIDGE, put(*CLAIM, 4, value={"is": "the weather"})),
    "no provenance": (RIDGE, put(*FROM, value=None)),
    "rows a bool": (RIDGE, put(*FROM, "rows", value={"is": True})),
    "rows a tensor": (RIDGE, both(put(*FROM, "rows", value={"tensor": "t"}), stray)),
    "passes an int": (RIDGE, put(*FROM, "passes", value={"int": "1"})),
    "workers not texts": (RIDGE, put(*FROM, "workers", value={"tuple": [{"int": "1"}]})),
    "workers a list": (RIDGE, put(*FROM, "workers", value={"list": []})),
    "provenance with more": (RIDGE, put(*FROM, "more", value={"int": "1"})),
    # tensors
    "tensor left over": (RIDGE, lambda d, t: t.update(extra=np.ones(3))),
    "tensor missing": (RIDGE, lambda d, t: t.pop(d["model"]["coef"]["tensor"])),
    "many tiny tensors": (RIDGE, lambda d, t: t.update({f"t{k}": np.ones(1) for k in range(14_000)})),
    "many empty tensors": (RIDGE, lambda d, t: t.update({f"t{k}": np.ones(0) for k in range(14_000)})),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_forged_file_is_refused(name, files, tmp_path):
    case, edit = FORGED[name]
    path = tmp_path / "m.tenfold"
    forge(files[case], path, edit)
    message = load_refused(path)
    if name not in ("no checksum", "short checksum"):
        assert "checksum" not in message  # it is the deeper check that refuses


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("change", [lambda a: a[:-1], lambda a: np.concatenate([a, a[-1:]])])
def test_a_discriminant_has_as_many_scores_as_its_classes_ask_for(classes, change, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "m.tenfold"
    tn.LinearDiscriminantAnalysis().fit(rng.normal(size=(30, 2)), np.arange(30) % classes).save(path)
    edits = [swap("model", name, "tensor", to=change) for name in ("coef", "intercept", "level")]
    forge(path.read_bytes(), path, lambda document, tensors: [edit(document, tensors) for edit in edits])
    assert "score" in load_refused(path)


def test_forging_itself_is_sound(files, tmp_path):
    for case, raw in files.items():
        path = tmp_path / "m.tenfold"
        forge(raw, path, lambda document, tensors: None)
        assert bits(tn.load(path).model_) == bits(fit(case).model_)
        path.write_bytes(put_together(*taken_apart(raw)))
        assert bits(tn.load(path).model_) == bits(fit(case).model_)


def entry(head, **changes):
    """Change the entry of one tensor of float64."""
    name = next(k for k, v in head.items() if v["dtype"] == "F64")
    head[name].update(changes)


HEADERS = {
    "huge shape": lambda h: entry(h, shape=[2**62]),
    "huge shape of nothing": lambda h: entry(h, shape=[0, 2**62], data_offsets=[0, 0]),
    "shape of a thousand digits": lambda h: entry(h, shape=[10**1000] * 8),
    "shape overflowing": lambda h: entry(h, shape=[2**32, 2**32]),
    "shape of many axes": lambda h: entry(h, shape=[1] * 100_000),
    "shape negative": lambda h: entry(h, shape=[-3]),
    "shape of two negatives": lambda h: entry(h, shape=[-1, -3]),
    "shape a float": lambda h: entry(h, shape=[3.0]),
    "shape a bool": lambda h: entry(h, shape=[True]),
    "shape no list": lambda h: entry(h, shape=3),
    "shape null": lambda h: entry(h, shape=None),
    "offsets negative": lambda h: entry(h, data_offsets=[-8, 16]),
    "offsets reversed": lambda h: entry(h, data_offsets=[24, 0]),
    "offsets beyond": lambda h: entry(h, data_offsets=[0, 2**62]),
    "offsets one": lambda h: entry(h, data_offsets=[0]),
    "offsets three": lambda h: entry(h, data_offsets=[0, 24, 24]),
    "offsets text": lambda h: entry(h, data_offsets=["0", "24"]),
    "dtype unknown": lambda h: entry(h, dtype="F8"),
    "dtype object": lambda h: entry(h, dtype="O"),
    "dtype a list": lambda h: entry(h, dtype=["F64"]),
    "dtype shorter": lambda h: entry(h, dtype="F32"),
    "more in an entry": lambda h: entry(h, more=1),
    "entry no object": lambda h: h.update(extra=[]),
    "tensors overlap": lambda h: h.update(extra=dict(next(iter(h.values())))),
    "tensor at the end": lambda h: h.update(extra={"dtype": "U8", "shape": [8], "data_offsets": [0, 8]}),
    "no tensors": lambda h: h.clear(),
    "deep entry": lambda h: h.update(extra=json.loads("[" * 900 + "]" * 900)),
}


@pytest.mark.parametrize("name", HEADERS)
def test_forged_header_is_refused(name, files, tmp_path):
    text, head, body = taken_apart(files["Ridge"])
    HEADERS[name](head)
    path = tmp_path / "m.tenfold"
    path.write_bytes(put_together(text, head, body))
    assert "checksum" not in load_refused(path)


def inner(raw, old, new):
    """A file whose document's text is changed, and signed."""
    text, head, body = taken_apart(raw)
    assert old in text
    return put_together(text.replace(old, new, 1), head, body)


def outer(raw, old, new):
    """A file whose header's text is changed, and signed."""
    text, head, body = taken_apart(raw)
    header = json.dumps({"__metadata__": {"tenfold": text}, **head}, separators=(",", ":"))
    assert old in header
    return signed(header.replace(old, new, 1), body)


def bool_of_two(raw):
    """A flag whose byte is neither 0 nor 1."""
    text, head, body = taken_apart(raw)
    start, _ = next(v["data_offsets"] for v in head.values() if v["dtype"] == "BOOL")
    return put_together(text, head, body[:start] + b"\x02" + body[start + 1 :])


def shifted(raw):
    """A header that leaves every number where no number may stand."""
    text, head, body = taken_apart(raw)
    while not len(json.dumps({"__metadata__": {"tenfold": text}, **head}, separators=(",", ":"))) % 8:
        text += " "
    return put_together(text, head, body, pad=False)


def crooked(raw):
    """A byte before a tensor of float64, spoken for by a tensor of its own."""
    text, head, body = taken_apart(raw)
    head = {k: {**v, "data_offsets": [n + 1 for n in v["data_offsets"]]} for k, v in head.items()}
    head["extra"] = {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}
    return put_together(text, head, b"\0" + body)


def empties(raw, count):
    text, head, body = taken_apart(raw)
    end = len(body)
    head |= {f"e{k}": {"dtype": "U8", "shape": [0], "data_offsets": [end, end]} for k in range(count)}
    return put_together(text, head, body)


DEEP = "[" * 10**5 + "]" * 10**5
SURGERY = {
    "key twice in the document": lambda r: inner(r, '"learner":', '"learner":"Ridge","learner":'),
    "key twice in the header": lambda r: outer(r, '"dtype":', '"dtype":"F64","dtype":'),
    "NaN in the document": lambda r: inner(r, '"named":false', '"named":NaN'),
    "Infinity in the document": lambda r: inner(r, '"named":false', '"named":-Infinity'),
    "NaN in the header": lambda r: outer(r, '"shape":[', '"shape":[NaN,'),
    "deep nesting in the document": lambda r: inner(r, '"named":false', '"named":' + DEEP),
    "deep nesting in the header": lambda r: outer(r, '"shape":[', '"shape":[' + DEEP + ","),
    "deep objects": lambda r: inner(r, '"named":false', '"named":' + '{"":' * 10**5 + "0" + "}" * 10**5),
    "many lists": lambda r: inner(r, '"named":false', '"named":[' + ",".join(["[]"] * 300_000) + "]"),
    "many deep lists": lambda r: inner(
        r, '"named":false', '"named":[' + ",".join(["[" * 800 + "]" * 800] * 600) + "]"
    ),
    "many objects": lambda r: inner(r, '"named":false', '"named":[' + ",".join(['{"a":{}}'] * 70_000) + "]"),
    "number of a million digits": lambda r: inner(r, '"named":false', '"named":' + "1" * 900_000),
    "document not JSON": lambda r: inner(r, '"learner":', '"learner";'),
    "document a list": lambda r: put_together(f"[{taken_apart(r)[0]}]", *taken_apart(r)[1:]),
    "document with a surrogate": lambda r: outer(r, '{\\"magic', "\\ud800{\\\"magic"),
    "document empty": lambda r: put_together("", *taken_apart(r)[1:]),
    "text after the document": lambda r: put_together(taken_apart(r)[0] + "{}", *taken_apart(r)[1:]),
    "header with a tail": lambda r: outer(r, '{"__metadata__"', '{}{"__metadata__"'),
    "header not UTF-8": lambda r: signed("x", b"").replace(b"x", b"{\xff", 1),
    "metadata null": lambda r: outer(r, '"__metadata__":', '"__metadata__":null,"x":'),
    "metadata with more": lambda r: outer(r, '{"tenfold":', '{"format":"pt","tenfold":'),
    "metadata of numbers": lambda r: outer(r, '{"tenfold":', '{"tenfold":1,"x":'),
    "no metadata": lambda r: outer(r, '"__metadata__":', '"_metadata_":'),
    "header over 1 MiB": lambda r: inner(r, '"named":false', '"named":"' + "x" * (1 << 20) + '"'),
    "header of 2**63 bytes": lambda r: struct.pack("<Q", 2**63) + r[8:],
    "header as long as the file": lambda r: struct.pack("<Q", len(r)) + r[8:],
    "header of nothing": lambda r: struct.pack("<Q", 0) + r[8:],
    "header without padding": shifted,
    "crooked tensors": crooked,
    "15,000 empty tensors": lambda r: empties(r, 15_000),
    "100,000 empty tensors": lambda r: empties(r, 100_000),
    "body too short": lambda r: put_together(*taken_apart(r)[:2], taken_apart(r)[2][:-8]),
    "body too long": lambda r: put_together(*taken_apart(r)[:2], taken_apart(r)[2] + bytes(8)),
    "body gone": lambda r: put_together(*taken_apart(r)[:2], b""),
    "empty": lambda r: b"",
    "seven bytes": lambda r: r[:7],
    "eight bytes": lambda r: r[:8],
    "pickle": lambda r: pickle.dumps({"coef_": np.ones(3)}),
    "pickle of protocol 0": lambda r: pickle.dumps([1.0, 2.0], protocol=0),
    "text": lambda r: b"this is no model" * 10,
    "zeros": lambda r: bytes(1 << 16),
    "two files": lambda r: r + r,
}  # fmt: skip


@pytest.mark.parametrize("name", SURGERY)
def test_file_under_the_knife_is_refused(name, files, tmp_path):
    path = tmp_path / "m.tenfold"
    path.write_bytes(SURGERY[name](files["Ridge"]))
    message = load_refused(path)
    if name != "two files":
        assert "checksum" not in message


def test_flag_that_is_neither_true_nor_false_is_refused(files, tmp_path):
    path = tmp_path / "m.tenfold"
    path.write_bytes(bool_of_two(files["CategoricalNB, mixed"]))
    assert "neither 0 nor 1" in load_refused(path)


@pytest.mark.full
@pytest.mark.parametrize("texts", ["empty", "short", "one long"])
def test_many_texts_take_little_memory(texts, files, tmp_path):
    """A file of a few megabytes full of texts, for which there is no state."""

    def edit(document, tensors):
        names = document["schema"]["names"]
        count = 300_000
        length = {"empty": 0, "short": 1, "one long": 0}[texts]
        ends = np.arange(count + 1, dtype=np.int64) * length
        if texts == "one long":
            ends[-1] = 10**6
        tensors[names["ends"]] = ends
        tensors[names["bytes"]] = np.full(ends[-1], ord("x"), dtype=np.uint8)

    path = tmp_path / "m.tenfold"
    forge(files["Ridge"], path, edit)
    assert "schema" in load_refused(path)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_wide_labels_take_little_memory(tmp_path):
    """Text of fixed width would take a thousand times the memory of the texts themselves."""
    X = np.zeros((3000, 1))
    y = np.array([f"{k:04}" for k in range(2999)] + ["z" * 3000], dtype=object)
    path = tmp_path / "m.tenfold"
    tn.GaussianNB().fit(X, y).save(path)
    forge(path.read_bytes(), path, put(*CLASSES, "fixed", value=10**9))
    tracemalloc.start()
    try:
        loaded = tn.load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= path.stat().st_size + SPARE
    assert loaded.classes_.dtype == object
    assert loaded.classes_.tolist() == y.tolist()


def test_missing_path_and_directory_give_the_ordinary_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        tn.load(tmp_path / "none.tenfold")
    with pytest.raises(OSError) as caught:
        tn.load(tmp_path)
    assert not isinstance(caught.value, ModelFileError)


# ---- a forged state that is well formed --------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "field", "message"),
    [
        ("LinearRegression", "coef", "coef_ is not what the summary gives.*digits: it says"),
        ("LinearRegression, R-factor", "coef", "coef_ is not what the summary gives.*digits: it says"),
        ("Ridge", "coef", "coef_ is not what the summary gives.*gap: it says"),
        ("KMeans", "cluster_centers", "inertia cannot be computed from the summary"),
        ("GaussianNB", "theta", "theta_ is not what the summary gives"),
        ("CategoricalNB, text", "log_prob", "log_prob_ is not what the summary gives"),
        ("StandardScaler", "mean", "mean_ is not what the summary gives"),
    ],
)
def test_verify_finds_a_forged_state(case, field, message, files, tmp_path):
    path = tmp_path / "m.tenfold"
    forge(files[case], path, swap("model", field, "tensor", to=lambda a: a + 0.5))
    loaded = tn.load(path)
    assert np.array_equal(getattr(loaded, f"{field}_"), getattr(fit(case), f"{field}_") + 0.5)
    with pytest.raises(ValueError, match=message):
        loaded.verify()
    assert loaded.certificate_.origin == "claimed by the file"


def test_verify_refuses_an_invented_claim(files, tmp_path):
    path = tmp_path / "m.tenfold"
    loaded = tn.load(forge(files["GaussianNB"], path, lambda document, tensors: None) or path)
    claim = tn.Claim("accuracy", 1.0, "proved", "trust me", "unseen rows")
    loaded.certificate_ = tn.Certificate((*loaded.certificate_.claims, claim), loaded.certificate_.provenance)
    with pytest.raises(ValueError, match="accuracy cannot be computed from the summary"):
        loaded.verify()


@pytest.mark.parametrize("case", ["LinearRegression", "GaussianNB", "CategoricalNB, text", "StandardScaler"])
def test_verify_finds_a_forged_claim(case, files, tmp_path):
    path = tmp_path / "m.tenfold"
    forge(files[case], path, put(*CLAIM, 1, value={"float": (0.125).hex()}))
    loaded = tn.load(path)
    assert loaded.certificate_["gap"].value == 0.125
    with pytest.raises(ValueError, match=r"gap: it says 0\.125"):
        loaded.verify()


# ---- damage ----------------------------------------------------------------------------------------


def mutant(raw, random):
    """The bytes of a file, changed somewhere."""
    while True:
        a, b = sorted(int(n) for n in random.integers(0, len(raw) + 1, 2))
        few = random.bytes(int(random.integers(1, 9)))
        kind = random.integers(6)
        if kind == 0 and a < len(raw):
            changed = raw[:a] + bytes([raw[a] ^ (1 << int(random.integers(8)))]) + raw[a + 1 :]
        elif kind == 1:
            changed = raw[:a] + few + raw[a:]
        elif kind == 2:
            changed = raw[:a] + raw[a + len(few) :]
        elif kind == 3:
            changed = raw[:a]
        elif kind == 4:
            middle = (a + b) // 2
            changed = raw[:a] + raw[middle:b] + raw[a:middle] + raw[b:]
        else:
            changed = raw + few
        if changed != raw:
            return changed


@pytest.mark.parametrize("case", SEVEN)
def test_mutants_are_refused(case, files, tmp_path):
    random = np.random.default_rng(list(case.encode()))
    path = tmp_path / "m.tenfold"
    for k in range(60):
        path.write_bytes(mutant(files[case], random))
        if k < 20:
            load_refused(path)
        else:
            with pytest.raises(ModelFileError):
                tn.load(path)


def test_every_bit_of_every_byte_counts(files, tmp_path):
    raw = files["StandardScaler"]
    path = tmp_path / "m.tenfold"
    for at in range(len(raw)):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ (1 << at % 8)]) + raw[at + 1 :])
        with pytest.raises(ModelFileError):
            tn.load(path)


def test_a_model_is_saved_where_a_link_points_to(tmp_path):
    (tmp_path / "models").mkdir()
    first, link = tmp_path / "models" / "v1.tenfold", tmp_path / "latest.tenfold"
    old = tn.Ridge().fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0])
    new = tn.Ridge(alpha=0.5).fit([[1.0], [2.0], [3.0]], [3.0, 2.0, 9.0])
    old.save(first)
    link.symlink_to(Path("models") / "v1.tenfold")
    new.save(link)
    assert link.is_symlink()
    assert tn.load(first).coef_ == new.coef_
    (tmp_path / "next.tenfold").symlink_to("models/v2.tenfold")  # of which there is no file yet
    new.save(tmp_path / "next.tenfold")
    assert tn.load(tmp_path / "models" / "v2.tenfold").coef_ == new.coef_
    assert sorted(p.name for p in tmp_path.rglob("*.t*")) == [
        "latest.tenfold",
        "next.tenfold",
        "v1.tenfold",
        "v2.tenfold",
    ]


@pytest.mark.skipif(os.name != "posix", reason="permissions of Unix")
@pytest.mark.parametrize("mode", [0o640, 0o600, 0o664, 0o644])
def test_a_file_that_is_saved_again_keeps_its_permissions(mode, tmp_path):
    path, model = tmp_path / "m.tenfold", tn.Ridge().fit([[1.0], [2.0]], [1.0, 2.0])
    model.save(path)
    usual = tmp_path / "usual"
    usual.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    path.chmod(mode)
    before = path.stat()
    model.save(path)
    after = path.stat()
    assert stat.S_IMODE(after.st_mode) == mode
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of Unix")
def test_a_model_is_written_into_a_pipe(tmp_path):
    pipe, model, found = tmp_path / "pipe", tn.Ridge().fit([[1.0], [2.0]], [1.0, 2.0]), []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    model.save(pipe)
    assert pipe.is_fifo()
    reader.join(timeout=10)
    (tmp_path / "m.tenfold").write_bytes(found[0])
    assert tn.load(tmp_path / "m.tenfold").coef_ == model.coef_
