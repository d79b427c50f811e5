"""The canon cut into clauses: what each topic asks for, the public name that does it, and the test that checks it.

The second table of `docs/canon.rst` is made from it, and `tests/test_canon.py` holds it against tests and public names.
Topics are those of that page; one with a plus, such as `K2+`, goes beyond its topic.
"""

from __future__ import annotations

from typing import NamedTuple


class Clause(NamedTuple):
    """One thing that a topic asks for."""

    topic: str
    words: str
    name: str
    """what is public, below `tenfold`"""
    test: str
    """path below `tests/` and name of the test function"""


def _clauses(topic: str, *each: tuple[str, str, str]) -> tuple[Clause, ...]:
    return tuple(Clause(topic, *one) for one in each)


CLAUSES = (
    *_clauses(
        "C1",
        (
            "hypotheses with a value, any value or none in each place, as values that compare and hash",
            "Conjunction",
            "concept/test_version_space.py::test_conjunctions_are_values_in_a_partial_order",
        ),
        (
            "what a hypothesis covers",
            "concept.conjunction.covers",
            "concept/test_conjunction.py::test_a_conjunction_covers_the_rows_that_agree_in_every_place",
        ),
        (
            "consistent: it covers all positives and no negative",
            "concept.conjunction.consistent",
            "concept/test_conjunction.py::test_consistent_is_complete_and_correct",
        ),
        (
            "more general is to cover more",
            "concept.conjunction.more_general_than",
            "concept/test_conjunction.py::test_more_general_is_to_cover_more_rows",
        ),
        (
            "more specific is to cover less",
            "concept.conjunction.more_specific_than",
            "concept/test_conjunction.py::test_more_general_is_to_cover_more_rows",
        ),
    ),
    *_clauses(
        "C2",
        (
            "Find-S: the most specific conjunction that covers the positives",
            "FindS",
            "concept/test_find_s.py::test_is_the_most_specific_conjunction",
        ),
        ("conjunctions of boolean columns", "KCNF", "concept/test_k_cnf.py::test_of_one_literal_it_is_find_s"),
        (
            "disjunctions of boolean columns, and the answer that there is none",
            "KDNF",
            "concept/test_k_cnf.py::test_disjunctions_and_the_answer_no",
        ),
        (
            "models of parts join to that of all rows",
            "FindS",
            "concept/test_find_s.py::test_merging_joins_and_says_that_negatives_are_not_tested",
        ),
        (
            "negatives are tested, and the first that is covered is named",
            "FindS",
            "concept/test_find_s.py::test_is_the_most_specific_conjunction",
        ),
    ),
    *_clauses(
        "C2+",
        (
            "Find-S the other way round: from the most general hypothesis down",
            "VersionSpace",
            "concept/test_candidate_elimination.py::test_negatives_alone_go_down_from_the_most_general_hypothesis",
        ),
    ),
    *_clauses(
        "C3",
        (
            "the version space: all hypotheses that are consistent",
            "VersionSpace",
            "concept/test_version_space.py::test_boundaries_size_and_votes_equal_brute_force",
        ),
        (
            "its most general and most specific boundary",
            "VersionSpace",
            "concept/test_candidate_elimination.py::test_boundaries_equal_the_list_on_1000_spaces",
        ),
        (
            "candidate elimination",
            "CandidateElimination",
            "concept/test_candidate_elimination.py::test_candidate_elimination_equals_list_then_eliminate",
        ),
        (
            "predictions that are unanimous, left open, or by majority",
            "VersionSpace.classify",
            "concept/test_version_space.py::test_votes_posterior_and_evidence_of_enjoy_sport",
        ),
        (
            "a concept is identified once one hypothesis is left",
            "VersionSpace.has_converged",
            "concept/test_version_space.py::test_boundaries_size_and_votes_equal_brute_force",
        ),
        (
            "an empty version space names the row that emptied it",
            "CandidateElimination",
            "concept/test_candidate_elimination.py::test_an_empty_space_names_the_first_negative_that_is_covered",
        ),
    ),
    *_clauses(
        "C3+",
        (
            "candidate elimination over taxonomies and intervals",
            "CandidateElimination",
            "concept/test_candidate_attributes.py::test_boundaries_are_those_of_a_version_space_example_by_example",
        ),
    ),
    *_clauses(
        "C4",
        (
            "the power set gives every unseen row half of the votes",
            "ListThenEliminate",
            "concept/test_candidate_elimination.py::test_the_power_set_gives_every_unseen_row_half_the_votes",
        ),
        (
            "list-then-eliminate over hypotheses that are any functions",
            "ListThenEliminate",
            "concept/test_function_hypotheses.py::test_eliminated_one_by_one",
        ),
    ),
    *_clauses(
        "C5",
        ("k-CNF", "KCNF", "concept/test_k_cnf.py::test_against_brute_force"),
        ("k-DNF", "KDNF", "concept/test_k_cnf.py::test_against_brute_force"),
        (
            "a disjunction of three terms is learned as 3-CNF",
            "KCNF",
            "concept/test_k_cnf.py::test_a_disjunction_of_three_terms_is_learned_as_3_cnf",
        ),
    ),
    *_clauses(
        "C6",
        (
            "whether k terms are consistent with the examples",
            "k_term_dnf",
            "concept/test_k_term_dnf.py::test_against_brute_force",
        ),
        (
            "colours of a graph as terms, and terms as colours",
            "concept.clauses.graph_coloring.examples_of_graph",
            "concept/test_k_term_dnf.py::test_200_random_graphs",
        ),
        (
            "a learner with ε = 1/(m + 1) decides consistency",
            "concept.clauses.k_term_dnf.consistency_by_learning",
            "concept/test_k_term_dnf.py::test_a_learner_decides_consistency",
        ),
    ),
    *_clauses(
        "C7",
        (
            "the question that halves the version space",
            "VersionSpace.query",
            "concept/test_version_space.py::test_the_query_halves_and_questions_identify_every_concept",
        ),
    ),
    *_clauses(
        "T1",
        ("rows for a finite class", "theory.sample_size", "theory/test_pac.py::test_error_inverts_size"),
        ("the error that so many rows leave", "theory.error_bound", "theory/test_pac.py::test_formulas"),
        ("the chance that it is larger", "theory.failure_probability", "theory/test_pac.py::test_formulas"),
    ),
    *_clauses(
        "T2",
        ("agnostic learning of a finite class", "theory.sample_size", "theory/test_pac.py::test_formulas"),
        ("Hoeffding's inequality", "theory.hoeffding", "theory/test_concentration.py::test_both_cover_the_exact_tails"),
    ),
    *_clauses(
        "T2+",
        (
            "C (d + ln 1/δ)/ε² rows where no hypothesis need be right",
            "theory.sample_size",
            "theory/test_pac.py::test_chaining_is_the_rate_with_its_constant",
        ),
    ),
    *_clauses(
        "T3",
        ("rows by the VC dimension", "theory.sample_size", "theory/test_pac.py::test_worked_numbers"),
        (
            "how far the true error may be above that of the sample",
            "theory.error_bound",
            "theory/test_pac.py::test_vc_gap_holds_by_exact_symmetrization",
        ),
        (
            "the growth function, and Sauer's bound on it",
            "theory.growth",
            "theory/test_classes_labellings.py::test_sauer_by_enumeration",
        ),
        (
            "its closed form (em/d)ᵈ",
            "theory.log_growth",
            "theory/test_classes_labellings.py::test_erratum_9_the_fraction_the_other_way_up_is_false",
        ),
        (
            "agnostic rows, by inverting the bound on the error",
            "theory.sample_size",
            "theory/test_pac.py::test_worked_numbers",
        ),
    ),
    *_clauses(
        "T3+",
        (
            "the growth function is at most (m + 1)ᵈ",
            "theory.polynomial_growth",
            "theory/test_classes_labellings.py::test_polynomial_growth_is_not_below_sauer",
        ),
    ),
    *_clauses(
        "T4",
        ("rows for conjunctions", "theory.monomial_sample_size", "theory/test_pac.py::test_worked_numbers"),
        (
            "how many conjunctions, k-CNF, k-term DNF and trees there are",
            "theory.class_size",
            "theory/test_shattering.py::test_sizes_are_those_of_the_logarithms",
        ),
    ),
    *_clauses(
        "T5",
        (
            "whether a class shatters points",
            "theory.shatters",
            "theory/test_shattering.py::test_half_spaces_have_dimension_d_plus_one",
        ),
        (
            "the VC dimension of a finite class or a function",
            "theory.vc_dimension",
            "theory/test_shattering.py::test_finite_classes_by_brute_force",
        ),
        (
            "separability by a linear program, with a plane or a proof that there is none",
            "theory.linearly_separable",
            "theory/test_shattering.py::test_separations_prove_themselves",
        ),
        (
            "Radon's partition",
            "theory.radon",
            "theory/test_shattering.py::test_radon_partitions_cannot_be_separated",
        ),
    ),
    *_clauses(
        "T6",
        (
            "the number of linear separations",
            "theory.cover_count",
            "theory/test_classes_labellings.py::test_cover_by_enumeration",
        ),
        (
            "the chance that a labelling is separable",
            "theory.cover_probability",
            "theory/test_classes_labellings.py::test_the_chance_of_a_separation_is_its_share_of_all_labellings",
        ),
        (
            "its transition at n = 2(d + 1)",
            "theory.cover_probability",
            "theory/test_classes_labellings.py::test_erratum_5_cover_is_one_half_at_the_transition",
        ),
        (
            "general position, which the count needs",
            "theory.in_general_position",
            "theory/test_shattering.py::test_general_position_is_what_the_count_needs",
        ),
    ),
    *_clauses(
        "T7",
        (
            "the VC dimension of planes with a margin",
            "theory.margin_dimension",
            "theory/test_mistakes_margins.py::test_corners_of_a_simplex",
        ),
        (
            "mistakes of a perceptron",
            "theory.perceptron_mistakes",
            "theory/test_mistakes_margins.py::test_perceptron",
        ),
        ("training error of AdaBoost", "theory.adaboost_bound", "theory/test_boosting.py::test_never_exceeded"),
    ),
    *_clauses(
        "T8",
        (
            "the mean squared error is variance and squared bias",
            "bias_variance",
            "model_selection/curves/test_bias_variance.py::test_ridge_on_a_fixed_design_has_the_parts_of_the_closed_form",
        ),
        (
            "both parts by simulation or bootstrap",
            "bias_variance",
            "model_selection/curves/test_bias_variance.py::"
            "test_least_squares_on_disjoint_sets_has_the_variance_of_the_closed_form",
        ),
    ),
    *_clauses(
        "T8+",
        (
            "bias and variance of an estimate, by the trace of its covariance",
            "estimate_error",
            "model_selection/curves/test_estimate_error.py::test_ridge_has_the_bias_and_the_covariance_of_its_closed_form",
        ),
    ),
    *_clauses(
        "T9",
        (
            "the bound of a test set, by the tail of the binomial",
            "theory.held_out_bound",
            "theory/test_held_out_occam.py::test_held_out_fails_no_more_often_than_delta",
        ),
        ("Occam's bound", "theory.occam_bound", "theory/test_held_out_occam.py::test_occam_meets_its_neighbours"),
        (
            "the bound of compression",
            "theory.compression_bound",
            "theory/test_held_out_occam.py::test_compression_by_hand",
        ),
        (
            "the PAC-Bayes bound of margins",
            "theory.pac_bayes_margin_bound",
            "theory/test_pac_bayes.py::test_margins",
        ),
    ),
    *_clauses(
        "T10",
        (
            "the Lagrangian, and its least value",
            "theory.lagrangian",
            "theory/test_shattering.py::test_weak_and_strong_duality",
        ),
        (
            "weak and strong duality",
            "theory.dual_value",
            "theory/test_shattering.py::test_weak_and_strong_duality",
        ),
        (
            "well-posed problems: how far a minimum moves",
            "theory.minimum_shift",
            "theory/test_conditioning.py::test_no_minimum_moves_farther",
        ),
        (
            "residuals of the conditions of Karush, Kuhn and Tucker, of any convex problem",
            "theory.ConvexProblem",
            "theory/test_convex_problem.py::test_logistic_regression_beside_scipy",
        ),
    ),
    *_clauses(
        "T11",
        (
            "whether a sample hits every region of weight ε",
            "theory.is_epsilon_net",
            "theory/test_shattering.py::test_epsilon_nets_by_going_through_the_regions",
        ),
        (
            "how often draws fail to",
            "theory.epsilon_net_failure",
            "theory/test_shattering.py::test_nets_fail_no_more_often_than_said_and_sizes_invert",
        ),
    ),
    *_clauses(
        "T12",
        (
            "Haussler's bound on how often a version space is not exhausted",
            "theory.failure_probability",
            "concept/test_version_space.py::test_haussler_bounds_how_often_a_space_is_not_exhausted",
        ),
        (
            "whether a version space is exhausted, with errors below ε or at most ε",
            "VersionSpace.is_exhausted",
            "concept/test_version_space.py::test_exhausted_is_what_the_worst_member_says",
        ),
    ),
    *_clauses(
        "D1",
        (
            "trees from the top down, a branch a category, by entropy",
            "DecisionTreeClassifier",
            "tree/test_play_tennis.py::test_the_tree_node_by_node",
        ),
        ("presets: ID3, C4.5, CART and SLIQ", "ID3", "tree/test_presets.py::test_each_is_the_tree_of_its_book"),
    ),
    *_clauses(
        "D2",
        (
            "impurities: entropy, Gini, misclassification",
            "split_gains",
            "inspection/test_split_gains.py::test_against_all_splits",
        ),
        ("gain", "split_gains", "tree/test_play_tennis.py::test_gains_to_six_digits"),
        (
            "gain ratio, by the split information",
            "split_gains",
            "tree/test_play_tennis.py::test_erratum_12_entropy_and_split_information",
        ),
        (
            "gains per cost of a column",
            "DecisionTreeClassifier",
            "tree/test_play_tennis.py::test_gains_per_cost",
        ),
    ),
    *_clauses(
        "D2+",
        (
            "what an impurity must fulfil, also one of one's own",
            "stats.counts.impurity.impurity_axioms",
            "stats/counts/test_impurity.py::test_functions_that_break_an_axiom_are_found_with_a_witness",
        ),
        (
            "one that is strictly concave never loses by a split",
            "stats.counts.impurity.impurity_decrease",
            "stats/counts/test_impurity.py::test_a_strictly_concave_impurity_never_loses_and_gains_if_shares_differ",
        ),
    ),
    *_clauses(
        "D3",
        (
            "thresholds halfway where the class changes",
            "DecisionTreeClassifier",
            "tree/growing/test_exact.py::test_thresholds_are_midpoints_where_the_class_changes",
        ),
        (
            "sets of categories",
            "CART",
            "tree/test_decision_tree_classifier.py::test_sets_of_categories_are_the_best_for_two_classes",
        ),
        (
            "regression trees",
            "DecisionTreeRegressor",
            "tree/test_decision_tree_regressor.py::test_scikit_learns_tree",
        ),
    ),
    *_clauses(
        "D4",
        (
            "missing values: the most common at the node",
            "DecisionTreeClassifier",
            "tree/growing/test_missing.py::test_every_split_against_rows_sent_by_hand",
        ),
        (
            "the most common of the class",
            "DecisionTreeClassifier",
            "tree/growing/test_missing.py::test_every_split_against_rows_sent_by_hand",
        ),
        (
            "examples in parts",
            "C45",
            "tree/growing/test_missing.py::test_fractional_examples_are_quinlans",
        ),
    ),
    *_clauses(
        "D5",
        (
            "pre-pruning by impurity, by height and by the chi-squared test",
            "DecisionTreeClassifier",
            "tree/pruning/test_pruning.py::test_pre_pruning_is_the_whole_tree_cut_where_the_rule_says_stop",
        ),
        (
            "reduced error, from the leaves up",
            "DecisionTreeClassifier",
            "tree/pruning/test_pruning.py::test_erratum_24_the_same_tree_before_and_after_the_cut",
        ),
        (
            "reduced error, the best cut first",
            "DecisionTreeClassifier",
            "tree/pruning/test_pruning.py::test_the_best_cut_comes_first",
        ),
        ("rules that are pruned", "RuleListClassifier", "tree/rules/test_rules.py::test_rules_are_pruned_as_by_hand"),
        (
            "pessimistic pruning",
            "C45",
            "tree/pruning/test_pruning.py::test_books_numbers_of_pessimistic_pruning",
        ),
        (
            "cost-complexity pruning",
            "DecisionTreeClassifier",
            "tree/pruning/test_pruning.py::test_the_path_is_scikit_learns_on_the_same_tree",
        ),
    ),
    *_clauses(
        "D6",
        (
            "trees, rules and disjunctive normal forms, there and back",
            "RuleListClassifier",
            "tree/rules/test_from_rules.py::test_round_trip_of_random_trees",
        ),
        (
            "leaves, height, external path length, weighted or not",
            "DecisionTreeClassifier",
            "tree/rules/test_reading.py::test_statistics_against_a_walk",
        ),
        (
            "the tree of the least external path length, by an exact search",
            "theory.shortest_tree",
            "theory/test_shortest_tree.py::test_against_all_trees",
        ),
    ),
    *_clauses(
        "D7",
        (
            "SLIQ: exact splits from sorted lists",
            "SLIQ",
            "tree/growing/test_exact.py::test_every_split_is_the_best_of_all",
        ),
        (
            "the same tree from histograms, level by level",
            "DecisionTreeClassifier",
            "tree/test_modes.py::test_the_same_tree_however_it_is_grown",
        ),
    ),
    *_clauses(
        "D8",
        ("trees as text", "DecisionTreeClassifier", "tree/rules/test_reading.py::test_play_tennis"),
        ("trees as pictures", "display.TreeDisplay", "tree/rules/test_reading.py::test_pictures"),
        (
            "rules as SQL",
            "DecisionTreeClassifier",
            "tree/rules/test_reading.py::test_rules_and_sql_say_what_is_predicted",
        ),
    ),
    *_clauses(
        "L1",
        (
            "least squares",
            "LinearRegression",
            "linear_model/inference/test_inference.py::test_equals_statsmodels",
        ),
        (
            "the pseudo-inverse",
            "LinearRegression",
            "linear_model/test_errata.py::test_the_pseudo_inverse_by_normal_equations_needs_full_column_rank",
        ),
        (
            "maximum likelihood under normal noise",
            "LinearRegression",
            "linear_model/inference/test_inference.py::test_least_squares_is_maximum_likelihood_of_normal_noise",
        ),
        (
            "the covariance of the estimate",
            "LinearRegression",
            "linear_model/inference/test_inference.py::test_equals_statsmodels",
        ),
    ),
    *_clauses(
        "L1+",
        (
            "the four conditions of Penrose",
            "LinearRegression",
            "linear_model/least_squares/test_pseudo_inverse.py::test_conditions_of_penrose",
        ),
    ),
    *_clauses(
        "L2",
        (
            "ridge regression and its dual",
            "Ridge",
            "linear_model/test_errata.py::test_dual_ridge",
        ),
        (
            "lasso",
            "Lasso",
            "linear_model/penalized/test_penalized.py::test_orthogonal_columns_are_thresholded_one_by_one",
        ),
        ("elastic net", "ElasticNet", "linear_model/penalized/test_penalized.py::test_scikit_learn"),
        ("the full path", "LassoPath", "linear_model/penalized/test_penalty_path.py::test_scikit_learn"),
        (
            "how texts scale the penalty",
            "Ridge",
            "linear_model/test_errata.py::test_the_penalty_of_texts_by_the_number_of_features",
        ),
        (
            "the penalty by cross-validation, from one scan",
            "LassoCV",
            "linear_model/cross_validated/test_fold_solutions.py::test_lasso_of_scikit_learn",
        ),
        (
            "a penalty on the q-th powers of the weights, also for q below 1",
            "BridgeRegression",
            "linear_model/penalized/test_bridge_regression.py::test_below_one_against_all_sets_of_columns",
        ),
    ),
    *_clauses(
        "L3",
        (
            "polynomials with all lower terms",
            "PolynomialFeatures",
            "preprocessing/test_polynomial_features.py::test_hierarchical",
        ),
        (
            "radial, sigmoid and tanh functions",
            "RadialBasis",
            "preprocessing/test_bases.py::test_functions_of_each_column",
        ),
        (
            "scaling by range, by deviation and to length 1",
            "StandardScaler",
            "preprocessing/test_normalisations.py::test_of_range_of_deviation_and_of_length",
        ),
        (
            "a warning where there are fewer than five rows to a term",
            "PolynomialFeatures",
            "preprocessing/test_polynomial_features.py::test_fewer_than_five_rows_to_a_term_are_warned_of",
        ),
    ),
    *_clauses(
        "L4",
        (
            "gradient descent of all rows, row by row, and of batches",
            "SGDRegressor",
            "linear_model/sgd/test_sgd.py::test_every_loss_descends_by_its_own_gradient",
        ),
        (
            "the delta rule",
            "Adaline",
            "linear_model/class_moments/test_adaline.py::test_row_by_row_by_hand",
        ),
        ("momentum", "SGDRegressor", "linear_model/sgd/test_sgd.py::test_mini_batches_and_momentum_by_hand"),
        (
            "learning rates that fall",
            "SGDClassifier",
            "linear_model/sgd/test_sgd.py::test_schedules_and_penalties_by_hand",
        ),
        (
            "squared, logistic, hinge and ε-insensitive losses",
            "SGDClassifier",
            "linear_model/sgd/test_sgd.py::test_every_loss_descends_by_its_own_gradient",
        ),
    ),
    *_clauses(
        "L5",
        (
            "logistic regression by Newton's method",
            "LogisticRegression",
            "linear_model/glm/test_logistic_regression.py::test_two_classes_as_scikit_learn",
        ),
        (
            "by gradients alone",
            "LogisticRegression",
            "linear_model/glm/test_logistic_regression.py::test_hashed_words_without_a_dense_matrix",
        ),
        (
            "softmax",
            "LogisticRegression",
            "linear_model/glm/test_logistic_regression.py::test_many_classes_as_scikit_learn",
        ),
        (
            "separable data is said to be so",
            "LogisticRegression",
            "linear_model/glm/test_logistic_regression.py::test_separable_data_has_no_minimiser_and_it_is_said",
        ),
    ),
    *_clauses(
        "L5+",
        (
            "the logit of the probability is linear",
            "LogisticRegression",
            "linear_model/glm/test_logistic_regression.py::test_the_logit_of_the_probability_is_the_decision_function",
        ),
    ),
    *_clauses(
        "L6",
        (
            "classes by least squares, 1-of-K",
            "LeastSquaresClassifier",
            "linear_model/class_moments/test_least_squares_classifier.py::test_solves_the_normal_equations",
        ),
    ),
    *_clauses(
        "L7",
        (
            "Fisher's discriminant of two classes",
            "FisherDiscriminant",
            "discriminant_analysis/test_fisher_discriminant.py::test_two_classes",
        ),
        (
            "of many classes",
            "FisherDiscriminant",
            "discriminant_analysis/test_fisher_discriminant.py::test_many_classes_maximise_the_criterion",
        ),
        (
            "normal classes with a shared covariance",
            "LinearDiscriminantAnalysis",
            "discriminant_analysis/test_linear_discriminant_analysis.py::test_posterior_of_two_classes_is_a_sigmoid",
        ),
        (
            "normal classes with a covariance each",
            "QuadraticDiscriminantAnalysis",
            "discriminant_analysis/test_quadratic_discriminant_analysis.py::test_scores_are_log_densities",
        ),
    ),
    *_clauses(
        "L7+",
        (
            "the difference of the means separates less than Fisher's direction",
            "FisherDiscriminant",
            "discriminant_analysis/test_fisher_discriminant.py::test_the_difference_of_the_means_separates_less",
        ),
    ),
    *_clauses(
        "L8",
        (
            "the perceptron's rule",
            "Perceptron",
            "linear_model/sgd/test_perceptron.py::test_it_changes_where_the_score_is_zero_too",
        ),
        (
            "its mistakes on the run, its margin, and the bound that follows",
            "Perceptron",
            "linear_model/sgd/test_perceptron.py::test_on_separable_rows_mistakes_are_never_above_the_bound",
        ),
        (
            "the pocket",
            "Perceptron",
            "linear_model/sgd/test_perceptron.py::test_the_pocket_holds_the_best_of_the_longest_runs",
        ),
        (
            "the average",
            "Perceptron",
            "linear_model/sgd/test_perceptron.py::test_the_average_is_that_of_all_weights_on_the_way",
        ),
        ("kernel perceptron", "KernelPerceptron", "svm/test_kernel_perceptron.py::test_the_rule_by_hand"),
        (
            "parameters of parts, mixed",
            "Perceptron",
            "linear_model/sgd/test_perceptron.py::test_mixing_is_the_mean_of_the_parts",
        ),
    ),
    *_clauses(
        "L8+",
        (
            "targets 0 and 1 with a step at 0",
            "Perceptron",
            "linear_model/sgd/test_perceptron.py::test_targets_0_and_1_with_a_step_at_zero_are_the_same_rule",
        ),
        (
            "rows drawn at random",
            "Perceptron",
            "linear_model/sgd/test_perceptron.py::"
            "test_rows_in_random_order_or_drawn_one_by_one_lead_to_a_plane_within_the_bound",
        ),
    ),
    *_clauses(
        "L9",
        (
            "bias and shrinkage of ridge regression",
            "Ridge",
            "linear_model/inference/test_inference.py::test_ridge_covariance_and_shrinkage_in_repeated_samples",
        ),
    ),
    *_clauses(
        "L10",
        (
            "losses and their gradients",
            "stats.optimize.loss_functions",
            "stats/optimize/test_loss_functions.py::test_gradients_are_differences_of_values",
        ),
        (
            "cross-entropy in nats or bits",
            "stats.optimize.loss_functions",
            "stats/optimize/test_loss_functions.py::test_cross_entropy",
        ),
    ),
    *_clauses(
        "L10+",
        (
            "a sigmoid unit with the squared error, and its gradient",
            "stats.optimize.loss_functions.SigmoidError",
            "linear_model/sgd/test_sgd.py::test_a_sigmoid_unit_with_squared_errors_is_at_a_minimum_of_scipy",
        ),
    ),
    *_clauses(
        "L11",
        (
            "Poisson and Gamma regression with an offset",
            "PoissonRegressor",
            "linear_model/glm/test_log_link.py::test_an_offset_has_a_coefficient_of_one",
        ),
        (
            "robust standard errors",
            "LinearRegression",
            "linear_model/inference/test_inference.py::test_equals_statsmodels",
        ),
        (
            "cluster-robust standard errors",
            "LinearRegression",
            "linear_model/inference/test_inference.py::test_equals_statsmodels",
        ),
        ("principal components", "PCA", "decomposition/test_pca.py::test_no_other_directions_keep_more"),
    ),
    *_clauses(
        "K1",
        (
            "linear, polynomial, Gaussian and sigmoid kernels",
            "kernels.as_kernel",
            "kernels/test_numeric.py::test_names_are_those_of_scikit_learn",
        ),
        (
            "sums, products, powers, series and other rules",
            "kernels.Kernel",
            "kernels/test_algebra.py::test_values",
        ),
        (
            "what is proved to be positive semidefinite",
            "kernels.Proof",
            "kernels/test_algebra.py::test_expressions_that_claim_to_be_psd_have_no_negative_eigenvalue",
        ),
        (
            "kernels of strings, sets and trees, given to a machine as they are",
            "kernels.SpectrumKernel",
            "kernels/test_kernel_expansion.py::test_objects_are_rows_as_their_gram_matrix_is",
        ),
    ),
    *_clauses(
        "K2",
        ("the Gram matrix", "kernels.gram", "kernels/test_gram.py::test_gram_takes_names_and_objects"),
        (
            "whether it is positive semidefinite, with a witness",
            "kernels.is_psd",
            "kernels/test_gram.py::test_is_psd_has_a_tolerance_and_a_witness",
        ),
        (
            "features from its eigenvectors",
            "kernels.feature_map",
            "kernels/test_gram.py::test_inner_products_of_features_are_the_kernel",
        ),
        (
            "products of Hadamard and Kronecker",
            "kernels.kronecker",
            "kernels/test_gram.py::test_products_of_gram_matrices_are_gram_matrices_of_products",
        ),
    ),
    *_clauses(
        "K2+",
        (
            "eigenvalues of Kronecker's product, and Hadamard's as a part of it",
            "kernels.kronecker",
            "kernels/test_gram.py::test_eigenvalues_of_a_product_are_products_and_hadamards_is_a_part_of_it",
        ),
        (
            "the features of a polynomial kernel, one by one",
            "kernels.PolynomialKernel.features",
            "kernels/test_numeric.py::test_features_of_a_polynomial_kernel_have_it_as_their_product",
        ),
    ),
    *_clauses(
        "K3",
        ("the hard margin", "SVC", "svm/test_svm.py::test_the_hard_margin"),
        ("the dual problem", "SVC", "svm/test_svm.py::test_random_machines_against_clarabel"),
        ("the hinge loss", "LinearSVC", "svm/test_linear_svm.py::test_the_gap_is_proved_from_both_sides"),
        (
            "support vectors",
            "SVC",
            "svm/test_svm.py::test_a_row_beyond_its_margin_is_no_support_vector",
        ),
        (
            "the offset, from the free support vectors",
            "SVC",
            "svm/test_svm.py::test_the_offset_is_the_mean_over_rows_inside_their_bounds",
        ),
        ("the margin", "SVC", "svm/test_svm.py::test_the_margin_is_one_over_the_length_of_w"),
        ("several classes", "SVC", "svm/test_svm.py::test_three_classes_beside_libsvm"),
        (
            "the soft margin, without a penalty on the offset",
            "LinearSVC",
            "svm/test_linear_svm.py::test_free_intercept_is_that_of_the_machine_with_a_kernel",
        ),
    ),
    *_clauses(
        "K3+",
        (
            "a machine with its widest margin through the origin",
            "SVC",
            "svm/dual/test_origin_kernel.py::test_classes_beside_clarabel",
        ),
        (
            "the slack of each row: none, up to 1, above 1",
            "SVC.slack_table",
            "svm/test_slack_table.py::test_slack_is_what_the_objective_pays_for",
        ),
    ),
    *_clauses(
        "K4",
        ("support vector regression", "SVR", "svm/test_svm.py::test_numbers_beside_libsvm"),
        ("its tube", "SVR", "svm/test_svm.py::test_which_side_of_the_tube_a_variable_is_for"),
    ),
    *_clauses(
        "K5",
        (
            "kernel ridge, by its dual",
            "KernelRidge",
            "kernel_ridge/test_kernel_ridge.py::test_it_is_the_kernel_ridge_of_scikit_learn",
        ),
    ),
    *_clauses(
        "K6",
        (
            "Nyström's features",
            "Nystroem",
            "kernel_approximation/test_rbf_sampler.py::"
            "test_nystroem_of_all_rows_is_the_kernel_and_of_some_as_good_as_scikit_learns",
        ),
        (
            "random features",
            "RBFSampler",
            "kernel_approximation/test_rbf_sampler.py::test_inner_products_are_near_to_the_kernel",
        ),
    ),
    *_clauses(
        "K7",
        (
            "radial functions around centres, then a linear output",
            "RBFNetworkRegressor",
            "neural_network/test_rbf_network.py::test_weights_as_ridge_regression_has_them",
        ),
    ),
    *_clauses(
        "I1",
        (
            "classes and numbers from the k nearest",
            "KNeighborsClassifier",
            "neighbors/test_k_neighbors.py::test_as_scikit_learn_says",
        ),
        (
            "weights of columns",
            "KNeighborsRegressor",
            "neighbors/test_exact.py::test_columns_count_by_their_weights",
        ),
        (
            "distances from a kernel",
            "KNeighborsRegressor",
            "neighbors/test_k_neighbors.py::test_a_kernel_gives_a_distance",
        ),
        (
            "the rule at distance 0",
            "KNeighborsRegressor",
            "neighbors/test_k_neighbors.py::test_at_distance_0_only_those_count_that_are_there",
        ),
        (
            "Voronoi's cells",
            "display.VoronoiDisplay",
            "display/test_decision_boundary.py::test_cells_are_the_regions_of_the_nearest_neighbour",
        ),
        (
            "neighbours weighted by 1/d², and those at distance 0 alone",
            "KNeighborsClassifier",
            "neighbors/test_k_neighbors.py::test_inverse_square_weights_by_hand_and_exact_hits_alone",
        ),
    ),
    *_clauses(
        "I2",
        (
            "locally weighted regression",
            "LocallyWeightedRegression",
            "neighbors/test_locally_weighted_regression.py::test_it_is_weighted_least_squares_at_each_row",
        ),
    ),
    *_clauses(
        "I3",
        (
            "lazy and eager learners",
            "KNeighborsClassifier",
            "neighbors/test_lazy_and_eager.py::test_those_are_lazy_whose_model_is_the_rows",
        ),
    ),
    *_clauses(
        "A1",
        ("decision stumps", "DecisionStump", "tree/test_decision_stump.py::test_no_stump_gets_less_wrong"),
        (
            "AdaBoost: votes and weights by the exponential loss",
            "AdaBoostClassifier",
            "ensemble/test_ada_boost_classifier.py::test_every_round_is_the_best_stump",
        ),
        (
            "the bound on its training error",
            "AdaBoostClassifier",
            "ensemble/test_ada_boost_classifier.py::test_the_certificate_holds",
        ),
        (
            "the last learner has error 1/2 under the next weights, so that none repeats at once",
            "AdaBoostClassifier",
            "ensemble/test_ada_boost_classifier.py::test_after_each_round_the_last_stump_is_as_good_as_chance",
        ),
        (
            "no error after ln n/(2γ²) rounds",
            "AdaBoostClassifier",
            "ensemble/test_ada_boost_classifier.py::test_no_error_once_there_are_rounds_enough",
        ),
        (
            "a learner without error ends it",
            "AdaBoostClassifier",
            "ensemble/test_ada_boost_classifier.py::test_a_stump_without_error_decides_alone",
        ),
        (
            "margins of votes",
            "display.MarginsDisplay",
            "display/test_margin_distribution.py::test_margins_are_those_of_the_votes",
        ),
        (
            "several classes",
            "AdaBoostClassifier",
            "ensemble/test_ada_boost_classifier.py::test_every_round_is_the_best_stump",
        ),
    ),
    *_clauses(
        "A2",
        (
            "voting",
            "VotingClassifier",
            "ensemble/test_voting.py::test_classifiers_as_scikit_learn_has_them",
        ),
        (
            "bagging",
            "BaggingClassifier",
            "ensemble/test_bagging.py::test_members_are_fits_with_the_drawn_weights",
        ),
        (
            "random forests",
            "RandomForestClassifier",
            "ensemble/test_random_forest.py::test_every_tree_is_scikit_learns_of_rows_weighted_by_draws",
        ),
        (
            "stacking",
            "StackingClassifier",
            "ensemble/test_stacking.py::test_classifiers_as_scikit_learn_has_them",
        ),
    ),
    *_clauses(
        "A3",
        (
            "gradient boosting of classes",
            "GradientBoostingClassifier",
            "ensemble/boosting/test_gradient_boosting_names.py::test_margins_of_classes_are_those_of_scikit_learn",
        ),
        (
            "gradient boosting of numbers",
            "GradientBoostingRegressor",
            "ensemble/boosting/test_gradient_boosting_names.py::test_trees_of_squared_errors_are_those_of_scikit_learn",
        ),
    ),
    *_clauses(
        "B1",
        (
            "the most probable and the likeliest hypothesis",
            "BayesOptimalClassifier",
            "concept/test_bayes_optimal_classifier.py::test_the_optimal_vote_is_not_that_of_the_most_probable",
        ),
        (
            "posteriors by going through all hypotheses",
            "BayesOptimalClassifier",
            "concept/test_bayes_optimal_classifier.py::test_against_brute_force_and_parts_with_other_categories",
        ),
        (
            "a uniform prior without noise is uniform over the version space",
            "BayesOptimalClassifier",
            "concept/test_bayes_optimal_classifier.py::"
            "test_a_uniform_prior_without_noise_is_uniform_over_the_version_space",
        ),
        (
            "the Bayes-optimal vote over hypotheses that are any functions",
            "BayesOptimalClassifier",
            "concept/test_function_hypotheses.py::test_three_hypotheses_vote_against_the_most_probable",
        ),
    ),
    *_clauses(
        "B2",
        (
            "naive Bayes of categories, with the m-estimate",
            "CategoricalNB",
            "naive_bayes/test_categorical_nb.py::test_m_estimate_by_hand",
        ),
        ("of normal columns", "GaussianNB", "naive_bayes/test_gaussian_nb.py::test_equals_scikit_learn"),
        ("of columns of 0 and 1", "BernoulliNB", "naive_bayes/test_counted_nb.py::test_what_is_not_there_tells_too"),
        (
            "of counts",
            "MultinomialNB",
            "naive_bayes/test_counted_nb.py::test_shares_without_smoothing_are_those_of_the_table",
        ),
        (
            "of mixed columns",
            "NaiveBayes",
            "naive_bayes/test_naive_bayes.py::test_all_kinds_together_add_up_as_scikit_learn_has_them",
        ),
    ),
    *_clauses(
        "B3",
        (
            "documents as sets of words",
            "TextFeatures",
            "feature_extraction/test_text_features.py::test_erratum_24_set_of_words_of_documents",
        ),
        (
            "counts of words",
            "TextFeatures",
            "feature_extraction/test_text_features.py::test_features_are_those_of_scikit_learn",
        ),
        (
            "tf-idf",
            "TextFeatures",
            "feature_extraction/test_text_features.py::test_erratum_18_idf_belongs_to_the_corpus",
        ),
        (
            "stop words",
            "TextFeatures",
            "feature_extraction/test_text_features.py::test_english_stop_words_are_those_of_scikit_learn",
        ),
        (
            "stems",
            "TextFeatures",
            "feature_extraction/test_text_features.py::test_stems_are_made_after_stop_words_are_gone",
        ),
        (
            "n-grams",
            "TextFeatures",
            "feature_extraction/test_text_features.py::test_features_are_those_of_scikit_learn",
        ),
    ),
    *_clauses(
        "B4",
        (
            "the likeliest Bernoulli distribution",
            "naive_bayes.distributions.Bernoulli",
            "naive_bayes/test_distributions.py::test_erratum_10_the_estimate_of_a_bernoulli_is_the_mean",
        ),
        (
            "the likeliest uniform distribution, its bias and the correction",
            "naive_bayes.distributions.Uniform",
            "naive_bayes/test_distributions.py::test_the_largest_draw_is_biased_and_its_correction_is_not",
        ),
        (
            "the likeliest categorical distribution",
            "naive_bayes.distributions.Categorical",
            "naive_bayes/test_distributions.py::test_shares_and_laplace",
        ),
        (
            "conjugate posteriors",
            "naive_bayes.distributions.Bernoulli",
            "naive_bayes/test_distributions.py::test_posteriors_are_likelihood_times_prior",
        ),
        (
            "a normal distribution of several variables: mean and covariance",
            "naive_bayes.distributions.MultivariateGaussian",
            "naive_bayes/test_distributions.py::test_mean_vector_and_covariance_matrix",
        ),
    ),
    *_clauses(
        "B5",
        (
            "tables of a network, and the joint by the chain rule",
            "BayesianNetwork",
            "graphical/test_bayesian_network.py::test_burglary",
        ),
        ("answers given evidence", "BayesianNetwork", "graphical/test_bayesian_network.py::test_brute_force"),
        (
            "samples",
            "BayesianNetwork",
            "graphical/test_bayesian_network.py::test_samples_have_the_frequencies_of_the_tables",
        ),
        (
            "tables from counts",
            "BayesianNetworkDensity",
            "graphical/test_bayesian_network_density.py::test_tables_are_the_smoothed_shares_that_pandas_counts",
        ),
        (
            "hidden variables, by EM",
            "BayesianNetworkEM",
            "graphical/test_bayesian_network_em.py::test_expected_counts_are_those_of_brute_force",
        ),
        (
            "trees by Chow and Liu",
            "BayesianNetworkDensity",
            "graphical/test_bayesian_network_density.py::test_chow_liu_is_the_most_likely_of_all_trees",
        ),
        (
            "naive Bayes with a tree",
            "TreeAugmentedNB",
            "graphical/test_tree_augmented_nb.py::test_tables_are_smoothed_shares_of_the_class",
        ),
    ),
    *_clauses(
        "B6",
        (
            "the joint probability",
            "ProbabilityTable",
            "graphical/test_probability_table.py::test_counts_of_parts_add_up",
        ),
        ("marginals", "ProbabilityTable", "graphical/test_probability_table.py::test_the_weather_table"),
        ("conditionals", "ProbabilityTable", "graphical/test_probability_table.py::test_the_weather_table"),
        (
            "the chain rule",
            "ProbabilityTable",
            "graphical/test_probability_table.py::test_the_chain_rule_in_every_order",
        ),
        (
            "total probability",
            "ProbabilityTable",
            "graphical/test_probability_table.py::test_total_probability_and_bayes_rule",
        ),
        (
            "Bayes' rule",
            "bayes_rule",
            "graphical/test_probability_table.py::test_candy_bags_one_lime_after_another",
        ),
        (
            "independence, also given another variable",
            "ProbabilityTable",
            "graphical/test_probability_table.py::test_independence_is_given_the_class",
        ),
    ),
    *_clauses(
        "B6+",
        (
            "a joint table made of a marginal and a conditional one",
            "ProbabilityTable",
            "graphical/test_probability_table.py::test_a_joint_table_from_a_marginal_and_a_conditional_one",
        ),
        (
            "events of several values: unions, and inclusion and exclusion",
            "ProbabilityTable",
            "graphical/test_probability_table.py::test_events_against_sums_over_outcomes",
        ),
    ),
    *_clauses(
        "H1",
        (
            "starts and steps from sequences",
            "MarkovChain",
            "sequence/test_markov_chain.py::test_counts_by_hand",
        ),
        (
            "the probability of a sequence by a chain that is given",
            "MarkovChain.from_parameters",
            "sequence/test_given_parameters.py::test_the_chain_by_hand",
        ),
    ),
    *_clauses(
        "H2",
        (
            "scaling: long sequences do not underflow",
            "CategoricalHMM",
            "sequence/test_hidden_states.py::test_a_million_symbols_do_not_underflow",
        ),
        (
            "the posterior of each state",
            "CategoricalHMM",
            "sequence/test_hidden_states.py::test_equals_every_path",
        ),
        (
            "the likeliest state of each row, and steps that are impossible",
            "CategoricalHMM",
            "sequence/test_categorical_hmm.py::test_the_likeliest_state_of_each_row_may_make_an_impossible_path",
        ),
        (
            "Baum and Welch's algorithm",
            "CategoricalHMM",
            "sequence/test_categorical_hmm.py::test_rounds_equal_baum_welch_by_hand",
        ),
        (
            "symbols and normal rows",
            "GaussianHMM",
            "sequence/test_gaussian_hmm.py::test_likelihood_is_that_of_the_normals_along_the_states",
        ),
        (
            "many sequences",
            "CategoricalHMM",
            "sequence/test_hidden_states.py::test_many_sequences_are_as_one_after_the_other",
        ),
        (
            "filtering",
            "CategoricalHMM",
            "sequence/test_hidden_states.py::test_filtering_knows_the_rows_so_far",
        ),
        (
            "forward probabilities of a model that is given",
            "CategoricalHMM.trellis",
            "sequence/test_trellis.py::test_all_of_it_is_as_by_all_paths",
        ),
        (
            "backward probabilities of a model that is given",
            "CategoricalHMM.trellis",
            "sequence/test_trellis.py::test_all_of_it_is_as_by_all_paths",
        ),
        (
            "Viterbi's path with its tables of scores and of predecessors",
            "CategoricalHMM.trellis",
            "sequence/test_trellis.py::test_all_of_it_is_as_by_all_paths",
        ),
    ),
    *_clauses(
        "U1",
        ("k-means: the objective never rises", "KMeans", "cluster/test_kmeans.py::test_inertia_never_rises"),
        ("the start of k-means++", "KMeans", "cluster/test_kmeans.py::test_heavy_rows_are_found"),
        (
            "the start of k-means||",
            "KMeans",
            "cluster/test_kmeans.py::test_start_by_several_draws_is_good_and_does_not_depend_on_order",
        ),
    ),
    *_clauses(
        "U2",
        (
            "mixtures of normals with four kinds of covariances",
            "GaussianMixture",
            "mixture/test_gaussian_mixture.py::test_equals_scikit_learn_from_the_same_start",
        ),
        (
            "the likelihood never falls",
            "GaussianMixture",
            "mixture/test_gaussian_mixture.py::test_likelihood_never_falls_and_gains_are_as_claimed",
        ),
    ),
    *_clauses(
        "U3",
        (
            "learning a distribution",
            "naive_bayes.distributions",
            "naive_bayes/test_distributions.py::test_variance_of_few_draws",
        ),
    ),
    *_clauses(
        "N1",
        (
            "units: linear, ReLU, leaky ReLU, Heaviside, sigmoid, tanh, softmax",
            "MLPClassifier",
            "neural_network/test_units.py::test_units_are_those_of_the_formulas",
        ),
        (
            "networks of layers, and backpropagation",
            "MLPRegressor",
            "neural_network/mlp/test_mlp.py::test_gradients_are_those_of_backpropagation_by_hand",
        ),
        (
            "descent by rows and batches",
            "MLPClassifier",
            "neural_network/mlp/test_mlp.py::test_steps_are_those_of_scikit_learn",
        ),
        (
            "momentum",
            "MLPClassifier",
            "neural_network/mlp/test_mlp.py::test_steps_are_those_of_scikit_learn",
        ),
        (
            "weight decay, of absolute values and squares",
            "MLPRegressor",
            "neural_network/mlp/test_mlp_parts.py::test_absolute_values_are_penalised_beside_squares",
        ),
        (
            "dropout",
            "MLPRegressor",
            "neural_network/mlp/test_mlp.py::test_drop_out_leaves_units_out_in_training_alone",
        ),
        (
            "batch normalisation",
            "MLPClassifier",
            "neural_network/mlp/test_mlp_parts.py::test_a_normalised_network_is_that_of_torch",
        ),
        (
            "early stopping by validation rows",
            "MLPRegressor",
            "neural_network/mlp/test_mlp.py::test_it_stops_once_validation_rows_gain_nothing_more",
        ),
        (
            "line search: conjugate gradients and L-BFGS",
            "MLPRegressor",
            "neural_network/mlp/test_mlp.py::test_conjugate_gradients_come_to_where_it_is_flat",
        ),
        (
            "boolean functions by perceptrons",
            "BooleanNetwork",
            "neural_network/test_boolean_network.py::test_gates_have_the_weights_of_the_books",
        ),
        (
            "any disjunction of conjunctions by two layers",
            "BooleanNetwork",
            "neural_network/test_boolean_network.py::test_random_disjunctions_of_conjunctions",
        ),
        (
            "several starts",
            "MLPRegressor",
            "neural_network/mlp/test_mlp_parts.py::test_the_best_of_several_starts_is_kept",
        ),
    ),
    *_clauses(
        "N2",
        (
            "graphs without cycles, all of whose nodes lead to an output",
            "NetworkGraph",
            "neural_network/test_network_graph.py::test_as_many_steps_as_the_longest_path_lead_to_the_states",
        ),
        (
            "gradients of nodes and edges",
            "NetworkGraph",
            "neural_network/test_network_graph.py::test_of_any_graph_gradients_are_finite_differences",
        ),
        (
            "one step of all states, also in graphs with cycles",
            "NetworkGraph",
            "neural_network/test_network_graph.py::test_a_cycle_takes_a_step_along_each_edge",
        ),
    ),
    *_clauses(
        "N3",
        (
            "recurrent networks",
            "RNNClassifier",
            "neural_network/test_recurrent.py::test_states_are_those_of_pytorch",
        ),
        (
            "backpropagation through time",
            "RNNRegressor",
            "neural_network/test_recurrent.py::test_gradients_are_those_of_backpropagation_through_time_by_hand",
        ),
        (
            "a recurrent network unrolled over the steps of a sequence",
            "NetworkGraph.unroll",
            "neural_network/test_network_graph.py::test_unrolled_it_is_the_same_network_without_cycles",
        ),
    ),
    *_clauses(
        "N4",
        (
            "transformers with attention, for classes of sequences",
            "TransformerClassifier",
            "neural_network/test_transformer.py::test_attention_is_that_of_pytorch_without_the_rows_that_are_not_there",
        ),
    ),
    *_clauses(
        "N4+",
        (
            "an encoder and a decoder",
            "TransformerClassifier",
            "neural_network/test_transformer.py::test_encoder_and_decoder_are_those_of_pytorch",
        ),
    ),
    *_clauses(
        "E1",
        (
            "the normal interval of an error",
            "error_interval",
            "model_selection/certification/test_intervals.py::test_normal_curve",
        ),
        (
            "its rule of 30 rows",
            "error_interval",
            "model_selection/certification/test_intervals.py::test_the_rule_of_thirty_is_checked",
        ),
        (
            "the exact interval",
            "error_interval",
            "model_selection/certification/test_intervals.py::test_against_scipy_to_twelve_digits",
        ),
        (
            "the difference of two errors",
            "difference_interval",
            "model_selection/certification/test_intervals.py::test_difference_of_two_samples",
        ),
    ),
    *_clauses(
        "E2",
        (
            "cross-validation of k folds",
            "cross_validate",
            "model_selection/cross_validation/test_cross_validate.py::test_numbers_as_scikit_learn_scores_them",
        ),
        ("MAE, MSE and RMSE", "stats.metrics.Regression", "stats/metrics/test_metrics.py::test_regression"),
        (
            "folds that are repeated, stratified or of groups",
            "cross_validate",
            "model_selection/cross_validation/test_folds.py::test_a_splitter_is_followed_to_the_row",
        ),
        (
            "folds in the order of time",
            "cross_validate",
            "model_selection/cross_validation/test_folds.py::test_the_past_is_learned_and_the_future_judged",
        ),
    ),
    *_clauses(
        "E3",
        (
            "the paired t-test",
            "compare",
            "model_selection/comparison/test_compare.py::test_plain_paired_t_against_scipy",
        ),
        (
            "its flaw: folds share their rows",
            "compare",
            "model_selection/comparison/test_compare.py::test_equal_learners_are_seldom_told_apart",
        ),
        (
            "the correction of Nadeau and Bengio",
            "compare",
            "model_selection/comparison/test_compare.py::test_corrected_is_the_plain_one_with_more_variance",
        ),
        ("McNemar's test", "compare", "model_selection/comparison/test_compare.py::test_mcnemar"),
    ),
    *_clauses(
        "E4",
        (
            "the confusion matrix, by counts and by row",
            "display.ConfusionMatrixDisplay",
            "display/test_displays.py::test_confusion_is_scikit_learns",
        ),
        ("the baseline of the majority", "DummyClassifier", "dummy/test_dummy_classifier.py::test_equals_scikit_learn"),
        (
            "accuracy, precision, recall, F1 and F-beta",
            "stats.metrics.Confusion",
            "stats/metrics/test_metrics.py::test_confusion",
        ),
        ("ROC and precision-recall", "stats.metrics.Ranking", "stats/metrics/test_metrics.py::test_ranking"),
    ),
    *_clauses(
        "E5",
        (
            "training, validation and test rows",
            "train_test_split",
            "model_selection/cross_validation/test_train_test_split.py::test_every_row_is_on_one_side",
        ),
        (
            "overfitting by its definition",
            "overfits",
            "model_selection/comparison/test_overfitting.py::test_trees",
        ),
        (
            "the learning curve",
            "learning_curve",
            "model_selection/curves/test_learning_curve.py::test_merged_summaries_give_what_fits_of_the_same_rows_give",
        ),
        (
            "the validation curve",
            "validation_curve",
            "model_selection/curves/test_validation_curve.py::test_ridge_equals_scikit_learn",
        ),
    ),
    *_clauses(
        "S1",
        (
            "information, log 1/p",
            "stats.counts.information.information",
            "stats/counts/test_information.py::test_information_is_the_logarithm_of_one_over_the_probability",
        ),
        (
            "entropy, and that it is at most log n",
            "stats.counts.information.entropy",
            "stats/counts/test_information.py::test_laws_between_them",
        ),
        (
            "a condition takes entropy away",
            "stats.counts.information.conditional_entropy",
            "stats/counts/test_information.py::test_laws_between_them",
        ),
        (
            "cross-entropy",
            "stats.counts.information.cross_entropy",
            "stats/counts/test_information.py::test_laws_between_them",
        ),
        (
            "joint and conditional entropy",
            "stats.counts.information.conditional_entropy",
            "stats/counts/test_information.py::test_laws_between_them",
        ),
        (
            "mutual information",
            "stats.counts.information.mutual_information",
            "stats/counts/test_information.py::test_as_scipy_and_scikit_learn",
        ),
        (
            "divergence",
            "stats.counts.information.kl_divergence",
            "stats/counts/test_information.py::test_erratum_19_divergence_has_no_minus_sign",
        ),
        (
            "of counts or probabilities, in bits or nats",
            "stats.counts.information.entropy",
            "stats/counts/test_information.py::test_as_scipy_and_scikit_learn",
        ),
    ),
    *_clauses(
        "R1",
        ("hill climbing with restarts", "search.HillClimbing", "search/test_optimize.py::test_restarts_begin_anew"),
        (
            "simulated annealing",
            "search.SimulatedAnnealing",
            "search/test_simulated_annealing.py::test_worse_points_are_accepted_with_the_probability_of_metropolis",
        ),
        ("its schedules", "search.GeometricDecay", "search/test_simulated_annealing.py::test_schedules"),
        ("genetic algorithms", "search.Genetic", "search/test_optimize.py::test_orders_against_brute_force"),
        ("problems to try them on", "search.four_peaks", "search/test_problems.py::test_peaks"),
        ("seeds, and objectives of many points at once", "search.optimize", "search/test_optimize.py::test_seeds"),
        (
            "MIMIC over bits, codes and orders",
            "search.MIMIC",
            "search/test_dependence.py::test_mimic_over_permutations_finds_what_brute_force_and_the_hungarian_method_find",
        ),
    ),
    *_clauses(
        "G1",
        ("the bias of each learner", "DecisionTreeClassifier", "test_choosing.py::test_rows_are_whole"),
        (
            "lazy or eager",
            "KNeighborsClassifier",
            "test_choosing.py::test_lazy_learners_do_their_work_when_asked",
        ),
        ("cost", "KNeighborsClassifier", "test_choosing.py::test_lazy_learners_do_their_work_when_asked"),
        (
            "which learner for which problem, with trees and networks",
            "DecisionTreeClassifier",
            "test_choosing.py::test_every_learner_has_a_row_and_nobody_else",
        ),
    ),
    *_clauses(
        "P1",
        (
            "the task: a board and its features",
            "SGDRegressor",
            "test_checkers.py::test_features_are_of_who_has_moved",
        ),
        (
            "experience: games against itself, learned by least mean squares",
            "SGDRegressor",
            "test_checkers.py::test_it_learns_from_games_against_itself",
        ),
        (
            "performance: games won",
            "SGDRegressor",
            "test_checkers.py::test_it_learns_from_games_against_itself",
        ),
    ),
    *_clauses(
        "T11+",
        (
            "the argument of a second sample, by simulation",
            "theory.is_epsilon_net",
            "theory/test_shattering.py::test_a_second_sample_shows_what_the_first_has_missed",
        ),
    ),
)
