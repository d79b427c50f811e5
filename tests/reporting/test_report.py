"""Reports: the numbers of the certificate and of the rows, on a page that asks for nothing and runs nothing."""

import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import tenfold as tn

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def orders():
    random = np.random.default_rng(0)
    n = 900
    frame = pd.DataFrame({"shop": random.choice(["Bern", "Oslo", EVIL], n), "price": random.gamma(2.0, 10.0, n)})
    frame[EVIL] = random.normal(size=n)
    frame["size"] = frame["price"] + frame[EVIL]
    frame["returned"] = np.where(random.random(n) < 1 / (1 + np.exp(2 - 0.08 * frame["price"])), "yes", "no")
    return frame


@pytest.fixture(scope="module")
def fitted(orders):
    return tn.LogisticRegression().fit(tn.scan(orders[:500], target="returned", drop=["size"]))


class Tags(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data.strip())


def page_of(report):
    return Tags(report.to_html())


@pytest.mark.parametrize("form", ["source", "frame", "file"])
def test_numbers_are_those_of_the_rows(orders, fitted, form, tmp_path):
    new = orders[500:].drop(columns="size").reset_index(drop=True)
    new.to_parquet(tmp_path / "new.parquet", row_group_size=150)
    file = tn.scan(tmp_path / "new.parquet", target="returned")
    X = new.drop(columns="returned")
    rows = {"source": (tn.scan(new, target="returned"),), "frame": (X, new["returned"]), "file": (file,)}
    report = tn.report(fitted, *rows[form], segments=["shop"])
    wrong = fitted.predict(X) != new["returned"].to_numpy()
    scores = {score.name: score for score in report.content.scores}
    assert float(scores["error"].value) == pytest.approx(wrong.mean(), rel=1e-3)
    exact = tn.error_interval(int(wrong.sum()), len(wrong))
    assert (scores["error"].low, scores["error"].high) == (f"{exact.low:.4g}", f"{exact.high:.4g}")
    ((name, what, segments),) = report.content.segments
    assert (name, what) == ("shop", "error rate")
    by_hand = pd.Series(wrong).groupby(new["shop"]).agg(["size", "mean"])
    assert {s.value: (s.rows, s.error) for s in segments} == {
        shop: (int(row["size"]), f"{row['mean']:.4g}") for shop, row in by_hand.iterrows()
    }
    texts = page_of(report).texts
    assert fitted.certificate_.verdict in texts
    assert "Performance on 400 rows" in texts


def test_the_page_asks_for_nothing_and_runs_nothing(orders, fitted):
    report = tn.report(fitted, tn.scan(orders[500:], target="returned", drop=["size"]), segments="shop", title=EVIL)
    page = page_of(report)
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "base"})
    for tag, attributes in page.tags:
        assert not any(name.startswith("on") or name in ("src", "href", "action") for name in attributes), tag
    assert "url(" not in report.to_html()
    assert "default-src 'none'" in report.to_html()
    assert sum(EVIL in text for text in page.texts) >= 4  # title, columns, segment, profile
    assert "<script" not in report.to_markdown()
    assert "&lt;script&gt;" in report.to_markdown()
    assert "<script" not in report._repr_html_()


def test_charts_show_the_curves(orders, fitted):
    rows = tn.scan(orders[500:], target="returned", drop=["size"])
    charts = {chart.title: chart for chart in tn.report(fitted, rows).content.charts}
    assert set(charts) == {"ROC curve", "Calibration"}
    area = tn.certify(fitted, rows, scoring="roc_auc", reused=1)["roc auc"].value
    assert f"{area:.3f}" in charts["ROC curve"].words
    assert charts["Calibration"].svg.count("<circle") == charts["Calibration"].svg.count('class="interval"') > 3


def test_regressors_and_pipelines(orders):
    columns = tn.ColumnTransformer([("c", tn.OneHotEncoder(), ["shop"]), ("n", tn.StandardScaler(), ["price"])])
    model = tn.make_pipeline(columns, tn.Ridge()).fit(tn.scan(orders[:500], target="size", drop=["returned"]))
    new = orders[500:]
    report = tn.report(model, tn.scan(new, target="size", drop=["returned"]), segments="shop")
    ((_, what, segments),) = report.content.segments
    away = (new["size"] - model.predict(new[["shop", "price", EVIL]])).abs().groupby(new["shop"]).mean()
    assert what == "mean absolute error"
    assert {s.value: float(s.error) for s in segments} == pytest.approx(away.to_dict(), rel=1e-3)
    assert [name for name, _ in report.content.steps] == ["columntransformer", "ridge"]
    assert report.content.charts == []
    assert {"mean absolute error", "r2"} <= {score.name for score in report.content.scores}


def test_without_rows_there_is_no_performance(fitted):
    report = tn.report(fitted)
    assert "No rows were given to score the model on." in page_of(report).texts
    assert "gap" in report.to_markdown()


def test_many_values_are_cut_and_counted(orders, fitted):
    new = orders[500:].assign(day=lambda f: pd.date_range("2026-01-01", periods=len(f)).date)
    rows = tn.scan(new, target="returned", columns=["shop", "price", EVIL])
    ((_, what, segments),) = tn.report(fitted, rows, segments="day").content.segments
    assert what == "error rate, the 20 values with most rows of 400"
    assert len(segments) == 20


def test_files_and_errors(orders, fitted, tmp_path, monkeypatch):
    report = tn.report(fitted)
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == report.to_html()
    with pytest.raises(ValueError, match=r"must end in \.html, or in \.md"):
        report.save(tmp_path / "report.pdf")
    X, y = orders[500:][["shop", "price", EVIL]], orders[500:]["returned"]
    with pytest.raises(tn.DataError, match="no column 'town'"):
        tn.report(fitted, X, y, segments="town")
    with pytest.raises(ValueError, match="column 'price' holds double"):
        tn.report(fitted, X, y, segments="price")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'tenfold\[report\]'"):
        report.to_html()
