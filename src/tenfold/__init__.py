"""tenfold: learning is merging.

A learner summarizes a chunk of rows, summaries merge, a model is made from the merged summary. So the
answer is the same on one thread and on many, in memory and out of core; models add up; and each carries a
certificate of how far it can be trusted.

Every public name is here, loaded when it is first used: `import tenfold` itself loads nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0.dev0"

_PLACES = {
    "tenfold.baseline.dummy_classifier": ("DummyClassifier",),
    "tenfold.baseline.dummy_regressor": ("DummyRegressor",),
    "tenfold.bayes.bernoulli_nb": ("BernoulliNB",),
    "tenfold.bayes.categorical_nb": ("CategoricalNB",),
    "tenfold.bayes.complement_nb": ("ComplementNB",),
    "tenfold.bayes.gaussian_nb": ("GaussianNB",),
    "tenfold.bayes.multinomial_nb": ("MultinomialNB",),
    "tenfold.bayes.probability_table": ("ProbabilityTable", "bayes_rule"),
    "tenfold.cluster.kmeans": ("KMeans",),
    "tenfold.compose.ada_boost_classifier": ("AdaBoostClassifier",),
    "tenfold.compose.bagging_classifier": ("BaggingClassifier",),
    "tenfold.compose.bagging_regressor": ("BaggingRegressor",),
    "tenfold.compose.stacking_classifier": ("StackingClassifier",),
    "tenfold.compose.stacking_regressor": ("StackingRegressor",),
    "tenfold.compose.voting_classifier": ("VotingClassifier",),
    "tenfold.compose.voting_regressor": ("VotingRegressor",),
    "tenfold.concept.find_s": ("FindS",),
    "tenfold.core.certificate": ("Certificate", "Claim", "Provenance"),
    "tenfold.core.errors": ("DataError", "MergeError", "ModelFileError"),
    "tenfold.core.stop": ("Gap", "Rounds", "Seconds"),
    "tenfold.display.calibration": ("CalibrationDisplay",),
    "tenfold.display.confusion_matrix": ("ConfusionMatrixDisplay",),
    "tenfold.display.curves": ("LearningCurveDisplay", "ValidationCurveDisplay"),
    "tenfold.display.decision_boundary": ("DecisionBoundaryDisplay", "VoronoiDisplay"),
    "tenfold.display.margins": ("MarginsDisplay",),
    "tenfold.display.partial_dependence": ("PartialDependenceDisplay",),
    "tenfold.display.permutation_importance": ("PermutationImportanceDisplay",),
    "tenfold.display.precision_recall": ("PrecisionRecallDisplay",),
    "tenfold.display.roc_curve": ("RocCurveDisplay",),
    "tenfold.display.tree": ("TreeDisplay",),
    "tenfold.engine.dask": ("Dask",),
    "tenfold.engine.local": ("Local",),
    "tenfold.engine.running": ("on",),
    "tenfold.estimator.checkpoint": ("Checkpoint",),
    "tenfold.estimator.model_file": ("load",),
    "tenfold.estimator.registry": ("register",),
    "tenfold.evaluate.curves.bias_variance": ("bias_variance",),
    "tenfold.evaluate.certify.certify": ("certify",),
    "tenfold.evaluate.compare.compare": ("compare", "compare_all"),
    "tenfold.evaluate.compare.comparison": ("Comparison", "Comparisons"),
    "tenfold.evaluate.cross_validation.cross_validate": ("cross_validate",),
    "tenfold.evaluate.cross_validation.fit_together": ("fit_together",),
    "tenfold.evaluate.importance.result": ("PermutationImportance",),
    "tenfold.evaluate.certify.intervals": ("Interval", "difference_interval", "error_interval"),
    "tenfold.evaluate.compare.ranks": ("Ranks",),
    "tenfold.evaluate.curves.learning_curve": ("LearningCurve", "learning_curve"),
    "tenfold.evaluate.curves.loss_decomposition": ("BiasVariance",),
    "tenfold.evaluate.compare.overfitting": ("Overfitting", "overfits"),
    "tenfold.evaluate.dependence.result": ("PartialDependence",),
    "tenfold.evaluate.dependence.partial_dependence": ("partial_dependence",),
    "tenfold.evaluate.importance.permutation_importance": ("permutation_importance",),
    "tenfold.evaluate.cross_validation.result": ("CrossValidation",),
    "tenfold.evaluate.cross_validation.tune": ("Tuned", "tune"),
    "tenfold.evaluate.curves.validation_curve": ("ValidationCurve", "validation_curve"),
    "tenfold.kernel.algebra": (
        "ColumnsKernel",
        "ConstantKernel",
        "Kernel",
        "NormalizedKernel",
        "PowerKernel",
        "ProductKernel",
        "ScaledKernel",
        "SeriesKernel",
        "SumKernel",
    ),
    "tenfold.kernel.feature_map": ("FeatureMap", "feature_map"),
    "tenfold.kernel.given": ("CallableKernel", "FunctionKernel", "PrecomputedKernel"),
    "tenfold.kernel.gram": ("PSDResult", "gram", "hadamard", "is_psd", "kronecker"),
    "tenfold.kernel.names": ("as_kernel",),
    "tenfold.kernel.numeric": (
        "AdditiveChi2Kernel",
        "Chi2Kernel",
        "GaussianKernel",
        "LaplacianKernel",
        "LinearKernel",
        "MatrixKernel",
        "PolynomialKernel",
        "SigmoidKernel",
    ),
    "tenfold.kernel.proof": ("Proof",),
    "tenfold.kernel.structured": ("MismatchKernel", "SetKernel", "SpectrumKernel", "TreeKernel"),
    "tenfold.kernel.kernel_ridge": ("KernelRidge", "RidgePath"),
    "tenfold.kernel.nystroem": ("Nystroem",),
    "tenfold.kernel.random_features": ("RandomFeatures",),
    "tenfold.kernel.kernel_perceptron": ("KernelPerceptron",),
    "tenfold.kernel.svc": ("SVC",),
    "tenfold.kernel.svr": ("SVR",),
    "tenfold.linear.elastic_net": ("ElasticNet",),
    "tenfold.linear.elastic_net_cv": ("ElasticNetCV",),
    "tenfold.linear.lasso": ("Lasso",),
    "tenfold.linear.lasso_cv": ("LassoCV",),
    "tenfold.linear.ridge_cv": ("RidgeCV",),
    "tenfold.linear.paths": ("LassoPath",),
    "tenfold.linear.fisher_discriminant": ("FisherDiscriminant",),
    "tenfold.linear.least_squares_classifier": ("LeastSquaresClassifier",),
    "tenfold.linear.linear_discriminant_analysis": ("LinearDiscriminantAnalysis",),
    "tenfold.linear.gamma_regressor": ("GammaRegressor",),
    "tenfold.linear.linear_regression": ("LinearRegression",),
    "tenfold.linear.linear_svc": ("LinearSVC",),
    "tenfold.linear.linear_svr": ("LinearSVR",),
    "tenfold.linear.logistic_regression": ("LogisticRegression",),
    "tenfold.linear.poisson_regressor": ("PoissonRegressor",),
    "tenfold.linear.pca": ("PCA",),
    "tenfold.linear.quadratic_discriminant_analysis": ("QuadraticDiscriminantAnalysis",),
    "tenfold.linear.perceptron": ("Perceptron",),
    "tenfold.linear.polynomial_regression": ("PolynomialRegression",),
    "tenfold.linear.ridge": ("Ridge",),
    "tenfold.linear.sgd_classifier": ("SGDClassifier",),
    "tenfold.linear.sgd_regressor": ("SGDRegressor",),
    "tenfold.neighbors.k_neighbors_classifier": ("KNeighborsClassifier",),
    "tenfold.neighbors.k_neighbors_regressor": ("KNeighborsRegressor",),
    "tenfold.neighbors.locally_weighted_regression": ("LocallyWeightedRegression",),
    "tenfold.preprocessing.max_abs_scaler": ("MaxAbsScaler",),
    "tenfold.preprocessing.min_max_scaler": ("MinMaxScaler",),
    "tenfold.preprocessing.one_hot": ("OneHot",),
    "tenfold.preprocessing.polynomial_basis": ("PolynomialBasis",),
    "tenfold.sources.scan": ("scan",),
    "tenfold.preprocessing.radial_basis": ("RadialBasis",),
    "tenfold.preprocessing.sigmoid_basis": ("SigmoidBasis",),
    "tenfold.preprocessing.standard_scaler": ("StandardScaler",),
    "tenfold.preprocessing.tanh_basis": ("TanhBasis",),
    "tenfold.preprocessing.unit_vector": ("UnitVector",),
    "tenfold.trees.decision_stump": ("DecisionStump",),
    "tenfold.trees.decision_tree_classifier": ("DecisionTreeClassifier",),
    "tenfold.trees.decision_tree_regressor": ("DecisionTreeRegressor",),
    "tenfold.trees.gradient_boosting_classifier": ("GradientBoostingClassifier",),
    "tenfold.trees.gradient_boosting_regressor": ("GradientBoostingRegressor",),
    "tenfold.trees.presets": ("C45", "CART", "ID3", "SLIQ"),
    "tenfold.trees.random_forest_classifier": ("RandomForestClassifier",),
    "tenfold.trees.random_forest_regressor": ("RandomForestRegressor",),
    "tenfold.trees.rule_list_classifier": ("RuleListClassifier",),
    "tenfold.trees.tree_shap": ("TreeShap",),
}
_WHERE = {name: module for module, names in _PLACES.items() for name in names}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name in ("testing", "theory"):
        return import_module(f"tenfold.{name}")
    if name not in _WHERE:
        raise AttributeError(f"module 'tenfold' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})
