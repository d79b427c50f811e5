"""Forests and boosted trees."""

# tolerance: 0.05
from sklearn.datasets import load_breast_cancer, make_friedman1
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
forest = RandomForestClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X_train, y_train)
print("forest", forest.score(X_test, y_test), forest.oob_score_, len(forest.estimators_))
print("importances", forest.feature_importances_.shape, forest.feature_importances_.sum())
hist = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(X_train, y_train)
print("boosting", hist.score(X_test, y_test), hist.n_iter_)
ada = AdaBoostClassifier(n_estimators=40, random_state=0).fit(X_train, y_train)
print("ada", ada.score(X_test, y_test))
bag = BaggingClassifier(DecisionTreeClassifier(max_depth=4), n_estimators=20, random_state=0).fit(X_train, y_train)
print("bag", bag.score(X_test, y_test))
extra = ExtraTreesClassifier(n_estimators=30, random_state=0).fit(X_train, y_train)
print("extra", extra.score(X_test, y_test))

X, y = make_friedman1(n_samples=300, random_state=0)
gbr = GradientBoostingRegressor(n_estimators=40, learning_rate=0.1, max_depth=3, random_state=0).fit(X, y)
print("gradient boosting", gbr.score(X, y), gbr.train_score_.shape, sum(1 for _ in gbr.staged_predict(X)))
print("forest", RandomForestRegressor(n_estimators=40, min_samples_leaf=3, random_state=0).fit(X, y).score(X, y))
