"""The job by tenfold: from files of raw rows to a model that is updated every day."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import pyarrow.parquet as pq

import tenfold as tn
from orders.rows import file_of
from orders.steps import Steps

NUMBERS, CATEGORIES = ["price", "quantity", "discount"], ["shop", "category"]


def columns(categories: tn.BaseEstimator) -> tn.ColumnTransformer:
    """Return numbers without gaps, categories, text and parts of the date side by side."""
    return tn.ColumnTransformer(
        [
            ("num", tn.make_pipeline(tn.SimpleImputer(strategy="median"), tn.StandardScaler()), NUMBERS),
            ("cat", categories, CATEGORIES),
            ("text", tn.TextFeatures(missing="empty"), "note"),
            ("date", tn.DateParts(["weekday", "hour"], cyclic=True), "timestamp"),
        ]
    )


def learners(rounds: int) -> dict[str, tn.BaseEstimator]:
    """Return the four learners that are compared."""
    one_hot = tn.OneHotEncoder(handle_unknown="ignore")
    return {
        "logistic": tn.make_pipeline(columns(one_hot), tn.LogisticRegression()),
        "boosting": tn.make_pipeline(
            columns(tn.TargetEncoder()), tn.HistGradientBoostingClassifier(max_iter=rounds, early_stopping=False)
        ),
        "naive Bayes": tn.make_pipeline(columns(tn.TargetEncoder()), tn.GaussianNB()),
        "baseline": tn.DummyClassifier(strategy="prior"),
    }


def run(folder: Path, days: int, rounds: int, steps: Steps) -> None:
    """Do the job on the files of `days` days; the file after them is the new day."""
    files = [str(file_of(folder / "orders", day)) for day in range(days)]
    new_day = str(file_of(folder / "orders", days))
    rows = tn.scan(files, target="returned", drop=["order_id"])
    with steps.step("explore"):
        print(rows.describe())
        print(rows.head().to_pandas())
        steps.found["rows"] = rows.n_rows
    of = learners(rounds)
    with steps.step("fit"):
        model = of["logistic"].fit(rows)
        print(model.certificate_)
        steps.keep("model", model[-1].coef_, model[-1].intercept_)
    with steps.step("compare four learners by days"):
        cv = tn.cross_validate(of, rows, folds=5, groups=tn.col("timestamp").dt.date(), scoring="roc_auc")
        print(cv)
        print(tn.compare_all(cv))
        steps.found["scans"] = cv.scans
        steps.found["auc"] = dict(zip(of, cv.mean[:, 0].tolist(), strict=True))
        steps.keep("folds", cv.scores)
        cv.plot()
        plt.savefig(folder / "folds.png")
        plt.close()
    with steps.step("tune"):
        sample = tn.scan(files[:3], target="returned", drop=["order_id"])
        grid = {"histgradientboostingclassifier__learning_rate": [0.05, 0.1, 0.2]}
        tuned = tn.tune(of["boosting"], grid, sample, folds=3, scoring="roc_auc")
        print(tuned.results)
        steps.found["tuned"] = tuned.best_params_
        steps.keep("tuned", tuned.results.scores)
    with steps.step("save and load"):
        model.save(folder / "returns.tenfold")
        model = tn.load(folder / "returns.tenfold")
    with steps.step("predict a new day"):
        new = tn.scan(new_day, target="returned", drop=["order_id"])
        model.predict_proba(new).to_parquet(folder / "predictions", keep=["order_id"])
        predicted = pq.read_table(folder / "predictions")
        steps.found["predicted"] = predicted.num_rows
        steps.keep("predictions", *predicted.columns)
    with steps.step("plots"):
        for display, name in ((tn.display.RocCurveDisplay, "roc"), (tn.display.CalibrationDisplay, "calibration")):
            display.from_estimator(model, new, pos_label="yes")
            plt.savefig(folder / f"{name}.png")
            plt.close()
        importance = tn.permutation_importance(model, new, scoring="roc_auc", n_repeats=2)
        print(importance)
        steps.keep("importances", importance.importances)
        tn.display.PartialDependenceDisplay.from_estimator(model, new, ["price"], grid_resolution=10)
        plt.savefig(folder / "price.png")
        plt.close()
    with steps.step("explain"):
        explained = tn.explain(model, new)
        print(explained)
        steps.keep("contributions", explained.values.collect())
        tn.display.ContributionsDisplay(explained).plot()
        plt.savefig(folder / "explained.png")
        plt.close()
    with steps.step("update with the new day"):
        boosted = of["boosting"].fit(rows)
        boosted.set_params(histgradientboostingclassifier__max_iter=rounds + rounds // 10).update(new)
        print(boosted[-1].certificate_["continued"].because)
        additive = of["naive Bayes"].fit(rows)
        additive.partial_fit(new)
        steps.found["rows after the update"] = additive[-1].certificate_.provenance.rows
        print(additive.certificate_.verdict)
        updated = boosted.predict_proba(new).collect(), additive.predict_proba(new).collect()
        steps.keep("updated models", *updated)


def main() -> None:
    """Do the job in this process, and write what it cost."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=100)
    given = parser.parse_args()
    steps = Steps("tenfold")
    run(given.folder, given.days, given.rounds, steps)
    steps.write(given.folder)


if __name__ == "__main__":
    main()
