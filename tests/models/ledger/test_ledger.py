"""A ledger's model of a window has the bits of a ledger that never had other days, whatever came and went."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tenfold as tn
from helpers import name_of
from tenfold.core import DataError, MergeError
from tenfold.estimator.updating import merging
from tenfold.models.ledger import kept_merges
from tenfold.models.ledger.folder_store import FolderStore
from tenfold.models.ledger.leaf_file import LeafFile, leaf_bytes
from tenfold.models.ledger.merge_cache import RECORD_BYTES, MergeCache, array_bytes
from tenfold.sources import as_source
from tenfold.testing.comparison import bits

from .histories import MERGEABLE, Histories, fits
from .ledger_rows import COLUMNS, FEATURES, LEARNERS, day, filled, ledger_at, rows_of


def same(a, b):
    """Whether two fitted learners have the same bits."""
    return a.schema_ == b.schema_ and bits(a.summary_) == bits(b.summary_) and bits(a.model_) == bits(b.model_)


@pytest.mark.parametrize("seed", range(3))
def test_a_window_has_the_bits_of_a_ledger_of_its_days(tmp_path, seed):
    random = np.random.default_rng(seed)
    ledger = filled(tmp_path / "all", random.permutation(20).tolist())
    first, last = sorted(random.choice(20, 2, replace=False).tolist())
    alone = filled(tmp_path / "window", random.permutation(np.arange(first, last + 1)).tolist())
    assert ledger.keys_ == [day(k) for k in range(20)]
    for name in LEARNERS:
        found = ledger.model(name, since=day(first), until=day(last))
        assert same(found, alone.model(name))
        assert found.certificate_.provenance.rows == 40 * (last - first + 1)
        assert found.certificate_.to_dict() == alone.model(name).certificate_.to_dict()
        found.verify()


def test_the_model_of_one_day_is_that_of_a_fit_and_of_all_that_of_the_rows(tmp_path):
    ledger = filled(tmp_path, range(6), ("price",))
    rows = [tn.scan(rows_of(k)[[*COLUMNS, "price"]], target="price") for k in range(6)]
    assert same(ledger.model(since=day(2), until=day(2)), tn.Ridge().fit(rows[2]))
    together = tn.scan(pd.concat([rows_of(k) for k in range(6)])[[*COLUMNS, "price"]], target="price")
    np.testing.assert_allclose(ledger.model().coef_, tn.Ridge().fit(together).coef_, rtol=1e-12)


@pytest.mark.parametrize(("at", "learner"), MERGEABLE, ids=[f"{name_of(one)}-{at}" for at, one in MERGEABLE])
def test_each_learner_of_one_pass_is_that_of_the_sum(tmp_path, at, learner):
    ledger = tn.Ledger(tmp_path, learner)
    (own,) = ledger._learners.values()
    a, b = fits(own.learner, 2)
    if a.does_not_merge:
        pytest.skip(a.does_not_merge)
    for number, fitted in enumerate((a, b)):
        known = own.of_fit(fitted)
        assert ledger._put(day(number), {own.name: known}, False)
        assert not ledger._put(day(number), {own.name: known}, False)
    alone = ledger.model(since=day(0), until=day(0))
    assert bits(alone.summary_) == bits(a.summary_)
    assert bits(alone.model_) == bits(a.model_)
    assert alone.schema_ == a.schema_
    found = tn.Ledger(tmp_path, learner).model()
    try:
        wanted = merging.add(a, b, again=True)
    except MergeError:  # of so few rows, drawn by their numbers
        assert learner.draws_rows
        return
    assert bits(found.summary_) == bits(wanted.summary_)
    assert bits(found.model_) == bits(wanted.model_)
    assert found.schema_ == wanted.schema_
    assert [c.kind for c in found.certificate_] == [c.kind for c in wanted.certificate_]
    found.verify()


def test_what_was_appended_is_no_news_and_other_rows_are_refused(tmp_path):
    ledger = ledger_at(tmp_path)
    assert ledger.append(rows_of(1)) == [day(1)]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert ledger.append(rows_of(1)) == []
    with pytest.raises(MergeError, match=r"has the batch '2026-01-02' already.*late=True.*drop\('2026-01-02'\)"):
        ledger.append(rows_of(1).iloc[1:])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_late_rows_are_a_leaf_beside_and_no_news_the_second_time(tmp_path):
    a, b = ledger_at(tmp_path / "a", ("price",)), ledger_at(tmp_path / "b", ("price",))
    late = [rows_of(100 + k, keyed=False) for k in range(3)]
    for ledger, order in ((a, (0, 1, 2)), (b, (2, 0, 1))):
        ledger.append(rows_of(1))
        for k in order:
            assert ledger.append(late[k], key=day(1), late=True) == [day(1)]
            assert ledger.append(late[k], key=day(1), late=True) == []
        assert ledger.append(rows_of(1), late=True) == []  # those are there, and not late
        assert ledger.keys_ == [day(1)]
    assert same(a.model(), b.model())
    assert a.digest_ == b.digest_
    assert a.model().certificate_.provenance.rows == 160
    assert sorted(a.log()["late"].to_pylist()) == [False, True, True, True]
    assert len(a.drop(day(1)).dropped) == 4
    assert a.keys_ == []


def test_rows_of_several_days_are_a_leaf_for_each(tmp_path):
    frame = pd.concat([rows_of(k) for k in (3, 1, 2)], ignore_index=True).sample(frac=1.0, random_state=0)
    ledger = ledger_at(tmp_path / "a")
    assert ledger.append(frame) == [day(1), day(2), day(3)]
    alone = ledger_at(tmp_path / "b")
    alone.append(frame[frame["day"] == day(2)])
    for name in LEARNERS:
        assert same(ledger.model(name, since=day(2), until=day(2)), alone.model(name))
    assert ledger.log()["rows"].to_pylist() == [40, 40, 40]


@pytest.mark.parametrize("kind", ["date", "datetime64", "arrow", "parquet", "category", "polars", "zone"])
def test_days_of_all_types_are_the_same_key(tmp_path, kind):
    frame = rows_of(1)
    when = pd.to_datetime(frame["day"])
    frame["day"] = when.dt.date if kind == "date" else when
    rows = frame
    if kind == "category":
        rows = rows_of(1).astype({"day": "category"})
    if kind == "zone":
        rows = frame.assign(day=when.dt.tz_localize("Europe/Berlin"))
    if kind == "polars":
        rows = pytest.importorskip("polars").from_pandas(frame).lazy()
    if kind == "arrow":
        rows = pa.Table.from_pandas(frame, preserve_index=False)
    if kind == "parquet":
        frame.to_parquet(tmp_path / "rows.parquet", index=False)
        rows = tn.scan(tmp_path / "rows.parquet")
    ledger = ledger_at(tmp_path / "ledger", ("price",))
    assert ledger.append(rows) == [day(1)]
    assert ledger.append(rows_of(1)) == []


def test_integers_are_sorted_by_value_before_text(tmp_path):
    ledger = ledger_at(tmp_path, ("price",))
    for key in (10, 9, -3, "later", "a/b@c~%."):
        ledger.append(rows_of(1, keyed=False).iloc[: 20 + len(str(key))], key=key)
    assert ledger.keys_ == ["-3", "9", "10", "a/b@c~%.", "later"]
    assert ledger.model(since=9, until=10).certificate_.provenance.rows == 43


# ---- windows -----------------------------------------------------------------------------------------


def test_windows_by_length_and_day(tmp_path):
    ledger = filled(tmp_path, [0, 1, 2, 9, 10], ("price",))

    def rows(**window):
        return ledger.model(**window).certificate_.provenance.rows // 40

    assert rows() == 5
    assert rows(last="2d") == 2
    assert rows(last=timedelta(days=2)) == 2
    assert rows(last="1w") == 2
    assert rows(last="9d") == 3
    assert rows(last="2d", until=day(2)) == 2
    assert rows(last="3d", as_of=day(4)) == 1
    assert rows(since=date(2026, 1, 2), until=day(9)) == 3
    with pytest.raises(DataError, match=r"no batch in the window last='2d', as_of='2026-01-08'.*5 keys, '2026-01-01'"):
        rows(last="2d", as_of=day(7))
    with pytest.raises(ValueError, match="not both"):
        rows(last="2d", since=day(0))
    with pytest.raises(ValueError, match="as_of is the day"):
        rows(as_of=day(0))
    with pytest.raises(ValueError, match="span of days"):
        rows(last="28")


@pytest.mark.parametrize("name", LEARNERS)
def test_half_life_is_weights(tmp_path, name):
    ledger = filled(tmp_path, range(10))
    found = ledger.model(name, half_life="3d", since=day(2))
    frame = pd.concat([rows_of(k).assign(weight=0.5 ** ((9 - k) / 3)) for k in range(2, 10)], ignore_index=True)
    target = {"sold": "sold", "profile": None}.get(name, "price")
    columns = [*FEATURES[name], "weight", *([target] if target else [])]
    wanted = LEARNERS[name]._blank().fit(tn.scan(frame[columns], target=target, weight="weight"))
    if name == "profile":
        np.testing.assert_allclose(found.quantiles_, wanted.quantiles_)
        np.testing.assert_allclose(found.mean_, wanted.mean_)
        parts = found.describe()["city"].parts
        assert [part.label for part in parts] == [part.label for part in wanted.describe()["city"].parts]
    elif name == "city":  # folds are by the number of a row in its batch
        for a, b in zip(found.encodings_, wanted.encodings_, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    else:
        a, b = (m.coef_ if name == "price" else m.theta_ for m in (found, wanted))
        np.testing.assert_allclose(a, b, rtol=1e-12)
    later = ledger.model(name, half_life="3d", since=day(2), as_of=day(12))
    assert bits(later.summary_) != bits(found.summary_)


def test_half_life_of_rows_is_refused_in_words(tmp_path):
    ledger = tn.Ledger(tmp_path, tn.KNeighborsClassifier(1), target="sold", features={"KNeighborsClassifier": COLUMNS})
    ledger.append(rows_of(1))
    with pytest.raises(TypeError, match=r"half_life gives.*KNeighborsClassifier do not take them.*Remedy: a window"):
        ledger.model(half_life="2d")


def test_rolling_yields_the_model_of_each_window(tmp_path):
    ledger = filled(tmp_path, range(12), ("price", "sold"))
    found = list(ledger.rolling("4d", "sold", since=day(2)))
    assert [key for key, _ in found] == [day(k) for k in range(2, 12)]
    for key, model in found:
        assert same(model, ledger.model("sold", last="4d", as_of=key))
    assert found[0][1].certificate_.provenance.rows == 120


def test_retain_drops_what_is_older(tmp_path):
    ledger = filled(tmp_path, range(12), ("price",))
    assert ledger.retain("5d").keys == tuple(day(k) for k in range(7))
    assert ledger.keys_ == [day(k) for k in range(7, 12)]
    assert ledger.retain("5d") is None


def test_windows_of_days_need_days(tmp_path):
    ledger = ledger_at(tmp_path, ("price",))
    ledger.append(rows_of(1, keyed=False), key="monday")
    with pytest.raises(DataError, match="last counts days, and the key 'monday' is none. Remedy"):
        ledger.model(last="2d")
    with pytest.raises(DataError, match="retain counts days"):
        ledger.retain("2d")


# ---- parameters --------------------------------------------------------------------------------------


def test_parameters_that_are_not_in_the_summary_change_without_a_scan(tmp_path):
    filled(tmp_path, range(3), ("price", "profile"))
    rows = tn.scan(pd.concat([rows_of(k) for k in range(3)])[[*COLUMNS, "price"]], target="price")
    found = ledger_at(tmp_path, ("price",), price=tn.Ridge(alpha=50.0)).model()
    np.testing.assert_allclose(found.coef_, tn.Ridge(alpha=50.0).fit(rows).coef_, rtol=1e-12)
    profile = ledger_at(tmp_path, profile=tn.Profile(top=1)).model("profile")
    assert len(profile.describe()["city"].parts) == 1


def test_other_parameters_are_refused_by_leaf_and_name(tmp_path):
    filled(tmp_path, range(2), ("profile",))
    ledger = ledger_at(tmp_path, ("profile",), profile=tn.Profile(max_values=7))
    with pytest.raises(MergeError, match=r"leaf '2026-01-0\d.leaf'.*max_values is 1000 and 7.*Remedy"):
        ledger.model()
    ledger = ledger_at(tmp_path, ("profile",), profile=tn.Profile(kinds={"a": "text"}))
    with pytest.raises(MergeError, match=r"kinds is None and \{'a': 'text'\}"):
        ledger.model()
    with pytest.raises(MergeError, match=r"has no summary of 'price'.*Remedy"):
        ledger_at(tmp_path, ("price",)).model()
    with pytest.raises(MergeError, match=r"has summaries of Profile as 'profile', and this ledger a Ridge"):
        tn.Ledger(tmp_path, {"profile": tn.Ridge()}).model()


def test_days_whose_columns_have_other_types_are_named(tmp_path):
    ledger = tn.Ledger(tmp_path, tn.Profile())
    ledger.append(pd.DataFrame({"a": [1.0, 2.0], "day": day(0)}))
    ledger.append(pd.DataFrame({"a": ["x", "y"], "day": day(1)}))
    with pytest.raises(
        MergeError, match=r"batches '2026-01-0\d' and '2026-01-0\d' do not merge: Profile chose.*kinds is"
    ):
        ledger.model()
    ledger = tn.Ledger(tmp_path / "other", tn.StandardScaler())
    ledger.append(pd.DataFrame({"a": [1.0, 2.0], "day": day(0)}))
    ledger.append(pd.DataFrame({"b": [1.0, 2.0], "day": day(1)}))
    with pytest.raises(MergeError, match=r"do not merge: columns differ"):
        ledger.model()


def test_computed_columns_are_in_the_leaf(tmp_path):
    frame = rows_of(1)[["day", "a", "b", "price"]]
    rows = tn.scan(frame, target="price").with_columns(both=tn.col("a") * tn.col("b"))
    ledger = tn.Ledger(tmp_path, tn.Ridge())
    ledger.append(rows)
    found = tn.Ledger(tmp_path, tn.Ridge()).model()
    assert list(found.feature_names_in_) == ["a", "b", "both"]
    assert found.predict(frame[["a", "b"]]).shape == (40,)


# ---- refusals ----------------------------------------------------------------------------------------


def test_learners_that_do_not_merge_are_refused_with_what_helps(tmp_path):
    for learner in (tn.LogisticRegression(), tn.HistGradientBoostingClassifier(), tn.KMeans(2)):
        with pytest.raises(TypeError, match=r"reads its rows several times.*Remedy"):
            tn.Ledger(tmp_path, learner)
    with pytest.raises(TypeError, match="is not a learner of tenfold"):
        tn.Ledger(tmp_path, {"a": 3})
    with pytest.raises(ValueError, match=r"target names \['b'\]"):
        tn.Ledger(tmp_path, {"a": tn.Ridge()}, target={"b": "price"})
    with pytest.raises(KeyError, match="several learners"):
        filled(tmp_path, [1]).model()


def test_keys_that_are_none_are_refused(tmp_path):
    ledger = ledger_at(tmp_path, ("price",))
    frame = rows_of(1)
    with pytest.raises(DataError, match=r"have no column 'day'.*Remedy: append"):
        ledger.append(frame.drop(columns="day"))
    with pytest.raises(DataError, match="missing in 1 rows"):
        ledger.append(frame.assign(day=frame["day"].mask(frame.index == 3)))
    with pytest.raises(DataError, match="has a time of day"):
        ledger.append(frame.assign(day=pd.Timestamp("2026-01-01 12:00")))
    with pytest.raises(DataError, match=r"column 'day' holds double"):
        ledger.append(frame.assign(day=1.5))
    for key in (1.5, True, "", "x" * 100):
        with pytest.raises(DataError, match="key"):
            ledger.append(frame, key=key)
    with pytest.raises(DataError, match="Remedy: a frame, or a source"):
        ledger.append(np.zeros((3, 3)), key=1)
    with pytest.raises(KeyError, match="has no batch '2020-01-01'"):
        ledger.drop("2020-01-01")
    with pytest.raises(DataError, match="the ledger is empty"):
        ledger.model()
    assert list(tmp_path.iterdir()) == []


def test_a_batch_that_cannot_be_summarized_leaves_nothing(tmp_path):
    ledger = ledger_at(tmp_path, ("price", "profile"))
    with pytest.raises(DataError, match="'a'"):
        ledger.append(rows_of(1).assign(a=np.nan))
    assert list(tmp_path.iterdir()) == []


# ---- dropping ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_dropping_is_never_having_had(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 3)
    random = np.random.default_rng(seed)
    ledger, there = ledger_at(tmp_path / "a"), set()
    for _ in range(25):
        number = int(random.integers(0, 12))
        if number in there and random.random() < 0.6:
            receipt = ledger.drop(day(number))
            receipt.check()
            there.discard(number)
        else:
            assert bool(ledger.append(rows_of(number))) == (number not in there)
            there.add(number)
        if there and random.random() < 0.5:
            ledger.model(str(random.choice(list(LEARNERS))))
    never = filled(tmp_path / "b", random.permutation(sorted(there)).tolist())
    assert ledger.digest_ == never.digest_
    for name in LEARNERS:
        for one in (ledger, ledger_at(tmp_path / "a")):
            assert same(one.model(name), never.model(name))
    ledger.verify()


@pytest.mark.parametrize(("at", "learner"), MERGEABLE, ids=[f"{name_of(one)}-{at}" for at, one in MERGEABLE])
def test_histories_of_each_learner_are_those_of_ledgers_that_never_had_what_is_gone(monkeypatch, at, learner):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 2)
    histories = Histories(learner)
    if histories.merges:
        histories.check(at)


def test_no_bytes_of_a_dropped_batch_are_left(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 3)
    ledger = filled(tmp_path, range(12))
    gone = ledger.model("price", since=day(5), until=day(5)).summary_
    for name in LEARNERS:
        ledger.model(name)
    assert any(path.suffix == ".node" for path in tmp_path.iterdir())
    needles = [gone.comoment.tobytes()[:24], gone.mean.tobytes()[:16], day(5).encode()]
    (tmp_path / "@dead").write_bytes((tmp_path / f"{day(5)}.leaf").read_bytes())  # of a writer that died
    assert any(needles[0] in path.read_bytes() for path in tmp_path.iterdir())
    ledger.drop(day(5))
    for path in tmp_path.iterdir():
        assert not any(needle in path.read_bytes() or needle in path.name.encode() for needle in needles)
    spans = [kept_merges.read_kept_name(path.name) for path in tmp_path.iterdir() if path.suffix == ".node"]
    assert not any(kept.first <= day(5) <= kept.last for kept in spans)


def test_a_receipt_is_checked_by_a_script_without_the_library(tmp_path):
    ledger = filled(tmp_path / "ledger", range(4), ("price",))
    before = ledger.digest_
    receipt = ledger.drop(day(1), day(2))
    assert (receipt.before, receipt.after) == (before, ledger.digest_)
    receipt.save(tmp_path / "receipt.json")
    script = (
        "import hashlib, json, sys\n"
        "r = json.load(open(sys.argv[1]))\n"
        "lines = lambda d: ''.join(f'{n} {d[n]}\\n' for n in sorted(d)).encode()\n"
        "made = [hashlib.sha256(lines(d)).hexdigest() for d in (r['kept'], {**r['kept'], **r['dropped']})]\n"
        "sys.exit(made != [r['after'], r['before']])\n"
    )
    run = [sys.executable, "-I", "-c", script, str(tmp_path / "receipt.json")]
    assert subprocess.run(run, check=False).returncode == 0
    found = json.loads((tmp_path / "receipt.json").read_text())
    found["dropped"].popitem()
    (tmp_path / "receipt.json").write_text(json.dumps(found))
    assert subprocess.run(run, check=False).returncode == 1
    with pytest.raises(ValueError, match="does not hold"):
        tn.Receipt(**{**found, "keys": tuple(found["keys"])}).check()


# ---- kept merges -------------------------------------------------------------------------------------


class Counted(FolderStore):
    """A folder that counts what is read."""

    read = ()

    def get(self, name):
        self.read = (*self.read, name)
        return super().get(name)


def test_kept_merges_are_read_in_place_of_leaves(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 4)
    ledger = filled(tmp_path, range(40), ("price",))
    wanted = ledger.model()
    store = Counted(tmp_path)
    assert same(ledger_at(store, ("price",)).model(), wanted)
    assert len(store.read) == 1
    filled(tmp_path, [40], ("price",))
    store = Counted(tmp_path)
    again = ledger_at(store, ("price",)).model()
    assert len(store.read) < 25
    assert same(again, filled(tmp_path / "alone", range(41), ("price",)).model())
    kept = {path.name for path in tmp_path.iterdir() if path.suffix == ".node"}
    ledger_at(tmp_path, ("price",)).model()
    assert kept == {path.name for path in tmp_path.iterdir() if path.suffix == ".node"}
    assert len(kept) <= 2 * 41 / 4


def test_a_damaged_kept_merge_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 4)
    wanted = filled(tmp_path, range(12), ("price",)).model()
    for path in [path for path in tmp_path.iterdir() if path.suffix == ".node"]:
        raw = path.read_bytes()
        path.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    assert same(ledger_at(tmp_path, ("price",)).model(), wanted)
    store = Counted(tmp_path)
    assert same(ledger_at(store, ("price",)).model(), wanted)
    assert len(store.read) == 1


def test_a_merge_of_a_leaf_that_is_dropped_meanwhile_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 4)

    class Dropping(FolderStore):
        def put(self, name, raw):
            if name.endswith(".node"):
                (tmp_path / f"{day(3)}.leaf").unlink(missing_ok=True)
            return super().put(name, raw)

    filled(tmp_path, range(12), ("price",))
    ledger_at(Dropping(tmp_path), ("price",)).model()
    spans = [kept_merges.read_kept_name(path.name) for path in tmp_path.iterdir() if path.suffix == ".node"]
    assert not any(kept.first <= day(3) <= kept.last for kept in spans)


def test_merges_of_readers_that_died_go_with_the_next_drop(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 4)
    ledger = filled(tmp_path, range(12), ("price",))
    ledger.model()
    left = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix == ".node"}
    ledger.drop(day(3))
    for name, raw in left.items():  # kept by a reader that died before it looked whether all leaves were there
        (tmp_path / name).write_bytes(raw)
    ledger.drop(day(11))
    assert not any(path.name in left for path in tmp_path.iterdir() if kept_merges.read_kept_name(path.name))


def test_a_folder_that_is_only_read_gives_models(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_merges, "MIN_LEAVES", 4)
    filled(tmp_path, range(12), ("price",))

    class ReadOnly(FolderStore):
        def put(self, name, raw):
            raise PermissionError(13, "read only")

    assert ledger_at(ReadOnly(tmp_path), ("price",)).model().certificate_.provenance.rows == 480


# ---- damage ------------------------------------------------------------------------------------------


def test_verify_reads_every_byte_and_names_a_damaged_leaf(tmp_path):
    ledger = filled(tmp_path, range(3))
    assert ledger.verify()["leaves"].value == 3
    assert ledger.verify()["equal batches"].value == 0
    path = tmp_path / f"{day(1)}.leaf"
    raw = path.read_bytes()
    random = np.random.default_rng(0)
    for at in [0, 8, 12, 16, 40, 60, len(raw) - 1, *random.integers(0, len(raw), 60).tolist()]:
        path.write_bytes(raw[:at] + bytes([raw[at] ^ (1 << int(random.integers(8)))]) + raw[at + 1 :])
        with pytest.raises(tn.ModelFileError, match=r"leaf '2026-01-02.leaf'"):
            ledger_at(tmp_path).verify()
    for end in [0, 7, 47, len(raw) // 2, len(raw) - 1]:
        path.write_bytes(raw[:end])
        with pytest.raises(tn.ModelFileError, match=r"leaf '2026-01-02.leaf'"):
            ledger_at(tmp_path).verify()
    path.write_bytes((tmp_path / f"{day(0)}.leaf").read_bytes())
    with pytest.raises(tn.ModelFileError, match=r"its file was renamed"):
        ledger_at(tmp_path).verify()


def test_a_damaged_leaf_can_be_dropped(tmp_path):
    ledger = filled(tmp_path, range(3), ("price",))
    (tmp_path / f"{day(1)}.leaf").write_bytes(b"tenfleaf")
    with pytest.raises(tn.ModelFileError, match="Remedy: drop it|is no leaf"):
        ledger.model()
    receipt = ledger.drop(day(1))
    assert receipt.dropped == {f"{day(1)}.leaf": "damaged"}
    receipt.check()
    assert same(ledger.model(), filled(tmp_path / "never", [0, 2], ("price",)).model())


def signed(raw, random):
    """The leaf with one thing changed in its header or a section, and all checksums made again."""
    leaf = LeafFile(raw, "it")
    sections = [bytearray(leaf.bytes_of(number)) for number in range(len(leaf.sections))]
    about = json.dumps(leaf.about)
    if random.random() < 0.5:
        some = sections[int(random.integers(len(sections)))]
        at = int(random.integers(len(some)))
        some[at] = int(random.integers(32, 127)) if random.random() < 0.7 else int(random.integers(256))
    else:
        at = int(random.integers(len(about)))
        about = about[:at] + chr(int(random.integers(32, 127))) + about[at + 1 :]
    try:
        about = json.loads(about)
    except ValueError:
        return None
    return leaf_bytes(about, [bytes(some) for some in sections])


@pytest.mark.parametrize("name", LEARNERS)
def test_forged_leaves_raise_errors_that_name_them(tmp_path, name):
    filled(tmp_path, range(2), (name,))
    path, random, refused = tmp_path / f"{day(1)}.leaf", np.random.default_rng(0), []
    raw = path.read_bytes()
    for _ in range(250):
        forged = signed(raw, random)
        if forged is None:
            continue
        path.write_bytes(forged)
        try:
            ledger_at(tmp_path, (name,)).verify()
            ledger_at(tmp_path, (name,)).model()
        except (tn.ModelFileError, MergeError) as error:
            refused.append(str(error))
    assert len(refused) > 50
    assert [text for text in refused if day(1) not in text and "not finite" not in text] == []


def test_batches_that_are_dropped_meanwhile_are_left_out(tmp_path):
    class Dropping(FolderStore):
        dropped = False

        def get(self, name):
            if not self.dropped:
                self.dropped = True
                (tmp_path / f"{day(1)}.leaf").unlink()
            return super().get(name)

    filled(tmp_path, range(4), ("price",))
    found = ledger_at(Dropping(tmp_path), ("price",)).model()
    assert found.certificate_.provenance.rows == 120


def test_classes_beyond_two_are_refused_where_two_are_taken(tmp_path):
    learner = next(one for _, one in MERGEABLE if one.need.binary and one.need.target == "class")
    ledger = tn.Ledger(tmp_path, learner, target="y")
    for number, classes in enumerate(([0, 1], [1, 2])):
        x = np.arange(20) % 2
        ledger.append(pd.DataFrame({"a": x, "b": 1 - x, "y": np.array(classes)[x]}), key=day(number))
    with pytest.raises(MergeError, match=r"do not merge: .* takes two classes, and there are \[0, 1, 2\]"):
        ledger.model()


def test_a_summary_does_not_hold_the_file_that_it_came_from(tmp_path):
    ledger = filled(tmp_path, [0], ("price", "profile"))
    found = ledger._read(f"{day(0)}.leaf", ledger._named("price")).summary.comoment
    while isinstance(found.base, np.ndarray):
        found = found.base
    assert len(found.base) < (tmp_path / f"{day(0)}.leaf").stat().st_size / 4


def test_merges_in_memory_have_a_bound(tmp_path):
    ledger = filled(tmp_path, [0], ("price",))
    listed = ledger.store.names()
    one = ledger._merged(ledger._named(None), list(listed), listed)
    size = array_bytes(one.summary) + RECORD_BYTES
    cache = MergeCache(3 * size)
    for k in range(10):
        cache[str(k)] = one
    assert [str(k) in cache for k in range(10)] == [False] * 7 + [True] * 3
    assert cache.bytes == 3 * size


def test_the_same_rows_under_two_keys_are_said(tmp_path):
    ledger = ledger_at(tmp_path, ("price",))
    for number in (1, 2):
        ledger.append(rows_of(1, keyed=False), key=day(number))
    claim = ledger.verify()["equal batches"]
    assert claim.value == 1
    assert "2026-01-02.leaf and 2026-01-03.leaf" in claim.because


def test_log_lists_the_batches(tmp_path):
    table = filled(tmp_path, [1, 0], ("price",)).log()
    assert table["key"].to_pylist() == [day(0), day(1)]
    assert table["rows"].to_pylist() == [40, 40]
    assert table["bytes"].to_pylist() == [(tmp_path / f"{day(k)}.leaf").stat().st_size for k in range(2)]


def test_a_source_of_arrays_is_appended_by_its_key(tmp_path):
    frame = rows_of(1)
    rows = as_source(frame[COLUMNS].to_numpy(), frame["price"].to_numpy(), None, tn.Ridge().need)
    ledger = tn.Ledger(tmp_path, tn.Ridge())
    assert ledger.append(rows, key=day(1)) == [day(1)]
    wanted = tn.Ridge().fit(frame[COLUMNS].to_numpy(), frame["price"].to_numpy())
    assert bits(ledger.model().model_) == bits(wanted.model_)
