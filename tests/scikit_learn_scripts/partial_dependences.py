"""How predictions depend on one column or two."""

# tolerance: 0.02
import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.inspection import PartialDependenceDisplay, partial_dependence
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True)
y = y / y.std()
line = LinearRegression().fit(X, y)
found = partial_dependence(line, X, features="bmi", grid_resolution=10, kind="average")
print("grid", found["grid_values"][0][:3], len(found["grid_values"]))
print("average", found["average"].shape, found["average"][0, -1] - found["average"][0, 0])
two = partial_dependence(line, X, features=("bmi", "bp"), grid_resolution=5)
print("two", two["average"].shape)
single = partial_dependence(line, X, features=2, grid_resolution=4, kind="individual")
print("each", single["individual"].shape[0], single["individual"].shape[2])
tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
display = PartialDependenceDisplay.from_estimator(tree, X, ["bmi", "s5"], grid_resolution=8)
print("axes", len(display.axes_.ravel()))
plt.close("all")
