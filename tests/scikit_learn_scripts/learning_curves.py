"""Scores by the number of rows and by a parameter."""

# tolerance: 0.03
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import Ridge
from sklearn.model_selection import ShuffleSplit, learning_curve, validation_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

X, y = load_digits(return_X_y=True)
cv = ShuffleSplit(n_splits=6, test_size=0.2, random_state=0)
sizes, train_scores, test_scores = learning_curve(
    GaussianNB(var_smoothing=1e-3), X, y, cv=cv, train_sizes=np.linspace(0.1, 1.0, 4)
)
print("sizes", sizes, train_scores.shape, test_scores.shape)
print("means", train_scores.mean(axis=1), test_scores.mean(axis=1))

rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, (120, 1))
t = np.sin(3 * x[:, 0]) + rng.normal(0, 0.1, 120)
train, test = validation_curve(
    make_pipeline(PolynomialFeatures(), Ridge(1e-3)),
    x,
    t,
    param_name="polynomialfeatures__degree",
    param_range=[1, 3, 5],
    cv=5,
    scoring="neg_mean_squared_error",
)
print("degrees", train.mean(axis=1), test.mean(axis=1))
