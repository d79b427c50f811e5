"""Numbers and categories with gaps, each with a pipeline of their own."""

# tolerance: 0.02
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

rng = np.random.default_rng(0)
n = 600
data = pd.DataFrame(
    {
        "age": rng.normal(40, 12, n).round(),
        "fare": rng.lognormal(3, 1, n),
        "port": rng.choice(["S", "C", "Q"], n, p=[0.7, 0.2, 0.1]),
        "sex": rng.choice(["male", "female"], n),
    }
)
logit = 1.5 * (data["sex"] == "female") + 0.02 * data["fare"] - 0.03 * data["age"]
target = (logit + rng.logistic(size=n) > 0).astype(int)
data.loc[rng.random(n) < 0.1, "age"] = np.nan
data.loc[rng.random(n) < 0.05, "port"] = np.nan

numeric = Pipeline(steps=[("imputer", SimpleImputer(strategy="median")), ("scaler", StandardScaler())])
categorical = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
preprocess = ColumnTransformer(
    transformers=[
        ("num", numeric, make_column_selector(dtype_include="number")),
        ("cat", categorical, make_column_selector(dtype_exclude="number")),
    ]
)
clf = Pipeline(steps=[("preprocess", preprocess), ("classifier", LogisticRegression())])
clf.fit(data, target)
print("score", clf.score(data, target))
print("names", list(clf[:-1].get_feature_names_out()))
print("folds", cross_val_score(clf, data, target, cv=5).mean())
