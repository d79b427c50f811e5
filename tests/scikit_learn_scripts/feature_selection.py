"""Choose columns by scores, by coefficients, and one after another."""

# tolerance: 0.001
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
    f_classif,
    mutual_info_classif,
)
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
scaled = StandardScaler().set_output(transform="pandas").fit_transform(X)
best = SelectKBest(f_classif, k=5).fit(scaled, y)
print("best", list(best.get_feature_names_out()))
print("information", mutual_info_classif(X.iloc[:, :3], y, random_state=0).shape)
rfe = RFE(LogisticRegression(tol=1e-8, max_iter=1000), n_features_to_select=6, step=4).fit(scaled, y)
print("rfe", list(scaled.columns[rfe.support_]))
lasso = SelectFromModel(Lasso(alpha=0.05)).fit(scaled, y)
print("lasso", list(lasso.get_feature_names_out()))
forest = SelectFromModel(RandomForestClassifier(30, random_state=0), max_features=4, threshold=-1e9).fit(scaled, y)
print("forest", forest.transform(scaled).shape)
forward = SequentialFeatureSelector(Ridge(), n_features_to_select=2, cv=3).fit(scaled.iloc[:, :8], y)
print("forward", list(forward.get_feature_names_out()))
pipe = make_pipeline(VarianceThreshold(1e-3), StandardScaler(), SelectKBest(k=8), LogisticRegression(tol=1e-8)).fit(
    X, y
)
print("pipe", pipe.fit(X, y).score(X, y))
