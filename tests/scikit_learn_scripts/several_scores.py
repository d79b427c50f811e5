"""Cross-validate with several scores at once."""

# tolerance: 0.01
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer, recall_score
from sklearn.model_selection import GroupKFold, StratifiedKFold, TimeSeriesSplit, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_wine(return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-8))
scoring = ["accuracy", "f1_macro", "neg_log_loss"]
results = cross_validate(model, X, y, scoring=scoring, cv=5)
print(sorted(key for key in results if key.startswith("test_")))
for name in scoring:
    print(name, results[f"test_{name}"].mean(), results[f"test_{name}"].std())
named = {"recall": make_scorer(recall_score, average="macro"), "accuracy": "accuracy"}
results = cross_validate(model, X, y, scoring=named, cv=StratifiedKFold(4, shuffle=True, random_state=0))
print("recall", results["test_recall"], "accuracy", results["test_accuracy"])
results = cross_validate(model, X, y, cv=3, n_jobs=1)
print("score", results["test_score"])
groups = [i % 6 for i in range(len(y))]
print("groups", cross_val_score(model, X, y, groups=groups, cv=GroupKFold(3)))
print("time", [len(test) for _, test in TimeSeriesSplit(4).split(X)])
print("scorer", get_scorer("accuracy")(model.fit(X, y), X, y))
