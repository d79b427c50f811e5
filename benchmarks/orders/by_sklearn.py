"""The job by polars and scikit-learn: all rows in memory."""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
from sklearn.calibration import CalibrationDisplay
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.inspection import PartialDependenceDisplay, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import RocCurveDisplay
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder

from orders.rows import file_of
from orders.steps import Steps

NUMBERS, CATEGORIES, WAVES = ["price", "quantity", "discount"], ["shop", "category"], [("weekday", 7), ("hour", 24)]


def read(files: list[str]) -> tuple[pd.DataFrame, pd.Series]:
    """Read files, fill in the missing notes and take the dates apart."""
    at = pl.col("timestamp")
    frame = pl.read_parquet(files).with_columns(
        pl.col("note").fill_null(""),
        day=at.dt.date(),
        weekday=(at.dt.weekday() - 1).cast(pl.Float64),
        hour=at.dt.hour().cast(pl.Float64),
    )
    for name, period in WAVES:
        angle = 2 * np.pi * pl.col(name) / period
        frame = frame.with_columns(angle.sin().alias(f"{name}_sin"), angle.cos().alias(f"{name}_cos"))
    return frame.drop("order_id", "returned", "timestamp", "weekday", "hour").to_pandas(), frame["returned"].to_pandas()


def columns(categories: object, sparse: bool = True) -> ColumnTransformer:
    """Return numbers without gaps, categories, text and parts of the date side by side."""
    waves = [f"{name}_{part}" for name, _ in WAVES for part in ("sin", "cos")]
    return ColumnTransformer(
        [
            ("num", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), NUMBERS),
            ("cat", categories, CATEGORIES),
            ("text", TfidfVectorizer(), "note"),
            ("date", "passthrough", waves),
        ],
        sparse_threshold=0.3 if sparse else 0.0,
    )


def learners(rounds: int) -> dict[str, object]:
    """Return the four learners that are compared."""
    boosting = HistGradientBoostingClassifier(max_iter=rounds, early_stopping=False, random_state=0)
    return {
        "logistic": make_pipeline(columns(OneHotEncoder(handle_unknown="ignore")), LogisticRegression(max_iter=1_000)),
        "boosting": make_pipeline(columns(TargetEncoder(), sparse=False), boosting),
        "naive Bayes": make_pipeline(columns(TargetEncoder(), sparse=False), GaussianNB()),
        "baseline": DummyClassifier(strategy="prior"),
    }


def run(folder: Path, days: int, rounds: int, steps: Steps) -> None:
    """Do the job on the files of `days` days; the file after them is the new day."""
    files = [str(file_of(folder / "orders", day)) for day in range(days)]
    with steps.step("explore"):
        frame = pl.read_parquet(files)
        print(frame.describe(), frame.head())
        for name in ("shop", "category"):
            print(frame.group_by(name).agg(pl.len(), (pl.col("returned") == "yes").mean()).sort("len").tail())
        steps.found["rows"] = frame.height
        del frame
        X, y = read(files)
    of = learners(rounds)
    with steps.step("fit"):
        model = of["logistic"].fit(X, y)
    with steps.step("compare four learners by days"):
        steps.found["auc"] = {}
        for name, learner in of.items():
            cv = cross_validate(learner, X, y, cv=GroupKFold(5), groups=X["day"], scoring="roc_auc")
            steps.found["auc"][name] = float(cv["test_score"].mean())
            print(name, cv["test_score"])
        plt.boxplot([cv["test_score"]])
        plt.savefig(folder / "sklearn_folds.png")
        plt.close()
    with steps.step("tune"):
        few, few_y = read(files[:3])
        grid = {"histgradientboostingclassifier__learning_rate": [0.05, 0.1, 0.2]}
        tuned = GridSearchCV(of["boosting"], grid, cv=3, scoring="roc_auc").fit(few, few_y)
        print(tuned.cv_results_["mean_test_score"])
        steps.found["tuned"] = tuned.best_params_
    with steps.step("save and load"):
        (folder / "returns.pickle").write_bytes(pickle.dumps(model))
        model = pickle.loads((folder / "returns.pickle").read_bytes())
    with steps.step("predict a new day"):
        new_file = str(file_of(folder / "orders", days))
        new, new_y = read([new_file])
        found = pl.read_parquet(new_file, columns=["order_id"]).with_columns(yes=model.predict_proba(new)[:, 1])
        found.write_parquet(folder / "sklearn_predictions.parquet")
        steps.found["predicted"] = found.height
    with steps.step("plots"):
        for display, name in ((RocCurveDisplay, "roc"), (CalibrationDisplay, "calibration")):
            display.from_estimator(model, new, new_y, pos_label="yes")
            plt.savefig(folder / f"sklearn_{name}.png")
            plt.close()
        importance = permutation_importance(model, new, new_y, scoring="roc_auc", n_repeats=2, random_state=0)
        print(importance.importances_mean)
        PartialDependenceDisplay.from_estimator(model, new.assign(price=new["price"]), ["price"], grid_resolution=10)
        plt.savefig(folder / "sklearn_price.png")
        plt.close()
    with steps.step("update with the new day"):
        of["naive Bayes"].fit(pd.concat([X, new]), pd.concat([y, new_y]))  # encodings do not add up: from the start
        steps.found["rows after the update"] = len(X) + len(new)


def main() -> None:
    """Do the job in this process, and write what it cost."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=100)
    given = parser.parse_args()
    steps = Steps("scikit-learn")
    run(given.folder, given.days, given.rounds, steps)
    steps.write(given.folder)


if __name__ == "__main__":
    main()
