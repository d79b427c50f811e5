"""Linear models side by side."""

# tolerance: 0.01
import numpy as np
from sklearn.datasets import load_diabetes, make_regression
from sklearn.linear_model import (
    ElasticNet,
    HuberRegressor,
    Lasso,
    LassoCV,
    LinearRegression,
    PoissonRegressor,
    Ridge,
    RidgeCV,
)
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.model_selection import train_test_split

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=1)
for model in (LinearRegression(), Ridge(alpha=0.1), Lasso(alpha=0.1), ElasticNet(alpha=0.01, l1_ratio=0.7), RidgeCV()):
    pred = model.fit(X_train, y_train).predict(X_test)
    print(
        type(model).__name__,
        r2_score(y_test, pred),
        mean_squared_error(y_test, pred),
        mean_absolute_error(y_test, pred),
    )
    print("coef", model.coef_[:3], "intercept", model.intercept_)

chosen = LassoCV(cv=5, random_state=0).fit(X_train, y_train)
print("alpha", chosen.alpha_, "kept", int((np.abs(chosen.coef_) > 1e-6).sum()))
X2, Y2 = make_regression(n_samples=100, n_features=4, n_targets=2, noise=1.0, random_state=0)
print("two outputs", LinearRegression().fit(X2, Y2).coef_.shape, LinearRegression().fit(X2, Y2).score(X2, Y2))
counts = np.random.default_rng(0).poisson(np.exp(0.3 * X2[:, 0]))
print("poisson", PoissonRegressor(alpha=0.1, tol=1e-8).fit(X2, counts).coef_)
print("huber", HuberRegressor(max_iter=1000).fit(X2, Y2[:, 0]).coef_.shape)
