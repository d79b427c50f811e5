"""The short form of `benchmarks/chaos_files.py`: files change during a few fits, and a wrong end of a fit is found."""

from pathlib import Path

import pytest

from tiers import draws

pytestmark = [pytest.mark.full, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def chaos(monkeypatch):
    """The command, as processes that it starts import it."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    import chaos_files

    return chaos_files


def test_files_that_change_during_a_fit_give_a_whole_model_or_an_error_that_names_them(chaos, capsys):
    done = chaos.run(draws(6, 30), seed=0, dask=0.0)
    assert len(done) == draws(6, 30)
    assert chaos.report(done, 1.0) == 0
    assert any(outcome.hit for _, outcome in done)
    assert "0 violations" in capsys.readouterr().out


def test_a_wrong_model_an_error_and_a_crash_are_violations(chaos, tmp_path, monkeypatch):
    case = chaos.draw(0, 0, 0.0)._replace(stock=0, learner="GaussianNB", change=0, file=0, moment=5.0)
    chaos.write_stock(tmp_path / "0", chaos.STOCK[0], 0)
    runs = chaos.Runs(tmp_path, tmp_path, None, 1)
    try:
        assert runs.run(case).word == "no change"
        key = next(iter(runs.known))
        word, digest, seconds = runs.known[key]
        runs.known[key] = word, digest[::-1], seconds
        assert runs.run(case).word == "another model"
        assert runs.run(case._replace(learner="no such learner")).word == "error"
        runs.known[key] = word, digest, seconds
        kill = chaos.Change("killed", lambda path, new: runs.fitter.process.kill(), "old")
        monkeypatch.setattr(chaos, "CHANGES", (kill, *chaos.CHANGES[1:]))
        gone = runs.run(case._replace(moment=0.0))
        assert (gone.word, gone.detail) == ("crash", "exit code -9")
        assert all(chaos.Outcome(word).is_violation for word in ("another model", "error", "crash", "hang"))
    finally:
        runs.fitter.stop()
