from typing import Any

from tenfold.concept.bayes_optimal_classifier import BayesOptimalClassifier as BayesOptimalClassifier
from tenfold.concept.candidate_elimination import CandidateElimination as CandidateElimination
from tenfold.concept.clauses.k_cnf import KCNF as KCNF
from tenfold.concept.clauses.k_dnf import KDNF as KDNF
from tenfold.concept.clauses.k_term_dnf import k_term_dnf as k_term_dnf
from tenfold.concept.conflict import Conflict as Conflict
from tenfold.concept.conflict import find_conflict as find_conflict
from tenfold.concept.conjunction import Conjunction as Conjunction
from tenfold.concept.find_s import FindS as FindS
from tenfold.concept.list_then_eliminate import ListThenEliminate as ListThenEliminate
from tenfold.concept.version_space import VersionSpace as VersionSpace

def __getattr__(name: str) -> Any: ...
