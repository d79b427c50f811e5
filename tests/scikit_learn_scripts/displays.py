"""Draw curves, matrices and boundaries."""

# tolerance: 0.03
import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import ConfusionMatrixDisplay, PrecisionRecallDisplay, RocCurveDisplay
from sklearn.model_selection import LearningCurveDisplay, train_test_split

X, y = make_moons(400, noise=0.3, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = LogisticRegression().fit(X_train, y_train)

fig, axes = plt.subplots(2, 3, figsize=(12, 8))
roc = RocCurveDisplay.from_estimator(model, X_test, y_test, ax=axes[0, 0], name="logistic")
print("auc", roc.roc_auc, roc.ax_ is axes[0, 0], len(roc.fpr) == len(roc.tpr))
recall = PrecisionRecallDisplay.from_predictions(y_test, model.decision_function(X_test), ax=axes[0, 1])
print("average precision", recall.average_precision)
matrix = ConfusionMatrixDisplay.from_estimator(model, X_test, y_test, ax=axes[0, 2], cmap="Blues", colorbar=False)
print("matrix", matrix.confusion_matrix)
calibrated = CalibrationDisplay.from_estimator(model, X_test, y_test, n_bins=5, ax=axes[1, 0])
print("bins", len(calibrated.prob_true))
boundary = DecisionBoundaryDisplay.from_estimator(
    model, X, response_method="predict", grid_resolution=20, ax=axes[1, 1], alpha=0.5
)
print("grid", boundary.response.shape)
curve = LearningCurveDisplay.from_estimator(model, X, y, train_sizes=[0.2, 0.5, 1.0], cv=4, ax=axes[1, 2])
print("sizes", curve.train_sizes, curve.test_scores.shape)
plt.close(fig)
