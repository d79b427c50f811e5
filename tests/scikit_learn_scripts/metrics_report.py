"""Judge a classifier by many metrics."""

# tolerance: 0.02
from sklearn import metrics
from sklearn.datasets import make_classification
from sklearn.metrics import (
    balanced_accuracy_score,
    classification_report,
    confusion_matrix,
    f1_score,
    make_scorer,
    matthews_corrcoef,
    roc_auc_score,
)
from sklearn.model_selection import cross_val_predict, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB

X, y = make_classification(n_samples=800, n_features=12, n_informative=5, weights=[0.8], random_state=3)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
model = GaussianNB().fit(X_train, y_train)
y_pred, y_score = model.predict(X_test), model.predict_proba(X_test)[:, 1]

print(classification_report(y_test, y_pred, target_names=["rare not", "rare"], digits=3))
print(confusion_matrix(y_test, y_pred))
print("auc", roc_auc_score(y_test, y_score), "average precision", metrics.average_precision_score(y_test, y_score))
print("balanced", balanced_accuracy_score(y_test, y_pred), "mcc", matthews_corrcoef(y_test, y_pred))
fpr, tpr, thresholds = metrics.roc_curve(y_test, y_score)
print("curve", len(fpr) == len(tpr) == len(thresholds), metrics.auc(fpr, tpr))
print("f1 by folds", cross_val_score(GaussianNB(), X, y, cv=5, scoring=make_scorer(f1_score)).mean())
print(
    "out of fold",
    metrics.brier_score_loss(y, cross_val_predict(GaussianNB(), X, y, cv=5, method="predict_proba")[:, 1]),
)
