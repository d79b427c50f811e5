from typing import Any

from tenfold.tree.decision_stump import DecisionStump as DecisionStump
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier as DecisionTreeClassifier
from tenfold.tree.decision_tree_regressor import DecisionTreeRegressor as DecisionTreeRegressor
from tenfold.tree.presets import C45 as C45
from tenfold.tree.presets import CART as CART
from tenfold.tree.presets import ID3 as ID3
from tenfold.tree.presets import SLIQ as SLIQ
from tenfold.tree.rules.rule_list_classifier import RuleListClassifier as RuleListClassifier

def __getattr__(name: str) -> Any: ...
