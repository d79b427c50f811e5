"""Laws and checks, published: put them on learners of your own.

>>> from tenfold import StandardScaler
>>> from tenfold.testing import check_laws
>>> check_laws(StandardScaler(), draws=3)
"""

from tenfold.engine.executors.simulated import Hazards, Memo, Simulated
from tenfold.testing.comparison import bits
from tenfold.testing.data import draw
from tenfold.testing.laws import LAWS, check_law, check_laws
from tenfold.testing.runner_laws import check_runner
from tenfold.testing.schedules import check_schedules
from tenfold.testing.scikit_learn_checks import check_contract

__all__ = [
    "LAWS",
    "Hazards",
    "Memo",
    "Simulated",
    "bits",
    "check_contract",
    "check_law",
    "check_laws",
    "check_runner",
    "check_schedules",
    "draw",
]
