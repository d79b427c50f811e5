"""Networks of whole sequences: what they learn that flat rows do not tell, bits, files, errors."""

import subprocess
import sys
from functools import wraps

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.testing import bits


def marked(n, seed, low=5, high=11):
    """Sequences of bits, two of them marked: whether these two are equal, and what they add up to."""
    random = np.random.default_rng(seed)
    lengths = random.integers(low, high, n)
    starts = lengths.cumsum() - lengths
    signs, mark = random.choice([-1.0, 1.0], lengths.sum()), np.zeros(lengths.sum())
    early = starts + (random.random(n) * (lengths // 2)).astype(int)
    late = starts + lengths // 2 + (random.random(n) * (lengths - lengths // 2)).astype(int)
    mark[early] = mark[late] = 1.0
    return np.column_stack([signs, mark]), signs[early] == signs[late], lengths, signs[early] + signs[late]


def flat(X, lengths, most=10):
    """Each sequence as one row, zeros after its end."""
    at = np.arange(most)
    inside = at < lengths[:, None]
    return np.where(inside[..., None], X[np.where(inside, (lengths.cumsum() - lengths)[:, None] + at, 0)], 0.0).reshape(
        len(lengths), -1
    )


X, SAME, LENGTHS, SUM = marked(60, 0)
SMALL = {
    "gru": tn.RNNClassifier(4, max_iter=3),
    "lstm": tn.RNNClassifier(4, cell="lstm", num_layers=2, max_iter=3, early_stopping=True),
    "number": tn.RNNRegressor(4, cell="simple", truncate=3, max_iter=3),
    "transformer": tn.TransformerClassifier(4, n_heads=2, n_layers=1, max_iter=3),
}


def target(name):
    return SUM if name == "number" else SAME


@pytest.mark.quick
@pytest.mark.parametrize(
    "learner",
    [
        tn.RNNClassifier(12, max_iter=16, learning_rate_init=0.03, batch_size=40),
        tn.TransformerClassifier(
            16, n_heads=2, n_layers=1, dim_feedforward=24, max_iter=10, learning_rate_init=0.02, batch_size=40
        ),
    ],
    ids=["gru", "transformer"],
)
def test_what_stands_far_apart_is_learned_by_sequences_and_not_by_flat_rows(learner):
    X, y, lengths, _ = marked(400, 1, 4, 9)
    test, truth, theirs, _ = marked(200, 2, 4, 9)
    ours = learner.fit(X, y, lengths=lengths).predict(test, lengths=theirs)
    perceptron = tn.MLPClassifier((40,), max_iter=60, learning_rate_init=0.005).fit(flat(X, lengths), y)
    found = tn.compare(
        ours, perceptron.predict(flat(test, theirs)), "mcnemar", truth=truth, names=("sequences", "rows")
    )
    assert found.better == "sequences"
    assert found.p < 1e-6
    assert learner.score(test, truth, lengths=theirs) > 0.95
    assert perceptron.score(flat(X, lengths), y) > 0.75  # it learned these by heart


def test_a_network_adds_up_two_numbers_that_are_marked():
    X, _, lengths, y = marked(400, 3)
    model = tn.RNNRegressor(12, max_iter=12, learning_rate_init=0.03).fit(X, y, lengths=lengths)
    test, _, theirs, truth = marked(100, 4)
    assert model.score(test, truth, lengths=theirs) > 0.9


@pytest.mark.parametrize("name", SMALL)
def test_the_same_seed_gives_the_same_bits_and_another_others(name):
    y = target(name)
    fits = [SMALL[name].__class__(**{**SMALL[name].get_params(), "random_state": seed}) for seed in (0, 0, 1)]
    a, b, c = (bits(one.fit(X, y, lengths=LENGTHS).model_) for one in fits)
    assert a == b != c


@pytest.mark.parametrize("name", SMALL)
def test_files_of_sequences_give_the_bits_of_memory_wherever_they_are_cut(name, tmp_path):
    y, learner = target(name), SMALL[name].__class__(**{**SMALL[name].get_params(), "shuffle": False})
    learner.set_params(early_stopping=False)
    frame = pd.DataFrame(X, columns=["bit", "mark"])
    frame["id"] = np.repeat(np.arange(60), LENGTHS)
    frame["y"] = np.repeat(y, LENGTHS)
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "rows.parquet", row_group_size=37)
    source = tn.scan(tmp_path / "rows.parquet", target="y", sequence="id")
    there, here = learner.fit(source), SMALL[name].__class__(**learner.get_params())
    here.fit(frame[["bit", "mark"]], y, lengths=LENGTHS)
    assert there.model_.weights.tobytes() == here.model_.weights.tobytes()
    assert_allclose(there.certificate_["gradient"].value, here.certificate_["gradient"].value, rtol=1e-9)
    assert_allclose(there.score(source), here.score(frame[["bit", "mark"]], y, lengths=LENGTHS), rtol=1e-9)
    assert len(there.predict(source)) == 60


def test_saved_networks_say_the_same_without_pytorch(tmp_path):
    said = []
    for name, learner in SMALL.items():
        model = learner.fit(X, target(name), lengths=LENGTHS)
        model.save(tmp_path / name)
        again = tn.load(tmp_path / name)
        assert np.array_equal(again.predict(X, LENGTHS), model.predict(X, LENGTHS))
        assert again.verify().origin == "verified"
        said.append(model.predict(X[:7], lengths=[3, 4]).tolist())
    program = f"""
import builtins
real = builtins.__import__
def without(name, *given, **more):
    if name == "torch":
        raise ImportError(name)
    return real(name, *given, **more)
builtins.__import__ = without
import numpy as np, tenfold as tn
for name in {list(SMALL)}:
    print(tn.load({str(tmp_path)!r} + "/" + name).predict(np.array({X[:7].tolist()}), lengths=[3, 4]).tolist())
try:
    tn.RNNClassifier(2).fit([[0.0], [1.0]], [0, 1], lengths=[1, 1])
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    *each, error = done.stdout.strip().splitlines()
    assert each == list(map(str, said))
    assert "pip install 'tenfold[neural]'" in error


@pytest.mark.parametrize("name", SMALL)
def test_the_certificate_has_the_gradient_at_the_end_and_claims_no_optimum(name):
    model = SMALL[name].fit(X, target(name), lengths=LENGTHS)
    held = model.early_stopping
    network = model._network(model.schema_)
    if not held:
        padded = flat(X, LENGTHS).reshape(60, 10, 2)
        loss, slope = network.loss_and_gradient(
            model.model_.weights, padded, LENGTHS, np.asarray(target(name), float), np.ones(60)
        )
        heavy = np.where(network.penalised, model.model_.weights, 0.0)
        objective = (loss + 0.5 * model.alpha * heavy @ heavy) / 60
        assert model.certificate_["objective"].value == pytest.approx(objective, rel=1e-9)
        assert model.certificate_["gradient"].value == pytest.approx(
            np.linalg.norm(slope + model.alpha * heavy) / 60, rel=1e-9
        )
    assert "vacuous" in model.certificate_["gap"].because
    assert ("validation bound" in str(model.certificate_)) == held
    assert len(model.loss_curve_) == model.n_iter_ == 3


def test_a_fit_that_was_cut_off_goes_on_to_the_same_bits(tmp_path, monkeypatch):
    whole = tn.RNNClassifier(4, max_iter=4, early_stopping=True).fit(X, SAME, lengths=LENGTHS)
    learner, update, seen = tn.RNNClassifier(4, max_iter=4, early_stopping=True), tn.RNNClassifier.update, []

    @wraps(update)
    def counted(self, state, summary):
        seen.append(state)
        if len(seen) == 5:
            raise KeyboardInterrupt
        return update(self, state, summary)

    monkeypatch.setattr(tn.RNNClassifier, "update", counted)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, SAME, lengths=LENGTHS, checkpoint=tmp_path)
    learner.fit(X, SAME, lengths=LENGTHS, checkpoint=tmp_path)
    assert [state.step for state in seen] == [0, 0, 1, 1, 2, 2, 2, 3, 3, 4]
    assert bits(learner.model_) == bits(whole.model_)


def test_partial_fit_walks_on_and_targets_may_be_given_by_row():
    by_row = tn.RNNClassifier(4, shuffle=False, max_iter=2, tol=0.0).fit(X, np.repeat(SAME, LENGTHS), lengths=LENGTHS)
    twice = tn.RNNClassifier(4, shuffle=False)
    for _ in range(2):
        twice.partial_fit(X, SAME, lengths=LENGTHS, classes=[False, True])
    assert twice.model_.weights.tobytes() == by_row.model_.weights.tobytes()
    with pytest.raises(tn.MergeError):
        by_row + twice


def test_weights_of_sequences_and_categories():
    letters = np.array(["a", "b", "c"], dtype=object)[np.random.default_rng(0).integers(0, 3, (len(X), 1))]
    one_hot = (letters == np.array(["a", "b", "c"], dtype=object)).astype(float)
    given = {"max_iter": 2, "shuffle": False, "batch_size": 200}
    words = tn.TransformerClassifier(4, **given).fit(letters, SAME, lengths=LENGTHS)
    numbers = tn.TransformerClassifier(4, **given).fit(one_hot, SAME, lengths=LENGTHS)
    assert_allclose(words.predict_proba(letters, LENGTHS), numbers.predict_proba(one_hot, LENGTHS), atol=1e-12)
    assert words.predict_proba([["a"], ["new"]]).shape == (1, 2)
    times = np.random.default_rng(1).integers(0, 3, 60)
    twice = np.repeat(np.arange(60), times)
    starts = LENGTHS.cumsum() - LENGTHS
    rows = np.concatenate([np.arange(starts[at], starts[at] + LENGTHS[at]) for at in twice])
    weighted = tn.RNNRegressor(4, **given).fit(X, SUM, times.astype(float), lengths=LENGTHS)
    repeated = tn.RNNRegressor(4, **given).fit(X[rows], SUM[twice], lengths=LENGTHS[twice])
    assert_allclose(weighted.predict(X, LENGTHS), repeated.predict(X, LENGTHS), atol=1e-9)


def test_three_classes_have_probabilities_that_add_up():
    y = np.array(["none", "one", "two"])[(SUM / 2 + 1).astype(int)]
    model = tn.RNNClassifier(4, max_iter=2).fit(X, y, lengths=LENGTHS)
    p = model.predict_proba(X, LENGTHS)
    assert p.shape == (60, 3)
    assert_allclose(p.sum(axis=1), 1.0)
    assert_allclose(np.log(p), model.predict_log_proba(X, LENGTHS))
    assert np.array_equal(model.classes_[p.argmax(axis=1)], model.predict(X, LENGTHS))
    assert model.score(X, y, lengths=LENGTHS) == np.mean(model.predict(X, LENGTHS) == y)
    assert set(model.parameters_) == {
        "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", "head_W", "head_b",
    }  # fmt: skip


def test_what_is_wrong_is_said():
    y = np.repeat(SAME, LENGTHS)
    with pytest.raises(tn.DataError, match=r"row \d+ has a different target.*Remedy.*lengths="):
        tn.RNNClassifier().fit(X, y)
    with pytest.raises(ValueError, match="d_model=6 must be a multiple of n_heads=4"):
        tn.TransformerClassifier(6).fit(X, SAME, lengths=LENGTHS)
    with pytest.raises(ValueError, match=f"{len(X)} targets or weights, but {len(SAME) - 1} sequences"):
        tn.RNNClassifier().fit(X, y, lengths=LENGTHS[:-1])
    with pytest.raises(ValueError, match=f"{len(SAME)} targets or weights, but {len(SAME) - 1} sequences"):
        tn.RNNClassifier().fit(X, SAME, lengths=LENGTHS[:-1])
    with pytest.raises(ValueError, match="integers from 1 on"):
        tn.RNNClassifier().fit(X, SAME, lengths=LENGTHS - 0.5)
    with pytest.raises(ValueError, match="cell"):
        tn.RNNClassifier(cell="gruu").fit(X, SAME, lengths=LENGTHS)
    with pytest.raises(ValueError, match="missing|NaN"):
        tn.RNNClassifier().fit(np.where(X == 1.0, np.nan, X), SAME, lengths=LENGTHS)
    with pytest.raises(ValueError, match="score needs y"):
        SMALL["gru"].fit(X, SAME, lengths=LENGTHS).score(X, lengths=LENGTHS)
    with pytest.raises(tn.DataError, match="learning_rate_init"):
        tn.RNNRegressor(learning_rate_init=1e300, max_iter=3).fit(X, SUM, lengths=LENGTHS)


@pytest.mark.parametrize("name", SMALL)
def test_set_params_after_fit_changes_nothing_that_a_model_says(name):
    model = clone(SMALL[name]).fit(X, target(name), lengths=LENGTHS)
    before = model.predict(X, lengths=LENGTHS)
    size = "d_model" if name == "transformer" else "hidden_size"
    model.set_params(**{size: 8, "max_iter": 1})
    assert_array_equal(model.predict(X, lengths=LENGTHS), before)
    model.fit(X, target(name), lengths=LENGTHS)
    fresh = clone(model).fit(X, target(name), lengths=LENGTHS)
    assert bits(model.model_) == bits(fresh.model_)


@pytest.mark.quick
def test_attention_is_drawn():
    model = SMALL["transformer"].fit(X, SAME, lengths=LENGTHS)
    first = X[: LENGTHS[0]]
    display = tn.display.AttentionDisplay.from_estimator(model, first, labels=[f"r{at}" for at in range(LENGTHS[0])])
    assert [at.get_title() for at in display.axes_] == ["layer 0, head 0", "layer 0, head 1"]
    assert_allclose(display.images_[1].get_array(), model.attention(X, LENGTHS)[0][0, 1])
    scaled = make_pipeline(tn.StandardScaler().fit(X), model)
    drawn = tn.display.AttentionDisplay.from_estimator(scaled, first).maps
    assert_allclose(drawn, model.attention(scaled[0].transform(first))[0])
    with pytest.raises(TypeError, match="RNNClassifier has no attention. Remedy"):
        tn.display.AttentionDisplay.from_estimator(SMALL["gru"], first)
    one = tn.display.AttentionDisplay(display.maps).plot(layer=0, head=1)
    assert len(one.images_) == 1
    with pytest.raises(ValueError, match="layer must be from 0 to 0"):
        display.plot(layer=1)
    with pytest.raises(ValueError, match="one ax is for one head"):
        display.plot(one.axes_[0])
    with pytest.raises(ValueError, match="labels must name"):
        tn.display.AttentionDisplay(display.maps, labels=["a"])
    with pytest.raises(ValueError, match="layers x heads x rows x rows"):
        tn.display.AttentionDisplay(display.maps[0])


def test_a_rule_ends_epochs_and_a_last_pass_certifies_them():
    short = tn.RNNClassifier(3, max_iter=2, tol=0.0).fit(X, SAME, lengths=LENGTHS)
    model = tn.RNNClassifier(3, max_iter=50, tol=0.0).fit(X, SAME, lengths=LENGTHS, stop=tn.Rounds(2))
    assert (model.n_iter_, model.certificate_.provenance.stopped) == (2, "2 rounds")
    assert_array_equal(model.model_.weights, short.model_.weights)
    assert model.certificate_["gradient"].value == short.certificate_["gradient"].value


@pytest.mark.parametrize("model", [tn.RNNClassifier(3), tn.TransformerClassifier()], ids=lambda m: type(m).__name__)
def test_an_infinite_objective_is_no_model(model):
    """The only step is taken after the only loss was computed; the penalty of its weights overflows."""
    model.set_params(max_iter=1, learning_rate_init=1e160, batch_size=10_000)
    with pytest.raises(tn.DataError, match=r"weights diverge, with learning_rate_init=1e\+160. Remedy: a smaller one"):
        model.fit(X, SAME, lengths=LENGTHS)
