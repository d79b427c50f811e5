"""Which columns a model needs."""

# tolerance: 0.05
import numpy as np
import pandas as pd
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(600, 4)), columns=["strong", "weak", "none", "other"])
y = 3 * X["strong"] + X["weak"] + rng.normal(size=600)
X_train, X_val, y_train, y_val = train_test_split(X, y, random_state=0)
model = Ridge(alpha=1e-2).fit(X_train, y_train)
print("r2", model.score(X_val, y_val))
r = permutation_importance(model, X_val, y_val, n_repeats=30, random_state=0)
print("shapes", r.importances.shape, r.importances_mean.shape, r.importances_std.shape)
for i in r.importances_mean.argsort()[::-1][:2]:
    print(X.columns[i], r.importances_mean[i] > 2 * r.importances_std[i])
print("weak", r.importances_mean[1])
r = permutation_importance(model, X_val, y_val, scoring="neg_mean_absolute_error", n_repeats=5, random_state=0)
print("none", r["importances_mean"][2])
