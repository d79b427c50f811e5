"""Load a data set, split it, fit, predict and score."""

# tolerance: 0.02
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=42, stratify=y)
print("rows", X_train.shape, X_test.shape)

scaler = StandardScaler().fit(X_train)
model = LogisticRegression(C=0.5).fit(scaler.transform(X_train), y_train)
print("classes", model.classes_)
print("accuracy", accuracy_score(y_test, model.predict(scaler.transform(X_test))))
print("score", model.score(scaler.transform(X_test), y_test))
print("log loss", log_loss(y_test, model.predict_proba(scaler.transform(X_test))))
