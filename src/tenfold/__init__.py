"""tenfold: learning is merging.

A learner summarizes a chunk of rows, summaries merge, a model is made from the merged summary. So the
answer is the same on one thread and on many, in memory and out of core; models add up; and each carries a
certificate of how far it can be trusted.

Every public name is here, loaded when it is first used: `import tenfold` itself loads nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__version__ = "0.1.0.dev0"

_PLACES = {
    "tenfold.cluster.bisecting_kmeans": ("BisectingKMeans",),
    "tenfold.cluster.kmeans": ("KMeans",),
    "tenfold.cluster.mini_batch_kmeans": ("MiniBatchKMeans",),
    "tenfold.compose.column_transformer": (
        "ColumnTransformer",
        "make_column_transformer",
    ),
    "tenfold.compose.feature_union": (
        "FeatureUnion",
        "make_union",
    ),
    "tenfold.concept.bayes_optimal_classifier": ("BayesOptimalClassifier",),
    "tenfold.concept.candidate_elimination": ("CandidateElimination",),
    "tenfold.concept.clauses.k_cnf": ("KCNF",),
    "tenfold.concept.clauses.k_dnf": ("KDNF",),
    "tenfold.concept.clauses.k_term_dnf": ("k_term_dnf",),
    "tenfold.concept.conflict": (
        "Conflict",
        "find_conflict",
    ),
    "tenfold.concept.conjunction": ("Conjunction",),
    "tenfold.concept.find_s": ("FindS",),
    "tenfold.concept.list_then_eliminate": ("ListThenEliminate",),
    "tenfold.concept.version_space": ("VersionSpace",),
    "tenfold.core.certificate": (
        "Certificate",
        "Claim",
        "Provenance",
    ),
    "tenfold.core.errors": (
        "DataError",
        "MergeError",
        "ModelFileError",
        "ParameterError",
        "Remedy",
    ),
    "tenfold.core.stop": (
        "Gap",
        "Rounds",
        "Seconds",
    ),
    "tenfold.datasets.concepts": (
        "load_enjoy_sport",
        "load_gate",
        "load_graph_coloring",
        "load_play_tennis",
        "load_primes",
    ),
    "tenfold.datasets.generators": (
        "make_marked_sequences",
        "make_separable",
    ),
    "tenfold.datasets.probabilities": (
        "load_burglary",
        "load_candy_bags",
        "load_loaded_die",
        "load_weather_table",
        "make_candy_draws",
    ),
    "tenfold.decomposition.pca": ("PCA",),
    "tenfold.decomposition.truncated_svd": ("TruncatedSVD",),
    "tenfold.discriminant_analysis.fisher_discriminant": ("FisherDiscriminant",),
    "tenfold.discriminant_analysis.linear_discriminant_analysis": ("LinearDiscriminantAnalysis",),
    "tenfold.discriminant_analysis.quadratic_discriminant_analysis": ("QuadraticDiscriminantAnalysis",),
    "tenfold.display.contributions": ("ContributionsDisplay",),
    "tenfold.display.evaluation.calibration": ("CalibrationDisplay",),
    "tenfold.display.evaluation.confusion_matrix": ("ConfusionMatrixDisplay",),
    "tenfold.display.evaluation.learning_curves": (
        "LearningCurveDisplay",
        "ValidationCurveDisplay",
    ),
    "tenfold.display.evaluation.live_loss_curve": ("LossCurveCallback",),
    "tenfold.display.evaluation.loss_curve": ("LossCurveDisplay",),
    "tenfold.display.evaluation.margin_distribution": ("MarginsDisplay",),
    "tenfold.display.evaluation.precision_recall": ("PrecisionRecallDisplay",),
    "tenfold.display.evaluation.roc_curve": ("RocCurveDisplay",),
    "tenfold.display.models.activations": ("ActivationsDisplay",),
    "tenfold.display.models.attention": ("AttentionDisplay",),
    "tenfold.display.models.caterpillar": ("CaterpillarDisplay",),
    "tenfold.display.models.cell_heatmap": ("CellHeatmapDisplay",),
    "tenfold.display.models.cell_panels": ("CellPanelsDisplay",),
    "tenfold.display.models.clusters": (
        "ElbowDisplay",
        "SilhouetteDisplay",
    ),
    "tenfold.display.models.decision_boundary": (
        "DecisionBoundaryDisplay",
        "VoronoiDisplay",
    ),
    "tenfold.display.models.network": ("NetworkDisplay",),
    "tenfold.display.models.nomogram": ("NomogramDisplay",),
    "tenfold.display.models.tree_diagram": ("TreeDisplay",),
    "tenfold.display.models.tree_plot": ("plot_tree",),
    "tenfold.display.models.trellis_display": ("TrellisDisplay",),
    "tenfold.display.models.version_space_diagram": ("VersionSpaceDisplay",),
    "tenfold.display.mutual_information": ("MutualInformationDisplay",),
    "tenfold.display.partial_dependence": ("PartialDependenceDisplay",),
    "tenfold.display.permutation_importance": ("PermutationImportanceDisplay",),
    "tenfold.display.column_profiles": ("ProfileDisplay",),
    "tenfold.display.searches": ("SearchDisplay",),
    "tenfold.display.theory": (
        "CoverDisplay",
        "ErrorBoundDisplay",
        "GrowthDisplay",
    ),
    "tenfold.display.traces.trace_display": ("TraceDisplay",),
    "tenfold.dummy.dummy_classifier": ("DummyClassifier",),
    "tenfold.dummy.dummy_regressor": ("DummyRegressor",),
    "tenfold.engine.current_runner": ("on",),
    "tenfold.engine.executors.dask": ("Dask",),
    "tenfold.engine.executors.local": ("Local",),
    "tenfold.ensemble.ada_boost.ada_boost_classifier": ("AdaBoostClassifier",),
    "tenfold.ensemble.bagging.bagging_classifier": ("BaggingClassifier",),
    "tenfold.ensemble.bagging.bagging_regressor": ("BaggingRegressor",),
    "tenfold.ensemble.boosting.gradient_boosting_classifier": ("GradientBoostingClassifier",),
    "tenfold.ensemble.boosting.gradient_boosting_regressor": ("GradientBoostingRegressor",),
    "tenfold.ensemble.boosting.hist_gradient_boosting_classifier": ("HistGradientBoostingClassifier",),
    "tenfold.ensemble.boosting.hist_gradient_boosting_regressor": ("HistGradientBoostingRegressor",),
    "tenfold.ensemble.forest.extra_trees_classifier": ("ExtraTreesClassifier",),
    "tenfold.ensemble.forest.extra_trees_regressor": ("ExtraTreesRegressor",),
    "tenfold.ensemble.forest.random_forest_classifier": ("RandomForestClassifier",),
    "tenfold.ensemble.forest.random_forest_regressor": ("RandomForestRegressor",),
    "tenfold.ensemble.stacking.stacking_classifier": ("StackingClassifier",),
    "tenfold.ensemble.stacking.stacking_regressor": ("StackingRegressor",),
    "tenfold.ensemble.voting.voting_classifier": ("VotingClassifier",),
    "tenfold.ensemble.voting.voting_regressor": ("VotingRegressor",),
    "tenfold.estimator.column_selector": ("make_column_selector",),
    "tenfold.estimator.ensembles.pipeline": (
        "Pipeline",
        "make_pipeline",
    ),
    "tenfold.estimator.files.checkpoint": ("Checkpoint",),
    "tenfold.estimator.files.model_file": ("load",),
    "tenfold.estimator.files.registry": ("register",),
    "tenfold.export.onnx.to_onnx": ("to_onnx",),
    "tenfold.export.sql.to_sql": ("to_sql",),
    "tenfold.export.tree_text": ("export_text",),
    "tenfold.feature_extraction.date_parts": ("DateParts",),
    "tenfold.feature_extraction.text.text_features": ("TextFeatures",),
    "tenfold.feature_extraction.text.vectorizers": (
        "CountVectorizer",
        "TfidfVectorizer",
    ),
    "tenfold.feature_selection.select_k_best": ("SelectKBest",),
    "tenfold.feature_selection.select_percentile": ("SelectPercentile",),
    "tenfold.feature_selection.variance_threshold": ("VarianceThreshold",),
    "tenfold.graphical.bayesian_network": ("BayesianNetwork",),
    "tenfold.graphical.bayesian_network_density": ("BayesianNetworkDensity",),
    "tenfold.graphical.bayesian_network_em": ("BayesianNetworkEM",),
    "tenfold.graphical.likelihood_weighting": ("SampledPosterior",),
    "tenfold.graphical.probability_table": (
        "ProbabilityTable",
        "bayes_rule",
    ),
    "tenfold.graphical.tree_augmented_nb": ("TreeAugmentedNB",),
    "tenfold.impute.simple_imputer": ("SimpleImputer",),
    "tenfold.inspection.contributions.contributions_result": ("Contributions",),
    "tenfold.inspection.contributions.explain": ("explain",),
    "tenfold.inspection.dependence.mutual_information_matrix": (
        "MutualInformationMatrix",
        "mutual_information_matrix",
    ),
    "tenfold.inspection.dependence.partial_dependence": ("partial_dependence",),
    "tenfold.inspection.dependence.partial_dependence_result": ("PartialDependence",),
    "tenfold.inspection.dependence.split_gains": (
        "SplitGains",
        "split_gains",
    ),
    "tenfold.inspection.drift.drift": (
        "Drift",
        "drift",
    ),
    "tenfold.inspection.importance.permutation_importance": ("permutation_importance",),
    "tenfold.inspection.importance.permutation_importance_result": ("PermutationImportance",),
    "tenfold.inspection.profile.description": (
        "ColumnDescription",
        "Description",
    ),
    "tenfold.inspection.profile.profile": ("Profile",),
    "tenfold.inspection.shapley.tree_shap": ("TreeShap",),
    "tenfold.inspection.traces.ada_boost_trace": ("AdaBoostTrace",),
    "tenfold.inspection.traces.kmeans_trace": ("KMeansTrace",),
    "tenfold.inspection.traces.perceptron_trace": ("PerceptronTrace",),
    "tenfold.inspection.traces.sliq_trace": ("SLIQTrace",),
    "tenfold.inspection.traces.trace": ("trace",),
    "tenfold.inspection.traces.unrolled_network": ("UnrolledNetwork",),
    "tenfold.inspection.traces.version_space_trace": ("VersionSpaceTrace",),
    "tenfold.kernel_approximation.nystroem": ("Nystroem",),
    "tenfold.kernel_approximation.rbf_sampler": ("RBFSampler",),
    "tenfold.kernel_ridge.kernel_ridge": (
        "KernelRidge",
        "RidgePath",
    ),
    "tenfold.kernels.algebra": (
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
    "tenfold.kernels.feature_maps": (
        "FeatureMap",
        "feature_map",
    ),
    "tenfold.kernels.given_kernels": (
        "CallableKernel",
        "FunctionKernel",
        "PrecomputedKernel",
    ),
    "tenfold.kernels.gram_matrix": (
        "PSDResult",
        "gram",
        "hadamard",
        "is_psd",
        "kronecker",
    ),
    "tenfold.kernels.kernel_names": ("as_kernel",),
    "tenfold.kernels.numeric": (
        "AdditiveChi2Kernel",
        "Chi2Kernel",
        "GaussianKernel",
        "LaplacianKernel",
        "LinearKernel",
        "MatrixKernel",
        "PolynomialKernel",
        "SigmoidKernel",
    ),
    "tenfold.kernels.proof": ("Proof",),
    "tenfold.kernels.structured": (
        "MismatchKernel",
        "SetKernel",
        "SpectrumKernel",
        "TreeKernel",
    ),
    "tenfold.linear_model.class_moments.adaline": ("Adaline",),
    "tenfold.linear_model.class_moments.least_squares_classifier": ("LeastSquaresClassifier",),
    "tenfold.linear_model.cross_validated.elastic_net_cv": ("ElasticNetCV",),
    "tenfold.linear_model.cross_validated.lasso_cv": ("LassoCV",),
    "tenfold.linear_model.cross_validated.ridge_cv": ("RidgeCV",),
    "tenfold.linear_model.glm.gamma_regressor": ("GammaRegressor",),
    "tenfold.linear_model.glm.logistic_regression": ("LogisticRegression",),
    "tenfold.linear_model.glm.poisson_regressor": ("PoissonRegressor",),
    "tenfold.linear_model.least_squares.linear_regression": ("LinearRegression",),
    "tenfold.linear_model.least_squares.polynomial_regression": ("PolynomialRegression",),
    "tenfold.linear_model.least_squares.ridge": ("Ridge",),
    "tenfold.linear_model.penalized.bridge_regression": ("BridgeRegression",),
    "tenfold.linear_model.penalized.elastic_net": ("ElasticNet",),
    "tenfold.linear_model.penalized.lasso": ("Lasso",),
    "tenfold.linear_model.penalized.penalty_path": ("LassoPath",),
    "tenfold.linear_model.sgd.perceptron": ("Perceptron",),
    "tenfold.linear_model.sgd.sgd_classifier": ("SGDClassifier",),
    "tenfold.linear_model.sgd.sgd_regressor": ("SGDRegressor",),
    "tenfold.mixture.gaussian_mixture": ("GaussianMixture",),
    "tenfold.model_selection.calibration.calibrated_classifier_cv": ("CalibratedClassifierCV",),
    "tenfold.model_selection.calibration.threshold_classifiers": (
        "FixedThresholdClassifier",
        "TunedThresholdClassifierCV",
    ),
    "tenfold.model_selection.certification.certify": ("certify",),
    "tenfold.model_selection.certification.intervals": (
        "Interval",
        "difference_interval",
        "error_interval",
    ),
    "tenfold.model_selection.certification.sharpness": ("sharpness",),
    "tenfold.model_selection.comparison.compare": (
        "compare",
        "compare_all",
    ),
    "tenfold.model_selection.comparison.comparison_result": (
        "Comparison",
        "Comparisons",
    ),
    "tenfold.model_selection.comparison.overfitting": (
        "Overfitting",
        "overfits",
    ),
    "tenfold.model_selection.comparison.ranks": ("Ranks",),
    "tenfold.model_selection.cross_validation.cross_val_predict": ("cross_val_predict",),
    "tenfold.model_selection.cross_validation.cross_validate": ("cross_validate",),
    "tenfold.model_selection.cross_validation.cross_validation_result": ("CrossValidation",),
    "tenfold.model_selection.cross_validation.fit_together": ("fit_together",),
    "tenfold.model_selection.cross_validation.train_test_split": ("train_test_split",),
    "tenfold.model_selection.cross_validation.tune": (
        "Tuned",
        "tune",
    ),
    "tenfold.model_selection.curves.bias_variance": ("bias_variance",),
    "tenfold.model_selection.curves.estimate_error": ("EstimateError", "estimate_error"),
    "tenfold.model_selection.curves.learning_curve": (
        "LearningCurve",
        "learning_curve",
    ),
    "tenfold.model_selection.curves.loss_decomposition": ("BiasVariance",),
    "tenfold.model_selection.curves.validation_curve": (
        "ValidationCurve",
        "validation_curve",
    ),
    "tenfold.models.cross_validation.level_scores": ("LevelScores",),
    "tenfold.models.cube": ("Cube",),
    "tenfold.models.ledger.ledger": ("Ledger",),
    "tenfold.models.ledger.receipt": ("Receipt",),
    "tenfold.models.pooling.pooled_cube": ("PooledCube",),
    "tenfold.models.pooling.pooled_tables": ("PooledTables",),
    "tenfold.naive_bayes.bernoulli_nb": ("BernoulliNB",),
    "tenfold.naive_bayes.categorical_nb": ("CategoricalNB",),
    "tenfold.naive_bayes.complement_nb": ("ComplementNB",),
    "tenfold.naive_bayes.gaussian_nb": ("GaussianNB",),
    "tenfold.naive_bayes.multinomial_nb": ("MultinomialNB",),
    "tenfold.naive_bayes.naive_bayes": ("NaiveBayes",),
    "tenfold.neighbors.k_neighbors_classifier": ("KNeighborsClassifier",),
    "tenfold.neighbors.k_neighbors_regressor": ("KNeighborsRegressor",),
    "tenfold.neighbors.locally_weighted_regression": ("LocallyWeightedRegression",),
    "tenfold.neural_network.graphs.boolean_network": ("BooleanNetwork",),
    "tenfold.neural_network.graphs.network_graph": (
        "GraphGradients",
        "NetworkGraph",
    ),
    "tenfold.neural_network.mlp.mlp_classifier": ("MLPClassifier",),
    "tenfold.neural_network.mlp.mlp_regressor": ("MLPRegressor",),
    "tenfold.neural_network.rbf.rbf_network_classifier": ("RBFNetworkClassifier",),
    "tenfold.neural_network.rbf.rbf_network_regressor": ("RBFNetworkRegressor",),
    "tenfold.neural_network.sequences.rnn_classifier": ("RNNClassifier",),
    "tenfold.neural_network.sequences.rnn_regressor": ("RNNRegressor",),
    "tenfold.neural_network.sequences.transformer_classifier": ("TransformerClassifier",),
    "tenfold.preprocessing.bases.radial_basis": ("RadialBasis",),
    "tenfold.preprocessing.bases.sigmoid_basis": ("SigmoidBasis",),
    "tenfold.preprocessing.bases.spline_transformer": ("SplineTransformer",),
    "tenfold.preprocessing.bases.tanh_basis": ("TanhBasis",),
    "tenfold.preprocessing.function_transformer": ("FunctionTransformer",),
    "tenfold.preprocessing.kbins_discretizer": ("KBinsDiscretizer",),
    "tenfold.preprocessing.max_abs_scaler": ("MaxAbsScaler",),
    "tenfold.preprocessing.min_max_scaler": ("MinMaxScaler",),
    "tenfold.preprocessing.normalizer": ("Normalizer",),
    "tenfold.preprocessing.one_hot_encoder": ("OneHotEncoder",),
    "tenfold.preprocessing.ordinal_encoder": ("OrdinalEncoder",),
    "tenfold.preprocessing.polynomial_features": ("PolynomialFeatures",),
    "tenfold.preprocessing.power_transformer": ("PowerTransformer",),
    "tenfold.preprocessing.quantile_transformer": ("QuantileTransformer",),
    "tenfold.preprocessing.robust_scaler": ("RobustScaler",),
    "tenfold.preprocessing.standard_scaler": ("StandardScaler",),
    "tenfold.preprocessing.target_encoder": ("TargetEncoder",),
    "tenfold.reporting.report": (
        "Report",
        "report",
    ),
    "tenfold.sequence.categorical_hmm": ("CategoricalHMM",),
    "tenfold.sequence.gaussian_hmm": ("GaussianHMM",),
    "tenfold.sequence.hmm_classifier": ("HMMClassifier",),
    "tenfold.sequence.markov_chain": ("MarkovChain",),
    "tenfold.sequence.trellis": ("Trellis",),
    "tenfold.sources.expressions.expression": (
        "ColumnExpression",
        "col",
        "lit",
        "when",
    ),
    "tenfold.sources.scan": ("scan",),
    "tenfold.svm.kernel_perceptron": ("KernelPerceptron",),
    "tenfold.svm.linear_svc": ("LinearSVC",),
    "tenfold.svm.linear_svr": ("LinearSVR",),
    "tenfold.svm.slack_table": ("SlackTable",),
    "tenfold.svm.svc": ("SVC",),
    "tenfold.svm.svr": ("SVR",),
    "tenfold.tree.decision_stump": ("DecisionStump",),
    "tenfold.tree.decision_tree_classifier": ("DecisionTreeClassifier",),
    "tenfold.tree.decision_tree_regressor": ("DecisionTreeRegressor",),
    "tenfold.tree.presets": (
        "C45",
        "CART",
        "ID3",
        "SLIQ",
    ),
    "tenfold.tree.rules.rule_list_classifier": ("RuleListClassifier",),
}
_WHERE = {name: module for module, names in _PLACES.items() for name in names}
"""the module of each public name"""
_ROOMS = {name: ".".join(module.split(".")[:2]) for name, module in _WHERE.items()}
_APART = {name for name, room in _ROOMS.items() if room in ("tenfold.datasets", "tenfold.display", "tenfold.kernels")}
"""names that are imported from their folder alone: `tenfold.kernels.GaussianKernel`"""

__all__ = sorted(_WHERE.keys() - _APART)


_FOLDERS = frozenset({
    "base", "calibration", "cluster", "compose", "datasets", "decomposition", "discriminant_analysis", "display",
    "dummy", "ensemble", "exceptions", "feature_extraction", "feature_selection", "impute", "inspection",
    "kernel_approximation", "kernel_ridge", "kernels", "linear_model", "metrics", "mixture", "model_selection",
    "models", "naive_bayes", "neighbors", "neural_network", "pipeline", "preprocessing", "search", "svm", "testing",
    "theory", "tree", "utils",
})  # fmt: skip
"""folders and modules that are loaded when they are first used, `tenfold.kernels` without an import of its own"""
_ONLY_THEIRS = frozenset({
    "callback", "covariance", "cross_decomposition", "experimental", "frozen", "gaussian_process", "isotonic",
    "manifold", "multiclass", "multioutput", "random_projection", "semi_supervised",
})  # fmt: skip
"""modules that scikit-learn alone has, found below `tenfold` as well"""
_MOST_NAMED = 6
"""names that an error lists"""
_THEIR_FUNCTIONS = frozenset({"clone", "config_context", "get_config", "set_config", "show_versions"})
"""functions of `sklearn` itself"""


def __getattr__(name: str) -> Any:
    if name in _FOLDERS or name in _ONLY_THEIRS:
        return import_module(f"tenfold.{name}")
    if name in _THEIR_FUNCTIONS:
        return getattr(import_module("sklearn"), name)
    if name not in _WHERE or name in _APART:
        room, said = _room_of(name), f"module 'tenfold' has no attribute {name!r}"
        said += f". Remedy: {room}.{name}{_beside(name, room)}" if room else ""
        raise AttributeError(said, name=name, obj=sys.modules[__name__])
    globals()[name] = value = _find(name)
    return value


def _room_of(name: str) -> str:
    """Return the folder that has a name which `tenfold` itself has not, ours or scikit-learn's; empty: none has."""
    if name in _APART:
        return _ROOMS[name]
    return "" if name.startswith("_") else _rooms_of_scikit_learn().get(name, "")


def _beside(name: str, room: str) -> str:
    """Return what an error says of a name of scikit-learn: whose it is, and which classes are ours in its folder."""
    if name in _APART:
        return ""
    ours = sorted(one for one, where in _ROOMS.items() if f"{room}.".startswith(f"{where}.") and one[0].isupper())
    if not ours or not name[0].isupper():
        return ", which is scikit-learn's own"
    if len(ours) > _MOST_NAMED:
        ours = [*ours[:_MOST_NAMED], f"{len(ours) - _MOST_NAMED} more"]
    return f", which is scikit-learn's own; tenfold's own there: {', '.join(ours)}"


@cache
def _rooms_of_scikit_learn() -> dict[str, str]:
    """Return our folder for each public name of scikit-learn, read off its files: none of its modules is loaded."""
    from pathlib import Path  # only once a name was not found

    spec = find_spec("sklearn")
    rooms, within = {}, {}
    for folder in spec.submodule_search_locations or () if spec else ():
        for room in sorted((_FOLDERS | _ONLY_THEIRS) - {"experimental"}):
            for path in Path(folder, room, "__init__.py"), Path(folder, f"{room}.py"):
                if path.is_file():
                    rooms |= dict.fromkeys(_public_names(path.read_text(encoding="utf-8")), f"tenfold.{room}")
            for path in sorted(Path(folder, room).glob("[a-z]*.py")):
                within |= dict.fromkeys(_public_names(path.read_text(encoding="utf-8")), f"tenfold.{room}.{path.stem}")
    return within | rooms


def _public_names(source: str) -> set[str]:
    """Return the names in `__all__` of a module, or its own if it has none; and those it has for type checkers."""
    import ast

    listed, defined, typed = set(), set(), set()
    for node in ast.parse(source).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                listed |= {part.value for part in ast.walk(value) if isinstance(part, ast.Constant)}
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) if not name.startswith("_"):
                defined.add(name)
            case ast.If(body=body):
                typed |= {one.name for part in body if isinstance(part, ast.ImportFrom) for one in part.names}
    return {str(name) for name in listed or defined} | typed


def _find(name: str) -> Any:
    """Return the public value of a name, from whichever folder."""
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    # What is offered for completion: public names and folders, without what this file imports for itself.
    return sorted({*__all__, *_FOLDERS, *(name for name in globals() if name.startswith("__"))})


def _namespace(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a folder from which public names can be imported.

    These are the public names of tenfold below the folder, and all names of the module that scikit-learn calls so: ours
    where there is one, scikit-learn's own otherwise. `from tenfold.linear_model import Ridge` is `tenfold.Ridge`, and
    `from tenfold.ensemble import IsolationForest` is scikit-learn's.
    """
    theirs = package.replace("tenfold", "sklearn", 1)
    ours = {name for name, module in _WHERE.items() if module.startswith(f"{package}.")}

    def scikit_learn() -> Any:
        try:
            return import_module(theirs)
        except ModuleNotFoundError:  # a folder that scikit-learn has not
            return None

    def get(name: str) -> Any:
        if name in ours or (not name.startswith("_") and name in _WHERE and hasattr(scikit_learn(), name)):
            return _find(name)
        found = None if name.startswith("__") else scikit_learn()
        if hasattr(found, name) and (not name.startswith("_") or name in getattr(found, "__all__", ())):
            return getattr(found, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names() -> list[str]:
        found = scikit_learn()
        return sorted({*ours, *(name for name in dir(found) if found is not None and not name.startswith("_"))})

    return get, names, sorted(ours)


class _ScikitLearnModules:
    """Finder of modules that scikit-learn alone has: `tenfold.isotonic`, `tenfold.metrics.pairwise`.

    It comes last among Python's finders, so it is asked only for what tenfold has no file of.
    """

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        package, _, rest = name.partition(".")
        if package != "tenfold" or not rest or any(part.startswith("_") for part in rest.split(".")):
            return None
        try:
            theirs = find_spec(f"sklearn.{rest}")
        except ModuleNotFoundError:  # of its parent
            theirs = None
        if theirs is None:
            if room := _room_of(rest):  # `from tenfold import KNNImputer` looks for such a module at last
                remedy = f"from {room} import {rest}{_beside(rest, room)}"
                raise ImportError(f"cannot import name {rest!r} from 'tenfold'. Remedy: {remedy}", name="tenfold")
            return None
        return ModuleSpec(name, self, is_package=theirs.submodule_search_locations is not None)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        import_module(module.__name__.replace("tenfold", "sklearn", 1))  # some do their work when they are imported
        found = _namespace(module.__name__)
        module.__getattr__, module.__dir__, module.__all__ = found  # type: ignore[method-assign, attr-defined]


sys.meta_path.append(_ScikitLearnModules())  # type: ignore[arg-type]
