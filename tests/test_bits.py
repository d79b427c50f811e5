"""The same bits for 1, 2, 3 threads, with kernels that came compiled, a cold and a warm numba cache."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import numpy as np
import tenfold as tn
from tenfold.compiled.decorators import compilations
from tenfold.testing import bits

random = np.random.default_rng(7)
n = 20_011
X = random.standard_normal((n, 6)) * [1, 1e-3, 1e3, 1, 7, 1e6] + [0, 5, -1e4, 1e-7, 3, 1e8]
y = X @ random.standard_normal(6) + random.standard_normal(n)
near = np.column_stack([X, X[:, 0] + 1e-9 * random.standard_normal(n)])
weight = random.random(n) * random.integers(0, 3, n)
words = np.array(["a", "b", "c", "d"], dtype=object)[random.integers(0, 4, (n, 5))]
label = np.array(["left", "middle", "right"])[random.integers(0, 3, n)]
words[label == "right", 0] = "a"
both = np.column_stack([X.astype(object), words[:, :2]])
names = np.char.add("w", random.integers(0, 2500, n).astype(str)).astype(object)
many = np.column_stack([X[:, :2].astype(object), names, words[:, 0]])
documents = [" ".join([*some, name]) for some, name in zip(np.char.multiply(words.astype(str), 2).tolist(), names)]
dates = (10**8 * X[:, :2]).astype("M8[ms]")
cases = {
    "LinearRegression, words": (tn.LinearRegression(), both, y),
    "Ridge, very many words": (tn.Ridge(), many, y),
    "LinearRegression": (tn.LinearRegression(), X, y),
    "LinearRegression, R-factors": (tn.LinearRegression(), near, y),
    "LinearRegression, double-double": (tn.LinearRegression(precision="high"), near, y),
    "LinearRegression, HC3": (tn.LinearRegression(standard_errors="HC3"), X[:, :5], y),
    "PolynomialRegression": (tn.PolynomialRegression(2), X[:, :3], y),
    "Ridge": (tn.Ridge(), X.astype(np.float32), y),
    "Lasso": (tn.Lasso(0.1), X, y),
    "ElasticNet": (tn.ElasticNet(0.1), X, y),
    "BridgeRegression": (tn.BridgeRegression(0.1), X, y),
    "LassoCV": (tn.LassoCV(alphas=10), X, y),
    "LassoCV, folds in a row": (tn.LassoCV(alphas=10, cv=4), X, y),
    "ElasticNetCV": (tn.ElasticNetCV([0.5, 0.9], alphas=10), X, y),
    "RidgeCV": (tn.RidgeCV(), X, y),
    "GaussianNB": (tn.GaussianNB(), X, label),
    "LinearDiscriminantAnalysis": (tn.LinearDiscriminantAnalysis(), X, label),
    "LinearDiscriminantAnalysis, auto": (tn.LinearDiscriminantAnalysis(shrinkage="auto"), X, label),
    "QuadraticDiscriminantAnalysis": (tn.QuadraticDiscriminantAnalysis(), X, label),
    "FisherDiscriminant": (tn.FisherDiscriminant(), X, label),
    "LeastSquaresClassifier": (tn.LeastSquaresClassifier(), X, label),
    "PCA": (tn.PCA(), X, None),
    "PCA, triangles": (tn.PCA(), near, None),
    "CategoricalNB": (tn.CategoricalNB(), words, label),
    "TreeAugmentedNB": (tn.TreeAugmentedNB(), words, label),
    "BayesianNetworkDensity": (tn.BayesianNetworkDensity(), words, None),
    "BayesianNetworkEM": (tn.BayesianNetworkEM(latent={"kind": 2}, max_iter=4, tol=0.0), words, None),
    "BayesianNetworkDensity, a graph": (tn.BayesianNetworkDensity({"x1": ["x0"]}), words, None),
    "DummyClassifier": (tn.DummyClassifier(), X, label),
    "DummyRegressor": (tn.DummyRegressor(), X, y),
    "StandardScaler": (tn.StandardScaler(), X, None),
    "Profile": (tn.Profile(), X, None),
    "VarianceThreshold": (tn.VarianceThreshold(), X, None),
    "SelectKBest": (tn.SelectKBest(k=2), X, label),
    "SelectPercentile": (tn.SelectPercentile("f_regression", percentile=40), X, y),
    "TruncatedSVD": (tn.TruncatedSVD(2), X, None),
    "MaxAbsScaler": (tn.MaxAbsScaler(), X, None),
    "MinMaxScaler": (tn.MinMaxScaler(), X, None),
    "ColumnTransformer": (tn.ColumnTransformer([("a", tn.StandardScaler(), [0]), ("b", "passthrough", [1])]), X, None),
    "ColumnTransformer, pipelines": (
        tn.ColumnTransformer([
            ("a", tn.make_pipeline(tn.PowerTransformer(), tn.PCA(2)), [0, 3, 4]),
            ("b", tn.make_pipeline(tn.SimpleImputer("median"), tn.MinMaxScaler()), [1]),
        ]), X, None,
    ),
    "TargetEncoder": (tn.TargetEncoder(), words, y),
    "FeatureUnion": (tn.FeatureUnion(), X, None),
    "Normalizer": (tn.Normalizer(), X, None),
    "OneHotEncoder, gaps": (tn.OneHotEncoder(handle_unknown="ignore", handle_missing="ignore"), words, None),
    "OneHotEncoder": (tn.OneHotEncoder(drop="first"), words[:, :3], None),
    "OrdinalEncoder": (tn.OrdinalEncoder(max_categories=3), words[:, :2], None),
    "RobustScaler": (tn.RobustScaler(), X, None),
    "QuantileTransformer": (tn.QuantileTransformer(output_distribution="normal"), X, None),
    "KBinsDiscretizer": (tn.KBinsDiscretizer(3), X, None),
    "PowerTransformer": (tn.PowerTransformer(), X, None),
    "PolynomialFeatures": (tn.PolynomialFeatures(), X, None),
    "RBFSampler": (tn.RBFSampler(n_components=7), X, None),
    "CountVectorizer": (tn.CountVectorizer(), documents, None),
    "TfidfVectorizer": (tn.TfidfVectorizer(), documents, None),
    "DateParts": (tn.DateParts(cyclic=True), dates, None),
    "FunctionTransformer": (tn.FunctionTransformer(np.cbrt), X, None),
    "SimpleImputer": (tn.SimpleImputer(), X, None),
    "SimpleImputer, median": (tn.SimpleImputer("median"), X, None),
    "TextFeatures": (tn.TextFeatures(ngram_range=(1, 2)), documents, None),
    "TextFeatures, hashed": (tn.TextFeatures(n_features=64), documents, None),
    "KMeans": (tn.KMeans(7, max_iter=20), X.astype(np.float32), None),
    "KMeans, float64": (tn.KMeans(5, max_iter=20), X, None),
    "MiniBatchKMeans": (tn.MiniBatchKMeans(5), X, None),
    "BisectingKMeans": (tn.BisectingKMeans(5), X, None),
    "GaussianMixture": (tn.GaussianMixture(3, max_iter=6, tol=0.0), X, None),
    "GaussianMixture, tied": (tn.GaussianMixture(2, covariance_type="tied", max_iter=4, tol=0.0), X, None),
    "GaussianMixture, diag": (
        tn.GaussianMixture(3, covariance_type="diag", max_iter=4, tol=0.0), X.astype(np.float32), None,
    ),
    "HMMClassifier": (tn.HMMClassifier(), words[:, :1], label),
    "MarkovChain": (tn.MarkovChain(), words[:, :1], None),
    "CategoricalHMM": (tn.CategoricalHMM(3, max_iter=5, tol=0.0), words[:, :1], None),
    "GaussianHMM": (tn.GaussianHMM(2, max_iter=4, tol=0.0), X, None),
    "GaussianHMM, full": (tn.GaussianHMM(2, covariance_type="full", max_iter=3, tol=0.0), X, None),
    "AdaBoostClassifier": (tn.AdaBoostClassifier(n_estimators=12), X, label),
    "AdaBoostClassifier, trees": (tn.AdaBoostClassifier(tn.CART(max_depth=3), n_estimators=4), both, label),
    "AdaBoostClassifier, Bayes": (tn.AdaBoostClassifier(tn.GaussianNB(), n_estimators=4), X, label),
    "LogisticRegression": (tn.LogisticRegression(), X, label == "left"),
    "LogisticRegression, softmax": (tn.LogisticRegression(l1_ratio=0.5, max_iter=5), X.astype(np.float32), label),
    "PoissonRegressor": (tn.PoissonRegressor(), X, np.abs(y) / 1e6),
    "PoissonRegressor, HC3": (tn.PoissonRegressor(0, standard_errors="HC3"), X[:, :5], np.abs(y) / 1e6),
    "GammaRegressor": (tn.GammaRegressor(), X, np.abs(y) / 1e6 + 1),
    "Perceptron": (tn.Perceptron("pocket", max_iter=4), X, label),
    "Perceptron, mixed": (tn.Perceptron("averaged", max_iter=4, mixing=True), X, label),
    "Adaline": (tn.Adaline(1, max_iter=3), X, label),
    "Adaline, all rows": (tn.Adaline(max_iter=9), X, label == "left"),
    "SGDClassifier": (tn.SGDClassifier(max_iter=3, average=True), X.astype(np.float32), label),
    "SGDClassifier, mixed": (tn.SGDClassifier("log_loss", max_iter=3, mixing=True), X, label == "left"),
    "SGDRegressor": (tn.SGDRegressor(max_iter=3, batch_size=32, momentum=0.5), X, y),
    "SGDRegressor, all rows": (tn.SGDRegressor(max_iter=3, batch_size=None), X, y),
    "RadialBasis": (tn.RadialBasis(), X, None),
    "SigmoidBasis": (tn.SigmoidBasis(spacing="grid"), X, None),
    "SplineTransformer": (tn.SplineTransformer(knots="quantile"), X, None),
    "TanhBasis": (tn.TanhBasis(), X, None),
    "CandidateElimination": (tn.CandidateElimination(), words, words[:, 0] == words[0, 0]),
    "ListThenEliminate": (tn.ListThenEliminate(), words[:, :2], label == "right"),
    "ListThenEliminate, all sets": (tn.ListThenEliminate("power set"), words, label == "right"),
    "KCNF": (tn.KCNF(), X, label == "right"),
    "KDNF": (tn.KDNF(3), X, label == "right"),
    "FindS": (tn.FindS(), words, label == "right"),
    "BayesOptimalClassifier": (tn.BayesOptimalClassifier(noise=0.1), words[:, :2], label == "right"),
    "DecisionStump": (tn.DecisionStump(), both, label),
    "DecisionTreeClassifier": (tn.DecisionTreeClassifier(max_features=3), X, label),
    "DecisionTreeRegressor": (tn.DecisionTreeRegressor(min_samples_leaf=5), X, y),
    "ExtraTreesClassifier": (tn.ExtraTreesClassifier(4), both, label),
    "ExtraTreesRegressor": (tn.ExtraTreesRegressor(3, min_samples_leaf=5), X, y),
    "RandomForestClassifier": (tn.RandomForestClassifier(4), both, label),
    "RandomForestRegressor": (tn.RandomForestRegressor(3, min_samples_leaf=5), X, y),
    "GradientBoostingClassifier": (tn.GradientBoostingClassifier(n_estimators=4, min_samples_split=9), X, label),
    "GradientBoostingRegressor": (tn.GradientBoostingRegressor(n_estimators=4, n_iter_no_change=2), X, y),
    "HistGradientBoostingClassifier": (tn.HistGradientBoostingClassifier(max_iter=4, subsample=0.5), X, label),
    "HistGradientBoostingClassifier, two": (tn.HistGradientBoostingClassifier(max_iter=4), both, label == "left"),
    "HistGradientBoostingRegressor": (tn.HistGradientBoostingRegressor(max_iter=4, early_stopping=True), X, y),
    "HistGradientBoostingRegressor, median": (tn.HistGradientBoostingRegressor("absolute_error", max_iter=4), X, y),
    "ID3": (tn.ID3(max_depth=3), words, label),
    "C45": (tn.C45(max_depth=5), X, label),
    "CART": (tn.CART(max_depth=6), X, label),
    "SLIQ": (tn.SLIQ(max_depth=6), X, label),
    "DecisionTreeClassifier, pruned": (tn.DecisionTreeClassifier(prune="reduced_error"), X, label),
    "RuleListClassifier": (tn.RuleListClassifier(max_depth=5), X, label),
    "VotingClassifier": (tn.VotingClassifier(voting="soft"), X, label),
    "VotingRegressor": (tn.VotingRegressor([("line", tn.Ridge()), ("curve", tn.PolynomialRegression(2))]), X, y),
    "BaggingClassifier": (tn.BaggingClassifier(tn.CategoricalNB(), 4, oob_score=True), words, label),
    "BaggingRegressor": (tn.BaggingRegressor(tn.DecisionTreeRegressor(max_depth=5), 3), X, y),
    "StackingClassifier": (tn.StackingClassifier(cv=3, passthrough=True), X, label == "left"),
    "BernoulliNB": (tn.BernoulliNB(), X, label),
    "MultinomialNB": (tn.MultinomialNB(), np.abs(X), label),
    "ComplementNB": (tn.ComplementNB(), np.abs(X), label),
    "NaiveBayes": (tn.NaiveBayes(), both, label),
    "LinearSVC": (tn.LinearSVC(loss="hinge", C=0.01), X, label),
    "LinearSVC, descent": (tn.LinearSVC(dual=True, C=0.01), X[:2000], label[:2000]),
    "LinearSVR": (tn.LinearSVR(C=0.01, max_iter=20), X, y),
    "KernelRidge": (tn.KernelRidge(kernel="rbf"), X[:300], y[:300]),
    "KernelPerceptron": (tn.KernelPerceptron(), X[:300], label[:300]),
    "MLPClassifier": (tn.MLPClassifier((5, 3), max_iter=2, early_stopping=True, dropout=0.2), both, label),
    "MLPRegressor": (tn.MLPRegressor(5, solver="lbfgs", max_iter=4), X, y / 1e6),
    "RNNClassifier": (tn.RNNClassifier(4, max_iter=1), both, label),
    "RNNRegressor": (tn.RNNRegressor(4, cell="lstm", truncate=5, max_iter=1), X, y / 1e6),
    "TransformerClassifier": (
        tn.TransformerClassifier(4, n_heads=2, n_layers=1, max_iter=1, early_stopping=True), X, label,
    ),
    "SVC": (tn.SVC(), X[:2000], label[:2000]),
    "SVR": (tn.SVR(), X[:2000], y[:2000]),
    "Nystroem": (tn.Nystroem(n_components=20), X, None),
    "RBFSampler, Laplacian": (tn.RBFSampler(kernel="laplacian", n_components=20), X, None),
    "KNeighborsClassifier": (tn.KNeighborsClassifier(), X[:3000], label[:3000]),
    "KNeighborsRegressor": (tn.KNeighborsRegressor(), X[:3000], y[:3000]),
    "LocallyWeightedRegression": (tn.LocallyWeightedRegression(), X[:2000], y[:2000]),
    "RBFNetworkClassifier": (tn.RBFNetworkClassifier(4), X, label),
    "RBFNetworkRegressor": (tn.RBFNetworkRegressor(4), X, y),
    "StackingRegressor": (tn.StackingRegressor([("line", tn.Ridge()), ("mean", tn.DummyRegressor())]), X, y),
}
found = {}
for threads in map(int, sys.argv[1:]):
    for name, (learner, rows, target) in cases.items():
        given = {"sample_weight": weight[: len(rows)]}
        if learner.need.sequence is not None:
            given = {"sample_weight": np.repeat(weight[:1819], 11), "lengths": [11] * 1819}
            rows, target = rows[: 1819 * 11], None if target is None else target[: 1819 * 11]
            if learner.need.per_sequence:
                target = target[::11]
        with tn.on(tn.Local(threads=threads)):
            model = learner.fit(rows, target, **given)
        kind = type(model.summary_).__name__
        found[f"{name}; {threads}"] = [bits(model.model_), bits(model.summary_), kind]
print(json.dumps([found, compilations]))
"""


def run(*threads, **variables):
    env = {**os.environ, **variables}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *threads], env=env, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_same_bits_for_threads_caches_and_kernels_that_come_compiled(compiled, tmp_path):
    none = {"TENFOLD_COMPILED": "0", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    (cold, many), (warm, few) = run("1", "2", "3", **none), run("2", **none)
    assert len(many) > 50
    assert not few
    assert warm == {key: cold[key] for key in warm}
    shipped, none = run("2", TENFOLD_COMPILED=str(compiled.parent), NUMBA_CACHE_DIR=str(tmp_path / "empty"))
    assert not none
    assert not list(tmp_path.glob("empty/**/*.nbi"))
    assert shipped == warm
    assert 3 * len(warm) == len(cold)
    names = {key.split("; ")[0] for key in cold}
    for name in names:
        assert len({tuple(cold[f"{name}; {threads}"]) for threads in (1, 2, 3)}) == 1, name
    assert cold["LinearRegression, R-factors; 1"][2] == "RFactor"
    assert len({value[0] for value in cold.values()}) == len(names), "two learners have the same bits?"


def test_every_learner_is_in_the_program():
    from helpers import learners, name_of

    for learner in learners():
        assert f"tn.{name_of(learner)}(" in PROGRAM, name_of(learner)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("columns", "offset", "kind"), [(6, 100, "f8"), (50, 0, "f8"), (40, 3, "f4")])
def test_same_bits_for_every_form_of_the_rows(columns, offset, kind, weighted):
    """Rows by row, by column or as a frame: more of them than fit one block."""
    import numpy as np
    import pandas as pd
    from sklearn.base import clone

    import tenfold as tn
    from tenfold.testing import bits

    random = np.random.default_rng(0)
    X = (random.standard_normal((30_000, columns)) + offset).astype(kind)
    y = random.standard_normal(30_000)
    weight = random.random(30_000) if weighted else None
    forms = [X, np.asfortranarray(X), pd.DataFrame(X, columns=[f"c{j}" for j in range(columns)])]
    cases = [
        (tn.Ridge(), y),
        (tn.GaussianNB(), y > 0),
        (tn.LinearDiscriminantAnalysis(), y > 0),
        (tn.QuadraticDiscriminantAnalysis(), y > 0),
        (tn.PCA(), None),
        (tn.StandardScaler(), None),
        (tn.KMeans(4, max_iter=4), None),
    ]
    for learner, target in cases:
        models = [clone(learner).fit(form, target, sample_weight=weight) for form in forms]
        assert len({bits(m.model_) + bits(m.summary_) for m in models}) == 1, learner
