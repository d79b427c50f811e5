"""Bounds of learning theory, as plain functions.

Numbers in, a `Bound` out: its value, what must hold for it, the formula, and whether it says anything.
How many rows, what error and how sure are asked by `sample_size`, `error_bound` and `failure_probability`;
each inverts the others.
"""

from tenfold.theory.bounds.boosting_bound import adaboost_bound, adaboost_rounds
from tenfold.theory.bounds.bound import Bound
from tenfold.theory.bounds.concentration import (
    chernoff,
    chernoff_radius,
    chernoff_size,
    hoeffding,
    hoeffding_radius,
    hoeffding_size,
)
from tenfold.theory.bounds.held_out import binomial_lower, binomial_tail, binomial_upper, held_out_bound, held_out_size
from tenfold.theory.bounds.margin_bound import margin_dimension
from tenfold.theory.bounds.mistakes import (
    find_s_mistakes,
    halving_mistakes,
    perceptron_mistakes,
    weighted_majority_mistakes,
)
from tenfold.theory.bounds.nearest_neighbors import cover_hart, cover_hart_lower
from tenfold.theory.bounds.necessary import necessary_sample_size
from tenfold.theory.bounds.occam import compression_bound, occam_bound
from tenfold.theory.bounds.pac import (
    confidence,
    error_bound,
    failure_probability,
    monomial_sample_size,
    sample_size,
)
from tenfold.theory.bounds.pac_bayes import pac_bayes_bound, pac_bayes_margin_bound
from tenfold.theory.classes.class_size import class_size
from tenfold.theory.classes.classes import (
    log_all_concepts,
    log_attribute_conjunctions,
    log_conjunctions,
    log_k_cnf,
    log_k_term_dnf,
    log_trees,
)
from tenfold.theory.classes.epsilon_net import epsilon_net_failure, epsilon_net_size, is_epsilon_net
from tenfold.theory.classes.labellings import (
    cover_count,
    cover_probability,
    growth,
    log_growth,
    polynomial_growth,
)
from tenfold.theory.classes.separability import (
    Separation,
    in_general_position,
    linearly_separable,
    radon,
    signed_distance,
)
from tenfold.theory.classes.shattering import growth_function, labellings, shatters, vc_dimension
from tenfold.theory.conditioning import condition_number, minimum_shift
from tenfold.theory.convex_problem import ConvexProblem
from tenfold.theory.divergence import kl_bernoulli, kl_lower, kl_upper
from tenfold.theory.duality import dual_value, lagrangian, strictly_feasible
from tenfold.theory.optimality import Residuals, kkt, kkt_box, kkt_svm
from tenfold.theory.shortest_tree import ShortestTree, shortest_tree

__all__ = [
    "Bound",
    "ConvexProblem",
    "Residuals",
    "Separation",
    "ShortestTree",
    "adaboost_bound",
    "adaboost_rounds",
    "binomial_lower",
    "binomial_tail",
    "binomial_upper",
    "chernoff",
    "chernoff_radius",
    "chernoff_size",
    "class_size",
    "compression_bound",
    "condition_number",
    "confidence",
    "cover_count",
    "cover_hart",
    "cover_hart_lower",
    "cover_probability",
    "dual_value",
    "epsilon_net_failure",
    "epsilon_net_size",
    "error_bound",
    "failure_probability",
    "find_s_mistakes",
    "growth",
    "growth_function",
    "halving_mistakes",
    "held_out_bound",
    "held_out_size",
    "hoeffding",
    "hoeffding_radius",
    "hoeffding_size",
    "in_general_position",
    "is_epsilon_net",
    "kkt",
    "kkt_box",
    "kkt_svm",
    "kl_bernoulli",
    "kl_lower",
    "kl_upper",
    "labellings",
    "lagrangian",
    "linearly_separable",
    "log_all_concepts",
    "log_attribute_conjunctions",
    "log_conjunctions",
    "log_growth",
    "log_k_cnf",
    "log_k_term_dnf",
    "log_trees",
    "margin_dimension",
    "minimum_shift",
    "monomial_sample_size",
    "necessary_sample_size",
    "occam_bound",
    "pac_bayes_bound",
    "pac_bayes_margin_bound",
    "perceptron_mistakes",
    "polynomial_growth",
    "radon",
    "sample_size",
    "shatters",
    "shortest_tree",
    "signed_distance",
    "strictly_feasible",
    "vc_dimension",
    "weighted_majority_mistakes",
]
