"""Probabilities that mean what they say."""

# tolerance: 0.01
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

X, y = make_classification(n_samples=2000, n_features=20, n_informative=3, n_redundant=10, random_state=42)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=42)
plain = GaussianNB().fit(X_train, y_train)
print("plain", brier_score_loss(y_test, plain.predict_proba(X_test)[:, 1]))
for method in ("sigmoid", "isotonic"):
    model = CalibratedClassifierCV(GaussianNB(), method=method, cv=4).fit(X_train, y_train)
    p = model.predict_proba(X_test)[:, 1]
    truth, said = calibration_curve(y_test, p, n_bins=5)
    print(method, brier_score_loss(y_test, p), len(truth) == len(said))
machine = CalibratedClassifierCV(LinearSVC(dual=False), cv=3).fit(X_train, y_train)
print("machine", brier_score_loss(y_test, machine.predict_proba(X_test)[:, 1]))
frozen = CalibratedClassifierCV(FrozenEstimator(plain)).fit(X_test, y_test)
print("frozen", frozen.predict_proba(X_test[:2]).shape)
print("isotonic", IsotonicRegression(out_of_bounds="clip").fit_transform([1, 2, 3, 4], [1, 3, 2, 4]))
