"""Put learners together."""

# tolerance: 0.02
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
members = [
    ("lr", LogisticRegression(tol=1e-8)),
    ("nb", GaussianNB()),
    ("knn", KNeighborsClassifier(7)),
]
hard = VotingClassifier(members).fit(X, y)
soft = VotingClassifier(members, voting="soft", weights=[2, 1, 1]).fit(X, y)
print("hard", hard.score(X, y), "soft", soft.score(X, y), soft.predict_proba(X[:1]))
stack = StackingClassifier(members, final_estimator=LogisticRegression(), cv=4)
print("stack", cross_val_score(make_pipeline(StandardScaler(), clone(stack)), X, y, cv=3).mean())

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
pair = [("line", LinearRegression()), ("near", KNeighborsRegressor(15))]
vote = VotingRegressor(pair).fit(X_train, y_train)
stack = StackingRegressor(pair, final_estimator=Ridge(1e-3), cv=5).fit(X_train, y_train)
print("vote", vote.score(X_test, y_test), "stack", stack.score(X_test, y_test))
print("members", list(vote.named_estimators_), len(stack.estimators_))
