"""A fit that was cut off goes on from its checkpoint, with the same bits."""

import os
import signal
import time
from contextlib import suppress
from functools import wraps

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

import faults
import tenfold as tn
from tenfold.estimator.files import checkpoint as module
from tenfold.sources import part_rows
from tenfold.testing import bits

pytestmark = pytest.mark.timeout(60)

random = np.random.default_rng(0)
X = random.standard_normal((600, 4))
Y = X @ random.standard_normal(4) + random.standard_normal(600)
LABEL = np.where(X[:, 0] * X[:, 1] + 0.5 * random.standard_normal(600) > 0, "up", "down").astype(object)
NEAR = np.column_stack([X, X[:, 0] + 1e-9 * random.standard_normal(600)])
WORDS = np.array(["a", "b", "c"], dtype=object)[random.integers(0, 3, (600, 3))]

RARE = np.where((np.abs(X[:, 0]) < 0.2) & (np.abs(X[:, 1]) < 0.2), "up", "down").astype(object)
FAR = np.where(np.arange(600) == 7, 1e20, Y)

CASES = {
    "DecisionTreeClassifier, rare": (tn.DecisionTreeClassifier(max_bins=64, prune="reduced_error"), (X, RARE)),
    "RandomForestClassifier, rare": (tn.RandomForestClassifier(2, max_bins=64), (X, RARE)),
    "GradientBoostingClassifier, rare": (tn.GradientBoostingClassifier(n_estimators=2, max_bins=64), (X, RARE)),
    "RuleListClassifier, rare": (tn.RuleListClassifier(max_bins=64), (X, RARE)),
    "DecisionTreeRegressor, far": (tn.DecisionTreeRegressor(max_depth=3), (X, FAR)),
    "RandomForestRegressor, far": (tn.RandomForestRegressor(2, max_depth=3), (X, FAR)),
    "Ridge": (tn.Ridge(), (X, Y)),
    "Ridge, twice": (tn.Ridge(alpha=1e-12), (NEAR, Y)),
    "LinearRegression, twice": (tn.LinearRegression(), (NEAR, Y)),
    "GaussianNB": (tn.GaussianNB(), (X, LABEL)),
    "CategoricalNB": (tn.CategoricalNB(), (WORDS, LABEL)),
    "KMeans": (tn.KMeans(4, init=X[:4], max_iter=8, tol=0.0), (X,)),
    "KMeans, own start": (tn.KMeans(4, max_iter=8), (X,)),
    "KMeans, refilled": (tn.KMeans(5, init=np.vstack([np.full((4, 4), 1e3), X[:1]]), max_iter=9), (X,)),
    "AdaBoostClassifier": (tn.AdaBoostClassifier(n_estimators=12), (X, LABEL)),
    "StandardScaler": (tn.StandardScaler(), (X,)),
    "OneHotEncoder": (tn.OneHotEncoder(handle_unknown="ignore"), (WORDS,)),
    "MLPClassifier": (tn.MLPClassifier(3, early_stopping=True, max_iter=3), (X, LABEL)),
    "MLPClassifier, parts": (
        tn.MLPClassifier(3, batch_norm=True, n_init=2, class_weight="balanced", max_iter=2),
        (X, LABEL),
    ),
    "MLPRegressor, lbfgs": (tn.MLPRegressor(3, solver="lbfgs", max_iter=6), (X, Y)),
}


def bits_of(model):
    return bits(model.model_), bits(model.summary_)


class Stop(KeyboardInterrupt):
    """As Ctrl-C, but ours."""


class Cut:
    """Counts turns (`update` is once a turn), and interrupts the fit at one of them."""

    def __init__(self, monkeypatch, learner):
        self.at, self.turns = None, 0
        update = type(learner).update

        @wraps(update)
        def counted(this, state, summary):
            self.turns += 1
            if self.turns == self.at:
                raise Stop
            return update(this, state, summary)

        monkeypatch.setattr(type(learner), "update", counted)

    def fit(self, learner, given, at=None, **more):
        self.at, self.turns = at, 0
        with part_rows(50):
            return learner.fit(*given, **more)


def names(folder):
    return sorted(os.listdir(folder))


@pytest.mark.parametrize("case", CASES)
def test_an_interrupt_at_every_turn(tmp_path, monkeypatch, case):
    learner, given = CASES[case]
    cut = Cut(monkeypatch, learner)
    whole = cut.fit(learner, given)
    turns = cut.turns
    wanted, certificate, passes = bits_of(whole), whole.certificate_, whole.certificate_.provenance.passes
    if case in ("KMeans", "KMeans, refilled", "AdaBoostClassifier"):
        assert turns > 5
    if case.endswith(", twice"):
        assert passes >= 2
    for turn in range(1, turns + 1):
        with pytest.raises(Stop):
            cut.fit(learner, given, at=turn, checkpoint=tmp_path)
        (name,) = names(tmp_path)
        assert name.startswith(f"{type(learner).__name__}-")
        found = cut.fit(learner, given, checkpoint=tmp_path)
        assert cut.turns == turns - turn + 1, "it did not go on where it was"
        assert bits_of(found) == wanted
        assert found.certificate_ == certificate
        assert names(tmp_path) == []


def test_again_and_again_interrupted(tmp_path, monkeypatch):
    learner, given = CASES["AdaBoostClassifier"]
    cut = Cut(monkeypatch, learner)
    whole = cut.fit(learner, given)
    turns, found, tries = cut.turns, None, 0
    while found is None:
        tries += 1
        with suppress(Stop):
            found = cut.fit(learner, given, at=3, checkpoint=tmp_path)  # two turns further each time
    assert tries == turns // 2
    assert bits_of(found) == bits_of(whole)
    assert found.certificate_ == whole.certificate_


def test_a_drawn_seed_is_kept(tmp_path, monkeypatch):
    learner = tn.KMeans(5, max_iter=4, random_state=None)
    cut = Cut(monkeypatch, learner)
    with pytest.raises(Stop):
        cut.fit(learner, (X,), at=2, checkpoint=tmp_path)  # the spread is known, the start not drawn yet
    assert learner.random_state is None
    found = cut.fit(learner, (X,), checkpoint=tmp_path)
    seed = found.certificate_.provenance.seed
    assert isinstance(seed, int)
    assert learner.random_state is None
    again = cut.fit(tn.KMeans(5, max_iter=4, random_state=seed), (X,))
    assert bits_of(again) == bits_of(found)
    other = cut.fit(tn.KMeans(5, max_iter=4, random_state=None), (X,), checkpoint=tmp_path)
    assert other.certificate_.provenance.seed != seed  # that fit was done: this is another


def test_a_source_goes_on_in_other_hands(tmp_path, monkeypatch):
    """Parquet on other threads, as an equal source made again, given to an equal learner."""
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "label": LABEL})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=50)

    def source():
        return tn.scan(tmp_path / "rows.parquet", target="label")

    cut = Cut(monkeypatch, tn.AdaBoostClassifier())
    whole = cut.fit(tn.AdaBoostClassifier(n_estimators=9), (source(),))
    with pytest.raises(Stop), tn.on(tn.Local(threads=1)):
        cut.fit(tn.AdaBoostClassifier(n_estimators=9), (source(),), at=6, checkpoint=tmp_path / "saves")
    with tn.on(tn.Local(threads=3, memory=0)):
        found = cut.fit(
            tn.AdaBoostClassifier(n_estimators=9), (source(),), checkpoint=tn.Checkpoint(tmp_path / "saves")
        )
    assert bits_of(found) == bits_of(whole)
    assert cut.turns < 7


@pytest.mark.parametrize(
    ("learner", "given"),
    [
        (tn.KMeans(4, init=X[:4], max_iter=7, tol=0.0), (X,)),
        (tn.KMeans(4, init=X[:4], max_iter=8, tol=1e-9), (X,)),
        (tn.KMeans(4, init=X[:4], max_iter=8, tol=0.0, random_state=1), (X,)),
        (tn.KMeans(4, init=X[1:5], max_iter=8, tol=0.0), (X,)),
        (tn.KMeans(4, init=X[:4], max_iter=8, tol=0.0), (X + 1,)),
        (tn.KMeans(4, init=X[:4], max_iter=8, tol=0.0), (X + (np.arange(600) == 1)[:, None],)),  # one row is another
        (tn.KMeans(4, init=X[:4], max_iter=8, tol=0.0), (X[:599],)),
        (tn.KMeans(4, init=X[:4], max_iter=8, tol=0.0), (X, None, np.ones(600))),
        (tn.KMeans(4, init=X[:4], max_iter=8, tol=0.0), (pd.DataFrame(X, columns=list("abcd")),)),
        (tn.StandardScaler(), (X,)),
    ],
)
def test_other_parameters_or_other_data_start_anew(tmp_path, monkeypatch, learner, given):
    cut = Cut(monkeypatch, tn.KMeans())
    with pytest.raises(Stop):
        cut.fit(*CASES["KMeans"], at=5, checkpoint=tmp_path)
    before = names(tmp_path)
    plain = cut.fit(learner, given)
    turns = cut.turns
    found = cut.fit(learner, given, checkpoint=tmp_path)
    assert cut.turns == turns
    assert bits_of(found) == bits_of(plain)
    assert names(tmp_path) == before  # the other fit can still go on


FORMS = {
    "numbers": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "by column": np.asfortranarray,
    "pandas": lambda X: pd.DataFrame(X, columns=list("abcd")),
    "arrow": lambda X: pa.table({n: X[:, j] for j, n in enumerate("abcd")}),
    "sparse": sp.csr_matrix,
    "source": lambda X: tn.scan(pd.DataFrame(X, columns=list("abcd"))),
    "outputs": lambda X: tn.StandardScaler().fit(SCALED).transform(tn.scan(X)),
}
SCALED = X.copy()


@pytest.mark.parametrize("form", FORMS)
def test_every_row_in_memory_counts(tmp_path, monkeypatch, form):
    """Equal rows go on; if any is another, the fit starts again."""
    learner = tn.KMeans(4, init=X[:4], max_iter=8, tol=0.0)
    cut = Cut(monkeypatch, learner)
    other = X.copy()
    other[101, 2] += 1
    with pytest.raises(Stop):
        cut.fit(learner, (FORMS[form](X),), at=4, checkpoint=tmp_path)
    for rows, left in ((other, 1), (X.copy(), 0)):
        plain = cut.fit(learner, (FORMS[form](rows),))
        turns = cut.turns
        found = cut.fit(learner, (FORMS[form](rows),), checkpoint=tmp_path)
        assert bits_of(found) == bits_of(plain)
        assert len(names(tmp_path)) == left
        assert (cut.turns == turns) == bool(left)


def test_every_word_in_memory_counts(tmp_path, monkeypatch):
    learner = tn.CategoricalNB()
    cut = Cut(monkeypatch, learner)
    with pytest.raises(Stop):
        cut.fit(learner, (WORDS, LABEL), at=1, checkpoint=tmp_path)
    other, label = WORDS.copy(), LABEL.copy()
    other[7, 1] = "b" if other[7, 1] == "a" else "a"
    label[5] = "up" if label[5] == "down" else "down"
    for given in ((other, LABEL), (WORDS, label)):
        assert bits_of(cut.fit(learner, given, checkpoint=tmp_path)) == bits_of(cut.fit(learner, given))
        assert len(names(tmp_path)) == 1
    cut.fit(learner, (WORDS.copy(), LABEL.copy()), checkpoint=tmp_path)
    assert names(tmp_path) == []


def test_changed_files_start_anew(tmp_path, monkeypatch):
    path, saves = tmp_path / "rows.parquet", tmp_path / "saves"

    def write(values):
        pq.write_table(pa.table({f"x{j}": values[:, j] for j in range(4)}), path, row_group_size=50)

    write(X)
    cut = Cut(monkeypatch, tn.KMeans())
    with pytest.raises(Stop):
        cut.fit(tn.KMeans(3), (tn.scan(path),), at=3, checkpoint=saves)
    write(X + 1)
    os.utime(path, ns=(0, time.time_ns() + 10**9))
    plain = cut.fit(tn.KMeans(3), (tn.scan(path),))
    turns = cut.turns
    found = cut.fit(tn.KMeans(3), (tn.scan(path),), checkpoint=saves)
    assert cut.turns == turns
    assert bits_of(found) == bits_of(plain)
    assert len(names(saves)) == 1


def cut_off(tmp_path, monkeypatch):
    """The path of a checkpoint that a fit has left behind, and how to go on."""
    learner, given = CASES["KMeans"]
    cut = Cut(monkeypatch, learner)
    with pytest.raises(Stop):
        cut.fit(learner, given, at=5, checkpoint=tmp_path)
    (name,) = names(tmp_path)
    return tmp_path / name, lambda **more: cut.fit(learner, given, **{"checkpoint": tmp_path, **more})


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: b"",
        lambda raw: raw[: len(raw) // 2],
        lambda raw: raw[:-1],
        lambda raw: raw + b"\0",
        lambda raw: b"no checkpoint at all",
        lambda raw: raw[:-9] + bytes([raw[-9] ^ 1]) + raw[-8:],
        lambda raw: raw.replace(b"KMeans", b"KMaens", 1),
    ],
)
def test_a_broken_file_is_refused_by_name(tmp_path, monkeypatch, damage):
    path, go_on = cut_off(tmp_path, monkeypatch)
    raw = path.read_bytes()
    path.write_bytes(damage(raw))
    with pytest.raises(tn.ModelFileError) as error:
        go_on()
    assert str(path) in str(error.value)
    assert "cannot be resumed" in str(error.value)
    assert str(error.value).endswith("Remedy: remove it")
    assert path.exists()  # it is the user's to remove
    path.unlink()
    assert go_on().certificate_.claims


def test_a_checkpoint_of_another_learner_is_refused(tmp_path, monkeypatch):
    path, go_on = cut_off(tmp_path, monkeypatch)
    learner, given = CASES["AdaBoostClassifier"]
    other = Cut(monkeypatch, learner)
    with pytest.raises(Stop):
        other.fit(learner, given, at=5, checkpoint=tmp_path / "other")
    (tmp_path / "other" / names(tmp_path / "other")[0]).replace(path)
    with pytest.raises(tn.ModelFileError, match=r"checkpoint of 'AdaBoostClassifier'\. Remedy: remove it"):
        go_on()


def test_a_model_file_is_no_checkpoint(tmp_path, monkeypatch):
    path, go_on = cut_off(tmp_path, monkeypatch)
    tn.KMeans(4).fit(X).save(path)
    with pytest.raises(tn.ModelFileError, match="Remedy: remove it"):
        go_on()
    path, _ = cut_off(tmp_path / "again", monkeypatch)
    with pytest.raises(tn.ModelFileError):
        tn.load(path)


class Failing(faults.Around):
    """Cannot be read any more after so many parts, once."""

    def __init__(self, base, after):
        super().__init__(base)
        self.after, self.count = after, 0

    def reads(self, part):
        self.count += 1
        if self.count == self.after:
            raise OSError("the disk is gone")


def test_an_error_saves_too(tmp_path):
    pq.write_table(pa.table({"x": np.arange(600.0)}), tmp_path / "rows.parquet", row_group_size=50)
    rows = tn.scan(tmp_path / "rows.parquet")
    learner = tn.KMeans(3, init=[[0.0], [1.0], [2.0]], max_iter=6)
    whole = learner.fit(rows)
    source = Failing(rows, after=40)
    with pytest.raises(OSError, match="the disk is gone"), tn.on(tn.Local(threads=1)):
        learner.fit(source, checkpoint=tmp_path / "saves")
    assert len(names(tmp_path / "saves")) == 1
    found = learner.fit(source, checkpoint=tmp_path / "saves")
    assert bits_of(found) == bits_of(whole)
    assert found.certificate_ == whole.certificate_
    passes = whole.certificate_.provenance.passes
    assert source.count - 40 == 12 * (passes - 3)  # three were read whole, and summarized
    assert names(tmp_path / "saves") == []


def test_how_often_it_is_saved(tmp_path, monkeypatch):
    saved = []
    write = module.write
    monkeypatch.setattr(module, "write", lambda *given: (saved.append(1), write(*given)))
    learner, given = CASES["AdaBoostClassifier"]
    learner.fit(*given, checkpoint=tn.Checkpoint(tmp_path, every=3600))
    assert not saved
    learner.fit(*given, checkpoint=tn.Checkpoint(tmp_path, every=0))
    assert len(saved) >= 12
    assert names(tmp_path) == []


def test_a_folder_is_made_and_may_be_written_as_text(tmp_path):
    folder = tmp_path / "a" / "b"
    tn.Ridge().fit(X, Y, checkpoint=str(folder))
    assert folder.is_dir()
    assert names(folder) == []


def test_a_folder_serves_several_fits(tmp_path, monkeypatch):
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    cases = {name: CASES[name] for name in ("KMeans", "AdaBoostClassifier", "LinearRegression, twice")}
    cuts = {name: Cut(monkeypatch, learner) for name, (learner, _) in cases.items()}
    for name, (learner, given) in cases.items():
        with pytest.raises(Stop):
            cuts[name].fit(learner, given, at=2, checkpoint=tmp_path)
    assert len(names(tmp_path)) == 4
    for left, (name, (learner, given)) in zip((3, 2, 1), cases.items(), strict=True):
        plain = cuts[name].fit(learner, given)
        assert bits_of(cuts[name].fit(learner, given, checkpoint=tmp_path)) == bits_of(plain)
        assert len(names(tmp_path)) == left
    assert other.read_text() == "mine"


PROGRAM = """
import os, signal, sys
import numpy as np
import tenfold as tn

X = np.random.default_rng(0).standard_normal((600, 4))
turns = iter(range(100))
replace = os.replace

def dies(*given):
    if next(turns) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(*given)

os.replace = dies
tn.KMeans(4, max_iter=6).fit(X, checkpoint=tn.Checkpoint(sys.argv[1], every=0))
"""


@pytest.mark.parametrize("at", [0, 3])
def test_a_file_is_there_whole_or_not_at_all(tmp_path, at):
    """Killed between writing and renaming: what is half done is not taken."""
    code, _, said = faults.Driver(PROGRAM, tmp_path, at).end()
    assert code == -signal.SIGKILL, said
    left = names(tmp_path)
    assert [n for n in left if n.startswith(".") and n.endswith(".tmp")]
    assert len([n for n in left if n.endswith(".checkpoint")]) == min(at, 1)
    X = np.random.default_rng(0).standard_normal((600, 4))
    whole = tn.KMeans(4, max_iter=6).fit(X)
    found = tn.KMeans(4, max_iter=6).fit(X, checkpoint=tmp_path)
    assert bits_of(found) == bits_of(whole)
    assert found.certificate_ == whole.certificate_
    assert not [n for n in names(tmp_path) if n.endswith(".checkpoint")]


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path, go_on = cut_off(tmp_path, monkeypatch)
    before = path.read_bytes()

    def full(*given):
        raise OSError(28, "no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="no space left"):
            go_on(checkpoint=tn.Checkpoint(tmp_path, every=0))
    assert path.read_bytes() == before
    assert names(tmp_path) == [path.name]
    assert go_on().certificate_.claims


def test_scikit_learn_does_not_route_it():
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        model = tn.Ridge()
        with pytest.raises(TypeError, match="checkpoint"):
            model.set_fit_request(checkpoint=True)
        model.set_fit_request(sample_weight=True)
        assert "checkpoint" not in str(model.get_metadata_routing())


def test_a_learner_of_your_own_must_be_registered(tmp_path):
    class Mine(tn.StandardScaler):
        pass

    with pytest.raises(tn.ModelFileError, match=r"@tenfold\.register"):
        Mine().fit(X, checkpoint=tmp_path)
