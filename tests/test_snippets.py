"""Programs as people write them with scikit-learn, where nothing but the imports is changed.

Each ends with a number, `result`, that scikit-learn's own classes give too, up to what the two may differ by. Of each
line `from sklearn.x import A, B` the names that tenfold has are imported from there; metrics, data sets and model
selection stay scikit-learn's.
"""

import re
import textwrap
import warnings

import pytest

import tenfold as tn

pytestmark = pytest.mark.timeout(120)
THEIRS = ("metrics", "datasets", "model_selection", "base", "utils", "inspection", "feature_selection", "calibration")


def swapped(code):
    """The program with the imports of tenfold, and the names it takes from there."""
    taken = []

    def swap(found):
        module, names = found[1], [name.strip() for name in found[2].split(",")]
        ours = [n for n in names if module.split(".")[0] not in THEIRS and n in tn.__all__]
        taken.extend(ours)
        lines = [f"from tenfold import {', '.join(ours)}"] if ours else []
        if left := [n for n in names if n not in ours]:
            lines.append(f"from sklearn.{module} import {', '.join(left)}")
        return "\n".join(lines)

    return re.sub(r"^from sklearn\.([\w.]+) import ([\w, ]+)$", swap, code, flags=re.M), taken


def ran(code):
    space = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "snippet", "exec"), space)
    return space["result"]


IRIS = """
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
X, y = load_iris(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
"""
CANCER = IRIS.replace("iris", "breast_cancer")
DIABETES = IRIS.replace("iris", "diabetes").replace(", stratify=y", "")
FRAME = """
import numpy as np
import pandas as pd
rng = np.random.default_rng(0)
n = 400
X = pd.DataFrame({
    "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(40, 10, n)),
    "fare": rng.gamma(2.0, 10.0, n),
    "sex": rng.choice(["female", "male"], n),
    "port": rng.choice(["C", "Q", "S"], n),
})
y = ((X["sex"] == "female") ^ (rng.random(n) < 0.2)).astype(int)
"""

SNIPPETS = {
    "logistic regression": (
        IRIS + """
        from sklearn.linear_model import LogisticRegression
        clf = LogisticRegression(max_iter=1000, random_state=0).fit(X_train, y_train)
        assert clf.predict_proba(X_test[:2]).shape == (2, 3)
        result = clf.score(X_test, y_test)
        """, 0.02),
    "logistic regression in a pipeline": (
        CANCER + """
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        pipe = make_pipeline(StandardScaler(), LogisticRegression())
        pipe.fit(X_train, y_train)
        result = pipe.score(X_test, y_test)
        """, 0.01),
    "linear regression and its coefficients": (
        DIABETES + """
        from sklearn.linear_model import LinearRegression
        from sklearn.metrics import mean_squared_error, r2_score
        regr = LinearRegression()
        regr.fit(X_train, y_train)
        assert regr.coef_.shape == (10,) and regr.intercept_ > 100
        assert mean_squared_error(y_test, regr.predict(X_test)) < 4000
        result = r2_score(y_test, regr.predict(X_test))
        """, 1e-9),
    "ridge": (
        DIABETES + """
        from sklearn.linear_model import Ridge
        result = Ridge(alpha=0.5).fit(X_train, y_train).score(X_test, y_test)
        """, 1e-9),
    "ridge chosen by cross-validation": (
        DIABETES + """
        from sklearn.linear_model import RidgeCV
        result = RidgeCV(alphas=[1e-3, 1e-2, 1e-1, 1]).fit(X_train, y_train).score(X_test, y_test)
        """, 0.03),
    "lasso": (
        DIABETES + """
        from sklearn.linear_model import Lasso
        lasso = Lasso(alpha=0.1).fit(X_train, y_train)
        assert (lasso.coef_ == 0).any()
        result = lasso.score(X_test, y_test)
        """, 1e-3),
    "lasso chosen by cross-validation": (
        DIABETES + """
        from sklearn.linear_model import LassoCV
        result = LassoCV(cv=5, random_state=0).fit(X_train, y_train).score(X_test, y_test)
        """, 0.01),
    "elastic net": (
        DIABETES + """
        from sklearn.linear_model import ElasticNet
        result = ElasticNet(alpha=0.01, l1_ratio=0.7).fit(X_train, y_train).score(X_test, y_test)
        """, 1e-3),
    "a decision tree": (
        IRIS + """
        from sklearn.tree import DecisionTreeClassifier
        clf = DecisionTreeClassifier(max_depth=3, random_state=0)
        clf = clf.fit(X_train, y_train)
        assert clf.get_depth() <= 3 and clf.get_n_leaves() <= 8
        result = clf.score(X_test, y_test)
        """, 0.04),
    "a regression tree": (
        DIABETES + """
        from sklearn.tree import DecisionTreeRegressor
        result = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X_train, y_train).score(X_test, y_test)
        """, 0.05),
    "a random forest": (
        CANCER + """
        from sklearn.ensemble import RandomForestClassifier
        clf = RandomForestClassifier(n_estimators=30, random_state=0, n_jobs=2)
        clf.fit(X_train, y_train)
        assert clf.feature_importances_.shape == (30,)
        result = clf.score(X_test, y_test)
        """, 0.03),
    "a regression forest": (
        DIABETES + """
        from sklearn.ensemble import RandomForestRegressor
        result = RandomForestRegressor(n_estimators=50, random_state=0).fit(X_train, y_train).score(X_test, y_test)
        """, 0.08),
    "gradient boosting": (
        CANCER + """
        from sklearn.ensemble import GradientBoostingClassifier
        clf = GradientBoostingClassifier(n_estimators=30, learning_rate=0.2, max_depth=2, random_state=0)
        result = clf.fit(X_train, y_train).score(X_test, y_test)
        """, 0.03),
    "AdaBoost scored by folds": (
        IRIS + """
        from sklearn.ensemble import AdaBoostClassifier
        from sklearn.model_selection import cross_val_score
        clf = AdaBoostClassifier(n_estimators=50, random_state=0)
        result = cross_val_score(clf, X, y, cv=5).mean()
        """, 0.04),
    "bagging of neighbours": (
        IRIS + """
        from sklearn.ensemble import BaggingClassifier
        from sklearn.neighbors import KNeighborsClassifier
        bagging = BaggingClassifier(KNeighborsClassifier(), n_estimators=5, random_state=0)
        result = bagging.fit(X_train, y_train).score(X_test, y_test)
        """, 0.07),
    "votes of three classifiers": (
        IRIS + """
        from sklearn.ensemble import RandomForestClassifier, VotingClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import GaussianNB
        clf1 = LogisticRegression(random_state=1, max_iter=500)
        clf2 = RandomForestClassifier(n_estimators=20, random_state=1)
        clf3 = GaussianNB()
        eclf = VotingClassifier(estimators=[("lr", clf1), ("rf", clf2), ("gnb", clf3)], voting="soft")
        result = eclf.fit(X_train, y_train).score(X_test, y_test)
        """, 0.04),
    "a stack of regressors": (
        DIABETES + """
        from sklearn.ensemble import StackingRegressor
        from sklearn.linear_model import LassoCV, RidgeCV
        from sklearn.neighbors import KNeighborsRegressor
        estimators = [("ridge", RidgeCV()), ("lasso", LassoCV(random_state=42)), ("knr", KNeighborsRegressor())]
        reg = StackingRegressor(estimators=estimators, final_estimator=RidgeCV())
        result = reg.fit(X_train, y_train).score(X_test, y_test)
        """, 0.05),
    "Gaussian naive Bayes": (
        IRIS + """
        from sklearn.naive_bayes import GaussianNB
        gnb = GaussianNB()
        y_pred = gnb.fit(X_train, y_train).predict(X_test)
        result = (y_test != y_pred).sum()
        """, 0),
    "naive Bayes in pieces": (
        IRIS + """
        import numpy as np
        from sklearn.naive_bayes import GaussianNB
        clf = GaussianNB()
        for some in np.array_split(np.arange(len(X_train)), 4):
            clf.partial_fit(X_train[some], y_train[some], classes=np.unique(y))
        result = clf.score(X_test, y_test)
        """, 0),
    "multinomial naive Bayes of words": (
        """
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.naive_bayes import MultinomialNB
        docs = ["cheap pills now", "meeting at noon", "cheap offer now", "lunch at noon", "pills offer", "at lunch"]
        y = [1, 0, 1, 0, 1, 0]
        clf = MultinomialNB().fit(CountVectorizer().fit_transform(docs), y)
        result = clf.feature_log_prob_.sum()
        """, 1e-9),
    "nearest neighbours": (
        IRIS + """
        from sklearn.neighbors import KNeighborsClassifier
        neigh = KNeighborsClassifier(n_neighbors=3)
        neigh.fit(X_train, y_train)
        result = neigh.score(X_test, y_test)
        """, 0.02),
    "neighbours of numbers": (
        DIABETES + """
        from sklearn.neighbors import KNeighborsRegressor
        result = KNeighborsRegressor(n_neighbors=10, weights="distance").fit(X_train, y_train).score(X_test, y_test)
        """, 1e-6),
    "a support vector machine": (
        IRIS + """
        from sklearn import svm
        from sklearn.svm import SVC
        clf = SVC(kernel="rbf", C=1.0, gamma="scale")
        clf.fit(X_train, y_train)
        assert len(clf.support_vectors_) > 5
        result = clf.score(X_test, y_test)
        """, 0.02),
    "linear support vectors": (
        CANCER + """
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import LinearSVC
        clf = make_pipeline(StandardScaler(), LinearSVC(random_state=0, tol=1e-5))
        result = clf.fit(X_train, y_train).score(X_test, y_test)
        """, 0.02),
    "support vectors of numbers": (
        DIABETES + """
        from sklearn.svm import SVR
        result = SVR(C=10.0, epsilon=0.2).fit(X_train, y_train).score(X_test, y_test)
        """, 0.01),
    "stochastic gradient descent": (
        CANCER + """
        from sklearn.linear_model import SGDClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        clf = make_pipeline(StandardScaler(), SGDClassifier(loss="hinge", max_iter=1000, tol=1e-3, random_state=0))
        result = clf.fit(X_train, y_train).score(X_test, y_test)
        """, 0.03),
    "discriminants": (
        IRIS + """
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
        lda = LinearDiscriminantAnalysis().fit(X_train, y_train)
        qda = QuadraticDiscriminantAnalysis().fit(X_train, y_train)
        result = lda.score(X_test, y_test) + qda.score(X_test, y_test)
        """, 1e-9),
    "k-means": (
        IRIS + """
        from sklearn.cluster import KMeans
        kmeans = KMeans(n_clusters=3, random_state=0, n_init="auto").fit(X)
        assert kmeans.labels_.shape == (150,)
        result = kmeans.inertia_
        """, 1.0),
    "a Gaussian mixture": (
        IRIS + """
        from sklearn.mixture import GaussianMixture
        from sklearn.metrics import adjusted_rand_score
        gm = GaussianMixture(n_components=3, random_state=0).fit(X)
        result = adjusted_rand_score(y, gm.predict(X))
        """, 0.35),
    "principal components": (
        IRIS + """
        from sklearn.decomposition import PCA
        pca = PCA(n_components=2).fit(X)
        assert pca.transform(X).shape == (150, 2)
        result = pca.explained_variance_ratio_.sum()
        """, 1e-9),
    "scale to the unit interval": (
        IRIS + """
        from sklearn.preprocessing import MinMaxScaler
        scaler = MinMaxScaler(feature_range=(0, 1))
        result = scaler.fit_transform(X_train).sum() + scaler.transform(X_test).sum()
        """, 1e-9),
    "impute and encode columns by transformers": (
        FRAME + """
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler
        numeric = SimpleImputer(strategy="median")
        categorical = OneHotEncoder(handle_unknown="ignore")
        preprocessor = ColumnTransformer(transformers=[
            ("num", numeric, ["age", "fare"]), ("cat", categorical, ["sex", "port"])])
        clf = Pipeline(steps=[("preprocessor", preprocessor), ("classifier", LogisticRegression())])
        clf.fit(X, y)
        result = clf.score(X, y)
        """, 0.01),
    "a pipeline within a transformer of columns": (
        FRAME + """
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler
        numeric = Pipeline(steps=[("imputer", SimpleImputer(strategy="median")), ("scaler", StandardScaler())])
        categorical = OneHotEncoder(handle_unknown="ignore")
        preprocessor = ColumnTransformer(transformers=[
            ("num", numeric, ["age", "fare"]), ("cat", categorical, ["sex", "port"])])
        clf = Pipeline(steps=[("preprocessor", preprocessor), ("classifier", LogisticRegression())])
        clf.fit(X, y)
        result = clf.score(X, y)
        """, 0.01),
    "a grid search over a pipeline": (
        CANCER + """
        from sklearn.model_selection import GridSearchCV
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import StandardScaler
        pipe = Pipeline([("scale", StandardScaler()), ("clf", LogisticRegression())])
        grid = GridSearchCV(pipe, {"clf__C": [0.01, 1.0]}, cv=3).fit(X_train, y_train)
        assert grid.best_params_ in ({"clf__C": 0.01}, {"clf__C": 1.0})
        result = grid.score(X_test, y_test)
        """, 0.02),
    "a randomised search over a forest": (
        IRIS + """
        from scipy.stats import randint
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.model_selection import RandomizedSearchCV
        search = RandomizedSearchCV(
            RandomForestClassifier(n_estimators=10, random_state=0), {"max_depth": randint(1, 5)}, n_iter=3, cv=3,
            random_state=0)
        result = search.fit(X_train, y_train).score(X_test, y_test)
        """, 0.07),
    "classes of unlike weight": (
        CANCER + """
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import balanced_accuracy_score
        X_train, X_test = X_train / X.max(axis=0), X_test / X.max(axis=0)
        clf = LogisticRegression(class_weight="balanced").fit(X_train, y_train)
        result = balanced_accuracy_score(y_test, clf.predict(X_test))
        """, 0.02),
    "a calibrated classifier": (
        CANCER + """
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.metrics import brier_score_loss
        from sklearn.naive_bayes import GaussianNB
        clf = CalibratedClassifierCV(GaussianNB(), cv=3).fit(X_train, y_train)
        result = brier_score_loss(y_test, clf.predict_proba(X_test)[:, 1])
        """, 1e-3),
    "the report of a dummy": (
        CANCER + """
        from sklearn.dummy import DummyClassifier
        from sklearn.metrics import classification_report
        clf = DummyClassifier(strategy="most_frequent").fit(X_train, y_train)
        report = classification_report(y_test, clf.predict(X_test), output_dict=True, zero_division=0)
        result = report["accuracy"]
        """, 0),
    "a neural network": (
        IRIS + """
        from sklearn.neural_network import MLPClassifier
        clf = MLPClassifier(hidden_layer_sizes=(20,), solver="lbfgs", alpha=1e-3, max_iter=300, random_state=1)
        result = clf.fit(X_train, y_train).score(X_test, y_test)
        """, 0.06),
    "counts by Poisson regression": (
        """
        import numpy as np
        from sklearn.linear_model import PoissonRegressor
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 2))
        y = rng.poisson(np.exp(X @ [0.5, -0.3]))
        result = PoissonRegressor(alpha=1e-3).fit(X, y).score(X, y)
        """, 1e-3),
    "ordinal codes of categories": (
        """
        from sklearn.preprocessing import OrdinalEncoder
        enc = OrdinalEncoder()
        X = [["male", "from US", "uses Safari"], ["female", "from Europe", "uses Firefox"]]
        result = float(enc.fit(X).transform([["female", "from US", "uses Safari"]]).sum())
        """, 0),
    "permutation importance": (
        DIABETES + """
        from sklearn.inspection import permutation_importance
        from sklearn.linear_model import Ridge
        model = Ridge(alpha=1e-2).fit(X_train, y_train)
        r = permutation_importance(model, X_test, y_test, n_repeats=5, random_state=0)
        result = float(r.importances_mean[8])
        """, 1e-6),
    "recursive elimination of features": (
        CANCER + """
        from sklearn.feature_selection import SelectFromModel
        from sklearn.ensemble import RandomForestClassifier
        sel = SelectFromModel(RandomForestClassifier(n_estimators=20, random_state=0)).fit(X_train, y_train)
        result = float(sel.get_support().sum())
        """, 6),
}  # fmt: skip


REFUSED = {
    "bags of fewer rows and columns": (
        IRIS + """
        from sklearn.ensemble import BaggingClassifier
        from sklearn.neighbors import KNeighborsClassifier
        BaggingClassifier(KNeighborsClassifier(), max_samples=0.5, max_features=0.5).fit(X_train, y_train)
        """, r"max_samples=0\.5 is refused.*Remedy"),
    "a forest of a criterion that is not there": (
        IRIS + """
        from sklearn.tree import DecisionTreeClassifier
        DecisionTreeClassifier(criterion="poisson").fit(X_train, y_train)
        """, "criterion"),
    "a target with gaps": (
        IRIS + """
        from sklearn.linear_model import LinearRegression
        LinearRegression().fit(X_train, [None] * len(X_train))
        """, "y contains NaN|target"),
}  # fmt: skip


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_program_runs_with_other_imports(name):
    code, close = SNIPPETS[name]
    code = dedented(code)
    ours, taken = swapped(code)
    assert taken, "nothing of it is tenfold's"
    expected = ran(code)
    found = ran(ours)
    assert abs(found - expected) <= close, f"{found} is not near {expected}"


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_that_stops_says_what_to_write(name):
    code, message = REFUSED[name]
    with pytest.raises((ValueError, TypeError), match=message):
        ran(swapped(dedented(code))[0])


def dedented(code):
    """The parts of a program, which are indented differently, at the margin."""
    blocks = re.split(r"\n(?=        \S)", code, maxsplit=1)
    if len(blocks) == 1:
        return textwrap.dedent(code)
    return textwrap.dedent(blocks[0]) + "\n" + textwrap.dedent(blocks[1])
