"""The job by pandas and LightGBM: one learner, its own categories, all rows in memory."""

from __future__ import annotations

import argparse
from pathlib import Path

import lightgbm as lgb
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from orders.rows import file_of
from orders.steps import Steps

CATEGORIES = ["shop", "category"]


def read(files: list[str]) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Read files and take the dates apart; return rows, target and days."""
    frame = pd.concat(map(pd.read_parquet, files), ignore_index=True)
    at = frame.pop("timestamp")
    y = (frame.pop("returned") == "yes").to_numpy()
    frame = frame.drop(columns="order_id").assign(weekday=at.dt.weekday, hour=at.dt.hour, note=frame["note"].fillna(""))
    frame[CATEGORIES] = frame[CATEGORIES].astype("category")
    return frame, y, at.dt.date.to_numpy()


class Boosting:
    """Text features beside the other columns, and gradient boosting."""

    def __init__(self, rounds: int, learning_rate: float = 0.1) -> None:
        self.parameters = {"objective": "binary", "learning_rate": learning_rate, "num_threads": 2, "verbose": -1}
        self.rounds, self.text = rounds, TfidfVectorizer()

    def fit(self, X: pd.DataFrame, y: np.ndarray, start: Boosting | None = None) -> Boosting:
        """Fit to rows; or add rounds to a fitted model."""
        self.text = start.text if start else self.text.fit(X["note"])
        data = lgb.Dataset(self._columns(X), y, free_raw_data=False)
        self.booster = lgb.train(self.parameters, data, self.rounds, init_model=start.booster if start else None)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        """Return the probability of a return."""
        return np.asarray(self.booster.predict(self._columns(X)))

    def _columns(self, X: pd.DataFrame) -> pd.DataFrame:
        words = pd.DataFrame(self.text.transform(X["note"]).toarray(), X.index, self.text.get_feature_names_out())
        return pd.concat([X.drop(columns="note"), words.add_prefix("note_")], axis=1)


def run(folder: Path, days: int, rounds: int, steps: Steps) -> None:
    """Do the part of the job that LightGBM does on the files of `days` days."""
    files = [str(file_of(folder / "orders", day)) for day in range(days)]
    with steps.step("explore"):
        X, y, day = read(files)
        print(X.describe(), X.head(), y.mean())
        steps.found["rows"] = len(X)
    with steps.step("fit"):
        model = Boosting(rounds).fit(X, y)
    with steps.step("compare four learners by days"):
        scores = [
            roc_auc_score(y[test], Boosting(rounds).fit(X.iloc[train], y[train]).predict(X.iloc[test]))
            for train, test in GroupKFold(5).split(X, y, day)
        ]
        steps.found["auc"] = {"boosting": float(np.mean(scores))}
        print(scores)
    with steps.step("tune"):
        few, few_y, few_day = read(files[:3])
        found = {}
        for rate in (0.05, 0.1, 0.2):
            parts = GroupKFold(3).split(few, few_y, few_day)
            found[rate] = np.mean(
                [
                    roc_auc_score(
                        few_y[test], Boosting(rounds, rate).fit(few.iloc[train], few_y[train]).predict(few.iloc[test])
                    )
                    for train, test in parts
                ]
            )
        steps.found["tuned"] = max(found, key=lambda rate: found[rate])
        print(found)
    with steps.step("save and load"):
        model.booster.save_model(folder / "returns.txt")
        model.booster = lgb.Booster(model_file=folder / "returns.txt")
    with steps.step("predict a new day"):
        new_file = str(file_of(folder / "orders", days))
        new, new_y, _ = read([new_file])
        for name in CATEGORIES:
            new[name] = new[name].cat.set_categories(X[name].cat.categories)
        ids = pd.read_parquet(new_file, columns=["order_id"])
        ids.assign(yes=model.predict(new)).to_parquet(folder / "lightgbm_predictions.parquet")
        steps.found["predicted"] = len(ids)
    with steps.step("update with the new day"):
        Boosting(rounds // 10 or 1).fit(new, new_y, start=model)
        steps.found["rows after the update"] = len(X) + len(new)


def main() -> None:
    """Do the job in this process, and write what it cost."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=100)
    given = parser.parse_args()
    steps = Steps("LightGBM")
    run(given.folder, given.days, given.rounds, steps)
    steps.write(given.folder)


if __name__ == "__main__":
    main()
