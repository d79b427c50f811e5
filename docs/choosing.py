"""Which learner for which problem: what is written by hand of the table in `choosing.rst`, a row for each learner.

The rest of a row (which columns, how often rows are read, lazy or eager) is what the classes declare. n is rows, p
columns or features, c classes, k clusters or components or neighbours, t members, trees or rounds.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Bias = Literal["restriction", "preference", "both", "none"]


class Choice(NamedTuple):
    """What a learner is for, by which bias it generalises, and what it costs."""

    problem: str
    bias: Bias
    words: str
    """what is restricted or preferred"""
    fit: str
    """how the time of a fit grows"""
    predict: str
    """how the time for one row grows"""


NUMBER, CLASSES, COUNTS, GROUPS, FEATURES = "a number", "classes", "counts or sizes", "groups", "features"
DENSITY, CONCEPT, ORDERED = "how likely rows are", "a concept", "sequences"
COLUMNS = "a description of the columns"
PROBLEMS = (NUMBER, COUNTS, CLASSES, CONCEPT, GROUPS, DENSITY, ORDERED, COLUMNS, FEATURES)
"""in the order of the table"""
BIASES = {
    "restriction": "restriction",
    "preference": "preference",
    "both": "restriction and preference",
}
LINE = "a linear function of the columns"
PLANES = "classes parted by planes"
ALONE = "columns independent within a class"
SMALL = "small trees, gain at once"
LOCAL = "near rows alike"
MEAN = "members that err apart"


def linear(problem: str, words: str, fit: str = "n p²") -> Choice:
    """A linear model: a hyperplane is all it can say."""
    return Choice(problem, "restriction", words, fit, "p")


def tree(problem: str, words: str = SMALL) -> Choice:
    """A decision tree: it can say anything, and prefers what is short."""
    return Choice(problem, "preference", words, "n p log n", "depth")


def feature(words: str, fit: str = "n p", predict: str = "p", bias: Bias = "none") -> Choice:
    """A transformer: it does not predict, and its bias is that of what comes after it."""
    return Choice(FEATURES, bias, words, fit, predict)


CHOICES: dict[str, Choice] = {
    "AdaBoostClassifier": Choice(CLASSES, "preference", "large margins of weighted votes", "t n p", "t"),
    "BaggingClassifier": Choice(CLASSES, "preference", MEAN, "t times a member", "t times a member"),
    "BaggingRegressor": Choice(NUMBER, "preference", MEAN, "t times a member", "t times a member"),
    "BayesOptimalClassifier": Choice(
        CLASSES, "both", "the hypotheses given, by their prior", "n hypotheses", "hypotheses"
    ),
    "BayesianNetworkDensity": Choice(DENSITY, "restriction", "the graph given", "n p", "p"),
    "BayesianNetworkEM": Choice(DENSITY, "restriction", "the graph given, some values unseen", "t n cells", "cells"),
    "BernoulliNB": Choice(CLASSES, "restriction", f"{ALONE}, each 0 or 1", "n p", "p c"),
    "BisectingKMeans": Choice(
        GROUPS, "restriction", "groups by cutting in two, each round and of one width", "n p log k", "p log k"
    ),
    "BridgeRegression": Choice(NUMBER, "both", f"{LINE}; small weights, few of them large", "n p²", "p"),
    "C45": tree(CLASSES, "small trees, gain ratio at once, pessimistic pruning"),
    "CART": tree(CLASSES, "small trees, Gini at once"),
    "CandidateElimination": Choice(CONCEPT, "restriction", "a conjunction of attributes", "n p boundary", "p boundary"),
    "CategoricalHMM": Choice(ORDERED, "restriction", "a hidden state that depends on the last alone", "t n k²", "k²"),
    "CategoricalNB": Choice(CLASSES, "restriction", f"{ALONE}, of categories", "n p", "p c"),
    "ComplementNB": Choice(
        CLASSES, "restriction", "words independent of each other, rare classes by their complement", "n p", "p c"
    ),
    "DecisionStump": Choice(CLASSES, "restriction", "one question about one column", "n p", "1"),
    "DecisionTreeClassifier": tree(CLASSES),
    "DecisionTreeRegressor": tree(NUMBER),
    "DummyClassifier": Choice(CLASSES, "restriction", "no column matters: the floor to beat", "n", "1"),
    "DummyRegressor": Choice(NUMBER, "restriction", "no column matters: the floor to beat", "n", "1"),
    "ElasticNet": Choice(NUMBER, "both", f"{LINE}; few and small weights", "n p²", "p"),
    "ElasticNetCV": Choice(NUMBER, "both", f"{LINE}; few and small weights, by folds", "n p²", "p"),
    "ExtraTreesClassifier": Choice(
        CLASSES, "preference", "means of trees whose cuts are drawn", "t n p log n", "t depth"
    ),
    "ExtraTreesRegressor": Choice(
        NUMBER, "preference", "means of trees whose cuts are drawn", "t n p log n", "t depth"
    ),
    "FindS": Choice(CONCEPT, "both", "a conjunction; the most specific one", "n p", "p"),
    "FisherDiscriminant": linear(CLASSES, PLANES),
    "GammaRegressor": Choice(COUNTS, "both", "the logarithm of the mean is linear; small weights", "t n p²", "p"),
    "GaussianHMM": Choice(
        ORDERED,
        "restriction",
        "a hidden state that depends on the last alone, normal rows",
        "t n k (k + p²)",
        "k (k + p²)",
    ),
    "GaussianMixture": Choice(GROUPS, "restriction", "rows from k normal distributions", "t n k p²", "k p²"),
    "GaussianNB": Choice(CLASSES, "restriction", f"{ALONE}, each normal", "n p", "p c"),
    "GradientBoostingClassifier": Choice(
        CLASSES, "preference", "sums of small trees, each a small step", "t n p", "t depth"
    ),
    "GradientBoostingRegressor": Choice(
        NUMBER, "preference", "sums of small trees, each a small step", "t n p", "t depth"
    ),
    "HMMClassifier": Choice(ORDERED, "restriction", "a class that depends on the last one alone", "n", "c²"),
    "HistGradientBoostingClassifier": Choice(
        CLASSES, "preference", "sums of small trees, each a small step", "t n p", "t depth"
    ),
    "HistGradientBoostingRegressor": Choice(
        NUMBER, "preference", "sums of small trees, each a small step", "t n p", "t depth"
    ),
    "ID3": tree(CLASSES, "small trees, information gain at once"),
    "KCNF": Choice(CONCEPT, "both", "clauses of at most k literals; the most specific", "n pᵏ", "clauses"),
    "KDNF": Choice(CONCEPT, "both", "terms of at most k literals; the most general", "n pᵏ", "terms"),
    "KMeans": Choice(GROUPS, "restriction", "round groups of one width", "t n p k", "p k"),
    "KNeighborsClassifier": Choice(CLASSES, "preference", LOCAL, "n p", "n p"),
    "KNeighborsRegressor": Choice(NUMBER, "preference", LOCAL, "n p", "n p"),
    "KernelPerceptron": Choice(CLASSES, "restriction", "planes in the space of the kernel", "t n²", "support p"),
    "KernelRidge": Choice(NUMBER, "preference", "functions that are smooth by the kernel", "n³", "n p"),
    "Lasso": Choice(NUMBER, "both", f"{LINE}; few weights", "n p²", "p"),
    "LassoCV": Choice(NUMBER, "both", f"{LINE}; few weights, by folds", "n p²", "p"),
    "LeastSquaresClassifier": linear(CLASSES, PLANES),
    "LinearDiscriminantAnalysis": linear(CLASSES, "normal classes of one covariance"),
    "LinearRegression": linear(NUMBER, LINE),
    "LinearSVC": Choice(CLASSES, "both", f"{PLANES}; a wide margin", "t n p", "p"),
    "LinearSVR": Choice(NUMBER, "both", f"{LINE}; small weights, small errors free", "t n p", "p"),
    "ListThenEliminate": Choice(CONCEPT, "restriction", "the hypotheses listed", "n hypotheses", "hypotheses"),
    "LocallyWeightedRegression": Choice(NUMBER, "preference", "near rows on one line", "n p", "n p + k p²"),
    "LogisticRegression": Choice(CLASSES, "both", "log-odds are linear; small weights", "t n p²", "p c"),
    "MarkovChain": Choice(ORDERED, "restriction", "a symbol depends on those just before", "n", "1"),
    "MaxAbsScaler": feature("columns divided by their largest value"),
    "MinMaxScaler": feature("columns from 0 to 1"),
    "MiniBatchKMeans": Choice(GROUPS, "restriction", "round groups of one width", "n p k", "p k"),
    "MultinomialNB": Choice(CLASSES, "restriction", "words independent of each other", "n p", "p c"),
    "NaiveBayes": Choice(CLASSES, "restriction", f"{ALONE}, each of its own kind", "n p", "p c"),
    "Nystroem": feature("the space of a kernel, seen from some rows", "k³ + n k p", "k p", "restriction"),
    "OneHotEncoder": feature("categories as columns of 0 and 1"),
    "OrdinalEncoder": feature("categories as numbers"),
    "RobustScaler": feature("columns by median and quartiles", "n p log n"),
    "QuantileTransformer": feature("ranks of values", "n p log n"),
    "KBinsDiscretizer": feature("intervals of values", "n p log n"),
    "PowerTransformer": feature("powers that make columns normal", "n p log n"),
    "CountVectorizer": feature("words without their order", "letters", "letters", "restriction"),
    "TfidfVectorizer": feature("words without their order", "letters", "letters", "restriction"),
    "DateParts": feature("year, month, weekday, hour of dates"),
    "FunctionTransformer": feature("a function of your own"),
    "SimpleImputer": feature("missing values filled in", "n p log n"),
    "PCA": feature("directions of large variance", "n p²", "p k", "restriction"),
    "Adaline": Choice(CLASSES, "both", f"{PLANES}; near to where it began", "t n p, or n p²", "p c"),
    "Perceptron": Choice(CLASSES, "restriction", PLANES, "t n p", "p"),
    "PoissonRegressor": Choice(COUNTS, "both", "the logarithm of the mean is linear; small weights", "t n p²", "p"),
    "PolynomialFeatures": feature("products of columns", "1", "features"),
    "PolynomialRegression": linear(NUMBER, "a polynomial of the columns", "n features²"),
    "QuadraticDiscriminantAnalysis": Choice(CLASSES, "restriction", "normal classes", "n p²", "c p²"),
    "RBFNetworkClassifier": Choice(CLASSES, "both", "bumps around centres; small weights", "t n p k", "p k"),
    "RBFNetworkRegressor": Choice(NUMBER, "both", "bumps around centres; small weights", "t n p k", "p k"),
    "MLPClassifier": Choice(
        CLASSES, "both", "smooth bends of planes; near to where it began", "t n weights", "weights"
    ),
    "MLPRegressor": Choice(NUMBER, "both", "smooth bends of planes; near to where it began", "t n weights", "weights"),
    "Profile": Choice(COLUMNS, "none", "each column by itself, and the target by its values", "n p log n", "none"),
    "RNNClassifier": Choice(
        ORDERED,
        "both",
        "a state that each row changes; near to where it began",
        "t n weights",
        "weights",
    ),
    "RNNRegressor": Choice(
        ORDERED,
        "both",
        "a state that each row changes; near to where it began",
        "t n weights",
        "weights",
    ),
    "TransformerClassifier": Choice(
        ORDERED,
        "both",
        "rows that look at each other; near to where it began",
        "t n (weights + length)",
        "weights + length",
    ),
    "RadialBasis": feature("bumps around centres", "n p", "p k"),
    "RBFSampler": feature("the space of a kernel, by random waves", "p k", "p k", "restriction"),
    "RandomForestClassifier": Choice(
        CLASSES, "preference", "means of trees that see unlike rows and columns", "t n p log n", "t depth"
    ),
    "RandomForestRegressor": Choice(
        NUMBER, "preference", "means of trees that see unlike rows and columns", "t n p log n", "t depth"
    ),
    "Ridge": Choice(NUMBER, "both", f"{LINE}; small weights", "n p²", "p"),
    "RidgeCV": Choice(NUMBER, "both", f"{LINE}; small weights, by folds", "n p²", "p"),
    "RuleListClassifier": Choice(CLASSES, "preference", "short rules, one after another", "rules n p", "rules"),
    "SGDClassifier": Choice(CLASSES, "both", f"{PLANES}; near to where it began", "t n p", "p c"),
    "SGDRegressor": Choice(NUMBER, "both", f"{LINE}; near to where it began", "t n p", "p"),
    "SLIQ": tree(CLASSES, "small trees, Gini at once"),
    "SVC": Choice(CLASSES, "preference", "a wide margin in the space of the kernel", "n² to n³", "support p"),
    "SVR": Choice(
        NUMBER, "preference", "functions that are flat by the kernel, small errors free", "n² to n³", "support p"
    ),
    "SelectKBest": feature("columns that tell by themselves", bias="restriction"),
    "SelectPercentile": feature("columns that tell by themselves", bias="restriction"),
    "SigmoidBasis": feature("steps along the columns", "n p", "p k"),
    "StackingClassifier": Choice(
        CLASSES, "both", "what the last learner makes of its members", "folds times members", "members"
    ),
    "StackingRegressor": Choice(
        NUMBER, "both", "what the last learner makes of its members", "folds times members", "members"
    ),
    "SplineTransformer": feature("smooth curves between knots", "n p log n", "p k"),
    "StandardScaler": feature("columns of mean 0 and deviation 1"),
    "TanhBasis": feature("steps along the columns", "n p", "p k"),
    "TextFeatures": feature("words without their order", "letters", "letters", "restriction"),
    "TreeAugmentedNB": Choice(CLASSES, "restriction", "columns in a tree within a class", "n p²", "p c"),
    "ColumnTransformer": feature("what its transformers do, each of its columns", "members", "members"),
    "FeatureUnion": feature("what its transformers do, side by side", "members", "members"),
    "TargetEncoder": feature("categories as means of the target", "n p", "p"),
    "Normalizer": feature("rows of length 1", "1"),
    "TruncatedSVD": feature("directions of large sums of squares", "n p²", "p k", "restriction"),
    "VarianceThreshold": feature("columns whose variance is above a threshold"),
    "VotingClassifier": Choice(CLASSES, "preference", MEAN, "members", "members"),
    "VotingRegressor": Choice(NUMBER, "preference", MEAN, "members", "members"),
}
