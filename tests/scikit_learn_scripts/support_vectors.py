"""Support vector machines for classes and numbers."""

# tolerance: 0.01
import numpy as np
from sklearn.datasets import load_digits, make_regression
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X[:900], y[:900], test_size=0.5, shuffle=False)
clf = SVC(gamma=0.001, C=10).fit(X_train, y_train)
print("digits", clf.score(X_test, y_test), clf.classes_)
print("votes", clf.decision_function(X_test[:2]).shape, clf.support_vectors_.shape[1], clf.n_support_.shape)
poly = make_pipeline(MinMaxScaler(), SVC(kernel="poly", degree=2, coef0=1.0)).fit(X_train, y_train)
print("poly", poly.score(X_test, y_test))
linear = make_pipeline(StandardScaler(), LinearSVC(C=0.01, random_state=0, max_iter=5000)).fit(X_train, y_train)
print("linear", linear.score(X_test, y_test))
rest = OneVsRestClassifier(SVC(gamma=0.001)).fit(X_train[:200], y_train[:200])
print("one against the rest", rest.score(X_test, y_test), len(rest.estimators_))

X, y = make_regression(n_samples=150, n_features=3, noise=4.0, random_state=0)
svr = SVR(kernel="rbf", C=100, epsilon=0.5).fit(StandardScaler().fit_transform(X), y / np.std(y))
print("svr", svr.score(StandardScaler().fit_transform(X), y / np.std(y)))
