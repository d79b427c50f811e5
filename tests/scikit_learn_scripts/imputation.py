"""Fill in missing values in several ways."""

# tolerance: 0.002
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

rng = np.random.RandomState(42)
X, y = load_diabetes(return_X_y=True)
X = X.copy()
X[rng.rand(*X.shape) < 0.15] = np.nan
print("gaps", int(np.isnan(X).sum()))
for strategy in ("mean", "median", "most_frequent"):
    imputer = SimpleImputer(strategy=strategy, add_indicator=True).fit(X)
    print(strategy, imputer.statistics_[:3], imputer.transform(X).shape)
print("constant", SimpleImputer(strategy="constant", fill_value=0).fit_transform(X)[0, :3])
model = make_pipeline(SimpleImputer(), LinearRegression())
print("mean", cross_val_score(model, X, y, cv=5).mean())
print("near", cross_val_score(make_pipeline(KNNImputer(), LinearRegression()), X, y, cv=3).mean())
print("iterative", IterativeImputer(max_iter=30, tol=0.01, random_state=0).fit_transform(X).shape)
print("indicator", MissingIndicator().fit_transform(X).mean())
print("none needed", HistGradientBoostingRegressor(max_iter=20).fit(X, y).predict(X).shape)
