"""Search the parameters of a pipeline on a grid."""

# tolerance: 0.001
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

X, y = load_diabetes(return_X_y=True)
pipe = Pipeline(
    [
        ("poly", PolynomialFeatures(include_bias=False)),
        ("scale", StandardScaler()),
        ("ridge", Ridge()),
    ]
)
grid = {"poly__degree": [1, 2], "ridge__alpha": np.logspace(-1, 3, 5)}
search = GridSearchCV(pipe, grid, cv=KFold(5, shuffle=True, random_state=0), scoring="neg_mean_squared_error")
search.fit(X, y)
print("best", search.best_params_["poly__degree"], search.best_params_["ridge__alpha"])
print("rmse", np.sqrt(-search.best_score_))
print("candidates", len(search.cv_results_["params"]))
print("first prediction", search.predict(X[:1])[0])
print("steps", list(search.best_estimator_.named_steps))
