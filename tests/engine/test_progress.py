"""The progress bar: late, on a terminal only, cheap, and gone when it is over."""

import os
import pty
import re
import select
import subprocess
import sys
import time

import numpy as np
import pytest

from tenfold import (
    AdaBoostClassifier,
    DummyClassifier,
    GaussianNB,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    Local,
    PoissonRegressor,
    Ridge,
    StandardScaler,
    cross_validate,
    on,
    scan,
)
from tenfold.engine import progress
from tenfold.pipeline import make_pipeline

PROGRAM = """
import time
import numpy as np
import tenfold as tn
from tenfold.engine import progress
from tenfold.sources import ArraySource

progress.Bar.__init__.__defaults__ = ({patience},)

class Slow(ArraySource):
    def read(self, *given):
        time.sleep(0.02)
        return super().read(*given)

source = Slow(np.ones((200_000, 2)), np.arange(200_000.0))
with tn.on(tn.Local(threads=1){more}):
    tn.Ridge().fit(source)
print("done")
"""


def program(patience, more=""):
    return [sys.executable, "-c", PROGRAM.format(patience=patience, more=more)]


@pytest.fixture
def drawn(monkeypatch):
    """What a bar draws on a terminal, from the first moment on: title, how far, of how much, words."""
    lines = []

    class Terminal:
        def draw(self, *line):
            lines.append(tuple(line))

        def close(self):
            pass

    monkeypatch.setattr(progress, "_Terminal", Terminal)
    monkeypatch.setattr(progress, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(progress.Bar.__init__, "__defaults__", (0.0,))
    with on(Local(threads=1), verbose=True):
        yield lines


def on_a_terminal(command, columns=120):
    """What a program writes to a terminal."""
    mine, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), "NO_COLOR": ""}
    done = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env, close_fds=True)
    os.close(theirs)
    found = b""
    while True:
        ready, _, _ = select.select([mine], [], [], 0.5)
        if ready:
            try:
                found += os.read(mine, 65536)
            except OSError:
                break
        elif done.poll() is not None:
            break
    assert done.wait(60) == 0, found.decode(errors="replace")
    os.close(mine)
    return found.decode(errors="replace")


def test_on_a_terminal_after_a_while_and_gone_at_the_end():
    raw = on_a_terminal(program(0.1))
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", raw)
    assert "Ridge, scan 1" in text
    assert re.search(r"\d+/16 parts", text)
    assert "rows/s" in text
    last = raw.rsplit("\x1b[2K", 1)[1]  # after the last line was erased
    assert "scan" not in last
    assert "done" in last


def test_a_line_that_is_too_long_is_two():
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", on_a_terminal(program(0.1), columns=60))
    assert re.search(r"Ridge, scan 1[^\n/]*\r?\n", text)
    assert re.search(r"\d+/16 parts · .*rows/s · \d:\d\d", text)


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 3))
    return X, rng.poisson(np.exp(X[:, 0])).astype(float)


def test_rounds_that_read_nothing_are_shown(drawn):
    HistGradientBoostingRegressor(max_iter=12).fit(*rows())
    rounds = [(done, total, title) for title, done, total, _ in drawn if "round 7 of at most 12" in title]
    assert rounds
    assert {(done, total) for done, total, _ in rounds} == {(6, 12)}
    assert all(title.startswith("HistGradientBoostingRegressor, scan 2 of about 2, ") for *_, title in rounds)


def test_rounds_of_held_rows_are_no_scans(drawn):
    X, y = rows()
    AdaBoostClassifier(n_estimators=5).fit(X, y > 1)
    scans = {title.split(", ")[1] for title, *_ in drawn if "round 4 of at most 5" in title}
    assert len(scans) == 1
    assert any(done > total > 1 for _, done, total, _ in drawn) is False


def test_folds_and_how_many_scans(drawn):
    boosting = HistGradientBoostingRegressor(max_iter=3)
    found = cross_validate([make_pipeline(StandardScaler(), boosting), Ridge()], scan(*rows()), folds=2)
    titles = [title for title, *_ in drawn]
    assert all(title.startswith("cross-validation, scan ") for title in titles)
    assert any(title.endswith("HistGradientBoostingRegressor, fold 2 of 2, round 2 of at most 3") for title in titles)
    assert any(title.endswith(", HistGradientBoostingRegressor and Ridge") for title in titles)
    assert titles[-1].endswith(", scores")
    scans = [re.search(r"scan (\d+)(?: of about (\d+))?", title) for title in titles]
    assert max(int(one[1]) for one in scans) == found.scans
    expected = {int(one[2]) for one in scans if one[2]}
    assert expected == {found.scans}


def test_learners_have_the_names_that_were_given(drawn):
    X, y = rows()
    learners = {
        "boosting": make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=8, early_stopping=False)),
        "bayes": make_pipeline(StandardScaler(), GaussianNB()),
        "baseline": DummyClassifier(),
    }
    found = cross_validate(learners, scan(X, y > 1), folds=2)
    titles = list(dict.fromkeys(title.removeprefix("cross-validation, scan ") for title, *_ in drawn))
    assert titles[0] == f"1 of about {found.scans}, columns and classes"
    assert f"2 of about {found.scans}, 3 learners" in titles
    assert f"3 of about {found.scans}, boosting and bayes" in titles
    rounds = [title.split(", ", 1)[1] for title in titles if "round" in title and "round 1 " not in title]
    assert rounds == [f"boosting, fold {fold} of 2, round {n} of 8" for fold in (1, 2) for n in range(2, 9)]
    assert titles[-1] == f"{found.scans} of about {found.scans}, scores"


def test_what_is_left_counts_the_rounds_of_later_folds(drawn, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    bar = progress.Bar("cross-validation", 0.0)
    bar.ask(progress.Work("boosting"))
    for fold in (1, 2):
        for one in range(1, 101):
            bar.turn(progress.Work(f"boosting, fold {fold} of 2", one, 100, exact=True), 100 * (2 - fold))
            clock[0] += 1.0
    words = [line[-1] for line in drawn]
    assert words[10] == "0:10 · about 3:10 left"
    assert words[110] == "0:10 · about 1:30 left"
    assert words[199] == "1:39 · about 0:01 left"


def test_more_scans_than_expected_are_not_of_so_many(drawn):
    PoissonRegressor(tol=0.0, max_iter=25).fit(scan(*rows()))
    scans = [re.search(r"scan (\d+)(?: of about (\d+))?", title) for title, *_ in drawn]
    assert all(int(one[1]) <= int(one[2]) for one in scans if one[2])


def test_nothing_is_left_is_never_said(drawn, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(progress, "POLL_SECONDS", 0.1)
    bar = progress.Bar("boosting", 2.0)
    bar.scan(60, 50_000)
    for _ in range(60):
        clock[0] += 1.0
        bar.advance(1)
    assert drawn[28] == ("boosting, scan 1", 30, 60, "30/60 parts · 50 k rows/s · 0:30 · 0:30 left of this scan")
    for one in range(1, 101):  # rounds, slow ones, that read nothing
        bar.turn(progress.Work("boosting", one, 100))
        clock[0] += 5.0
    assert drawn[-1] == ("boosting, scan 1, round 100 of at most 100", 99, 100, "8:15 · at most 0:05 left")
    assert not any("0:00 left" in words for *_, words in drawn)


def test_what_is_quick_shows_nothing():
    assert "scan" not in on_a_terminal(program(60))


def test_silent_by_wish():
    assert "scan" not in on_a_terminal(program(0.1, ", verbose=False"))


def test_nothing_is_printed_to_a_file(tmp_path):
    with open(tmp_path / "out", "w+") as file:
        subprocess.run(program(0.1), stdout=file, stderr=subprocess.STDOUT, check=True)
        file.seek(0)
        assert file.read() == "done\n"


def test_cheap():
    """10⁵ parts cost less than 0.1 s."""

    def seconds():
        bar = progress.Bar("learner", patience=60)
        start = time.perf_counter()
        bar.scan(100_000, 1.0)
        for _ in range(100_000):
            bar.advance(1)
        return time.perf_counter() - start

    assert min(seconds() for _ in range(5)) < 0.1


def test_numbers_are_short():
    assert [progress._short(n) for n in (12, 1234, 2.5e6, 3e9)] == ["12", "1.23 k", "2.5 M", "3 G"]


def test_inner_blocks_belong_to_the_outer_one():
    with on(Local(threads=1), verbose=True):
        assert progress.bar() is None
        with progress.progress("outer"):
            outer = progress.bar()
            with progress.progress("inner"):
                assert progress.bar() is outer
        assert progress.bar() is None


@pytest.mark.parametrize("wish", [True, False])
def test_a_wish_holds_in_its_block(wish):
    with on(Local(), verbose=wish):
        assert progress.wish() is wish
        with on(Local()):
            assert progress.wish() is wish
    assert progress.wish() is None
