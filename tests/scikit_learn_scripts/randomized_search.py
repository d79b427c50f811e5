"""Draw parameters from distributions."""

# tolerance: 0.02
from scipy.stats import loguniform, randint
from sklearn.datasets import load_wine
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_wine(return_X_y=True)
cv = StratifiedKFold(n_splits=4, shuffle=True, random_state=1)

machine = make_pipeline(StandardScaler(), SVC())
draws = {"svc__C": loguniform(1e-2, 1e2), "svc__gamma": loguniform(1e-3, 1e0)}
search = RandomizedSearchCV(machine, draws, n_iter=8, cv=cv, random_state=0).fit(X, y)
print("C", search.best_params_["svc__C"], "gamma", search.best_params_["svc__gamma"])
print("score", search.best_score_)

near = make_pipeline(StandardScaler(), KNeighborsClassifier())
draws = {"kneighborsclassifier__n_neighbors": randint(1, 30), "kneighborsclassifier__weights": ["uniform", "distance"]}
search = RandomizedSearchCV(near, draws, n_iter=6, cv=cv, random_state=0).fit(X, y)
print("best", search.best_params_)
print("score", search.best_score_)
