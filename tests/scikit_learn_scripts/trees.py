"""Grow a tree, limit it, and read it."""

# tolerance: 0.02
import numpy as np
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

iris = load_iris()
clf = DecisionTreeClassifier(max_depth=3, criterion="entropy", random_state=0)
clf = clf.fit(iris.data, iris.target)
print("depth", clf.get_depth(), "leaves", clf.get_n_leaves())
print("score", clf.score(iris.data, iris.target))
print("petals", clf.feature_importances_[2:].sum(), np.sum(clf.feature_importances_))
print("path", clf.predict([[5.0, 3.4, 1.5, 0.2]]), clf.predict_proba([[5.0, 3.4, 1.5, 0.2]]))
print("leaves of rows", clf.apply(iris.data).shape, clf.tree_.node_count)

X, y = load_diabetes(return_X_y=True)
reg = DecisionTreeRegressor(max_leaf_nodes=8, min_samples_leaf=10, random_state=0).fit(X, y)
print("leaves", reg.get_n_leaves(), "r2", reg.score(X, y))
print(
    "classes by folds",
    cross_val_score(DecisionTreeClassifier(max_depth=2, random_state=0), iris.data, iris.target, cv=3),
)
