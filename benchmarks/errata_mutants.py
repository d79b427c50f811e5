"""The textbooks' errors put in, one at a time: the test that the page of errata names must fail.

    python benchmarks/errata_mutants.py              all of them
    python benchmarks/errata_mutants.py 9 13a        those of some lines of the page
    python benchmarks/errata_mutants.py --control    first the same tests without an error, which must pass

Each error is one expression, changed in a copy of the sources; where the library does not compute what an erratum is
about, in a copy of the tests, in what the test calls. The named test alone runs against the copy; kernels that are
changed are compiled at their first use. Exits with 1 if a test passes with the error put in.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mutants import ROOT, Fault, environment, faulty_sources

PATIENCE = 1_800
"""seconds after which a test is given up; trees compile for minutes. It is not counted as one that fails"""


def fault(line: str, test: str, file: str, right: str, wrong: str) -> Fault:
    """The error of a line of the page, in a file of the package, or of the tests if it begins with `tests/`."""
    return Fault(line, file, right, wrong, (f"tests/{test}",))


FAULTS = (
    fault(
        "1",
        "naive_bayes/test_categorical_nb.py::test_m_estimate_by_hand",
        "naive_bayes/categorical_nb.py",
        "np.log(smooth) - np.log(smooth.sum(axis=1, keepdims=True))",
        "np.log(smooth.sum(axis=1, keepdims=True)) - np.log(smooth)",
    ),
    fault(
        "2",
        "concept/test_bayes_optimal_classifier.py::"
        "test_erratum_2_and_26_votes_are_weighed_by_the_rows_and_no_function_errs_less",
        "concept/bayes_optimal_classifier.py",
        "share, rates = np.exp(model.log_posterior[some])",
        "share, rates = np.exp(model.log_prior[some])",
    ),
    fault(
        "3",
        "neural_network/mlp/test_mlp.py::test_the_gradient_of_an_outer_weight_is_the_error_times_the_state_below",
        "neural_network/graphs/network_graph.py",
        "edges = {(u, v): states[u] * nodes[v]",
        "edges = {(u, v): inputs[u] * nodes[v]",
    ),
    fault(
        "4",
        "sequence/test_hidden_states.py::"
        "test_erratum_4_transitions_are_indexed_by_the_state_before_and_then_the_state_now",
        "sequence/hidden_states.py",
        "self._step[: self.n, : self.n] = step",
        "self._step[: self.n, : self.n] = step.T",
    ),
    fault(
        "5",
        "theory/test_classes_labellings.py::test_erratum_5_cover_is_one_half_at_the_transition",
        "theory/classes/labellings.py",
        "return cover_count(n, d) / (1 << n)",
        "return min(cover_count(n, d) / (1 << (n - 1)), 1.0)",
    ),
    fault(
        "6",
        "tree/pruning/test_pruning.py::test_erratum_6_the_new_leaf_takes_the_majority_of_the_training_rows",
        "tree/pruning/pruning_methods.py",
        "        return cut_at(model, at)._replace(log_prior=prior)\n",
        "        model.value[at] = pruning.up(model.tree, sums)[at, :-1]\n"
        "        return cut_at(model, at)._replace(log_prior=prior)\n",
    ),
    fault(
        "7a",
        "linear_model/test_errata.py::test_erratum_7_signed_distance",
        "theory/classes/separability.py",
        'return np.asarray((rows @ w + number("intercept", intercept)) / length)',
        'return np.asarray((rows @ w + number("intercept", intercept)) / length**2)',
    ),
    fault(
        "7b",
        "linear_model/test_errata.py::test_the_pseudo_inverse_by_normal_equations_needs_full_column_rank",
        "linear_model/least_squares/qr.py",
        "    half, left, rank = _pseudo_inverse(T)\n",
        "    values, vectors = np.linalg.eigh(T.T @ T)\n"
        "    half = vectors / np.sqrt(np.abs(values))\n"
        "    left, rank = half.T @ T.T, T.shape[1]\n",
    ),
    fault(
        "8",
        "linear_model/sgd/test_perceptron.py::test_it_changes_where_the_score_is_zero_too",
        "compiled/linear_model/perceptrons.py",
        "if sign * (w[k, 0] + dot(w, k, block, i, p)) <= 0.0:",
        "if sign * (w[k, 0] + dot(w, k, block, i, p)) < 0.0:",
    ),
    fault(
        "9",
        "theory/test_classes_labellings.py::test_erratum_9_the_fraction_the_other_way_up_is_false",
        "theory/classes/labellings.py",
        "return m * LN2 if m <= vc else vc * (1 + log(m / vc))",
        "return m * LN2 if m <= vc else vc * (1 + log(vc / m))",
    ),
    fault(
        "10a",
        "naive_bayes/test_distributions.py::test_erratum_10_the_estimate_of_a_bernoulli_is_the_mean",
        "naive_bayes/distributions.py",
        "return self.ones / self.n",
        "return self.ones",
    ),
    fault(
        "10b",
        "svm/test_svm.py::test_the_decision_sums_over_support_vectors_and_adds_the_offset",
        "svm/support_vector_machine.py",
        "np.ascontiguousarray(model.weights.T), X) + model.intercept",
        "np.ascontiguousarray(model.weights.T), X)",
    ),
    fault(
        "11",
        "inspection/test_split_gains.py::test_play_tennis",
        "inspection/dependence/split_gains.py",
        "return SplitGains(schema.names, MEASURES,",
        "return SplitGains((schema.names[0], *schema.names[:0:-1]), MEASURES,",
    ),
    fault(
        "12a",
        "tree/test_play_tennis.py::"
        "test_erratum_12_a_branch_that_is_empty_here_alone_takes_the_most_common_class_of_the_node",
        "compiled/tree/tree_applying.py",
        "            if branch < 0:\n                break\n            k = first[k] + branch\n        out[i] = k\n\n\n"
        "@kernel\ndef sides_of",
        "            k = first[k] + max(branch, 0)\n        out[i] = k\n\n\n@kernel\ndef sides_of",
    ),
    fault(
        "12b",
        "stats/counts/test_information.py::test_what_never_happens",
        "stats/counts/information.py",
        "return float(-(some * np.log(some)).sum()) + 0.0",
        "return float(-(some * np.log(some)).sum()) + (math.log(2.0) if len(some) == 1 else 0.0)",
    ),
    fault(
        "12c",
        "tree/test_play_tennis.py::test_erratum_12_entropy_and_split_information",
        "compiled/tree/tree_search.py",
        "    gain, bits = drop / whole, bits / whole + math.log2(whole)\n    if criterion == RATIO:\n"
        "        return gain / bits",
        "    gain, bits = drop / whole, base / whole\n    if criterion == RATIO:\n        return gain / bits",
    ),
    fault(
        "13a",
        "discriminant_analysis/test_linear_discriminant_analysis.py::test_posterior_of_two_classes_is_a_sigmoid",
        "discriminant_analysis/linear_discriminant_analysis.py",
        "level = log_prior(prior, scatter.weight) - 0.5 * (white_means**2).sum(axis=-1)",
        "level = np.exp(log_prior(prior, scatter.weight)) - 0.5 * (white_means**2).sum(axis=-1)",
    ),
    fault(
        "13b",
        "discriminant_analysis/test_linear_discriminant_analysis.py::test_posterior_of_two_classes_is_a_sigmoid",
        "discriminant_analysis/linear_discriminant_analysis.py",
        "intercept = level - np.matmul(coef, center[..., None])[..., 0]",
        "intercept = -(level - np.matmul(coef, center[..., None])[..., 0])",
    ),
    fault(
        "13c",
        "discriminant_analysis/test_linear_discriminant_analysis.py::test_equals_the_default_solver",
        "discriminant_analysis/linear_discriminant_analysis.py",
        "covariance = shared_covariance(s, self.shrinkage, prior)",
        "covariance = np.diag(np.diag(shared_covariance(s, self.shrinkage, prior)))",
    ),
    fault(
        "13d",
        "discriminant_analysis/test_linear_discriminant_analysis.py::test_the_softmax_sums_over_all_classes",
        "estimator/shell/kinds.py",
        "return softmax(_possible(scores), axis=1)",
        "return (p := softmax(_possible(scores), axis=1)) / p[:, :-1].sum(axis=1, keepdims=True)",
    ),
    fault(
        "14a",
        "discriminant_analysis/test_fisher_discriminant.py::test_two_classes",
        "discriminant_analysis/fisher_discriminant.py",
        "        white = _whiten(s)\n        k, p = means.shape",
        "        s.within[:] = np.eye(len(s.within)) * np.trace(s.within)\n"
        "        white = _whiten(s)\n        k, p = means.shape",
    ),
    fault(
        "14b",
        "discriminant_analysis/test_fisher_discriminant.py::test_two_classes",
        "discriminant_analysis/fisher_discriminant.py",
        "level - coef @ center",
        "level + coef @ center",
    ),
    fault(
        "14c",
        "discriminant_analysis/test_fisher_discriminant.py::test_two_classes",
        "discriminant_analysis/fisher_discriminant.py",
        "coef = (white_means[1:] - white_means[:1]) @ white.half.T",
        "coef = (white_means[:1] - white_means[1:]) @ white.half.T",
    ),
    fault(
        "14d",
        "discriminant_analysis/test_fisher_discriminant.py::test_many_classes_maximise_the_criterion",
        "discriminant_analysis/fisher_discriminant.py",
        "_, values, vectors = sla.svd(white_means * np.sqrt(share)[:, None], full_matrices=False)",
        "_, values, vectors = sla.svd(apart * np.sqrt(share)[:, None], full_matrices=False)",
    ),
    fault(
        "14e",
        "discriminant_analysis/test_fisher_discriminant.py::test_separable_rows_may_be_on_the_wrong_side",
        "tests/discriminant_analysis/test_fisher_discriminant.py",
        "    y = (X[:, 0] > 10.5).astype(int)\n    model = FisherDiscriminant().fit(X, y)",
        "    y = (X[:, 0] > 10.5).astype(int)\n"
        '    model = __import__("tenfold").SVC(C=np.inf, kernel="linear").fit(X, y)',
    ),
    fault(
        "15a",
        "linear_model/sgd/test_sgd.py::test_the_delta_rule_adds_eta_times_error_times_row",
        "compiled/linear_model/losses.py",
        "    if code == SQUARED:\n        return f - y\n",
        "    if code == SQUARED:\n        return y - f\n",
    ),
    fault(
        "15b",
        "linear_model/least_squares/test_dual_ridge.py::test_equals_scikit_learn_with_weights_and_in_any_form",
        "linear_model/least_squares/dual_ridge.py",
        "    K.flat[:: len(K) + 1] += alpha\n",
        "    K += alpha\n",
    ),
    fault(
        "16a",
        "stats/optimize/test_loss_functions.py::test_values",
        "compiled/linear_model/losses.py",
        "return max(0.0, abs(f - y) - e)",
        "return abs(f - y) if abs(f - y) >= e else 0.0",
    ),
    fault(
        "16b",
        "svm/test_svm.py::test_a_row_beyond_its_margin_is_no_support_vector",
        "svm/svc.py",
        "some = np.flatnonzero((weights != 0).any(axis=0))",
        "some = np.arange(weights.shape[1])",
    ),
    fault(
        "16c",
        "linear_model/least_squares/test_dual_ridge.py::test_erratum_16_the_dual_pays_off_where_columns_are_many",
        "linear_model/least_squares/least_squares.py",
        'int(schema.size("feature") or 0) > dual_ridge.MIN_WIDE_FEATURES:',
        'int(schema.size("feature") or 0) < dual_ridge.MIN_WIDE_FEATURES:',
    ),
    fault(
        "17a",
        "svm/test_svm.py::test_the_gap_is_proved_only_of_kernels_that_are",
        "kernels/numeric.py",
        '            str(self),\n            False,\n            "tanh is bounded',
        '            str(self),\n            True,\n            "tanh is bounded',
    ),
    fault(
        "17b",
        "kernels/test_numeric.py::test_kernels_of_the_texts_that_are_none_have_witnesses",
        "kernels/numeric.py",
        "        if self.gamma < 0:\n            return Proof(str(self), False, NEGATIVE_GAMMA)\n"
        "        twice = 2 * self.gamma",
        "        twice = 2 * abs(self.gamma)",
    ),
    fault(
        "18a",
        "naive_bayes/test_counted_nb.py::test_erratum_18_sums_go_inside_numerator_and_denominator",
        "tests/naive_bayes/test_counted_nb.py",
        "coefficient = np.array([math.comb(length, k) for k in range(length + 1)])",
        "coefficient = np.array([math.comb(X.shape[1], k) for k in range(length + 1)])",
    ),
    fault(
        "18b",
        "naive_bayes/test_counted_nb.py::test_erratum_18_sums_go_inside_numerator_and_denominator",
        "tests/naive_bayes/test_counted_nb.py",
        '    model = tn.MultinomialNB(alpha=0.0).fit(X, ["a", "a", "b"])\n    of_words',
        '    model = tn.MultinomialNB(alpha=0.0).fit(X / X.sum(axis=1)[:, None], ["a", "a", "b"])\n    of_words',
    ),
    fault(
        "18c",
        "feature_extraction/test_text_features.py::test_erratum_18_idf_belongs_to_the_corpus",
        "feature_extraction/text/text_features.py",
        "found: Array = np.log((weight + more) / (documents + more)) + 1.0",
        "found: Array = np.log((1.0 + more) / (np.minimum(documents, 1.0) + more)) + 1.0",
    ),
    fault(
        "19a",
        "neural_network/test_units.py::test_units_are_those_of_the_formulas",
        "neural_network/mlp/network_weights.py",
        '"logistic": expit,',
        '"logistic": lambda z: 1 / (1 - np.exp(z)),',
    ),
    fault(
        "19b",
        "ensemble/test_ada_boost_classifier.py::test_every_round_is_the_best_stump",
        "ensemble/ada_boost/ada_boost_votes.py",
        "return rate * (math.log((1 - error) / error)",
        "return 0.5 * rate * (math.log((1 - error) / error)",
    ),
    fault(
        "19c",
        "stats/counts/test_information.py::test_erratum_19_divergence_has_no_minus_sign",
        "stats/counts/information.py",
        "return float((here[some] * np.log(here[some] / there[some])).sum())",
        "return -float((here[some] * np.log(here[some] / there[some])).sum())",
    ),
    fault(
        "19d",
        "neighbors/test_k_neighbors.py::test_erratum_19_weights_stand_in_the_numerator_too",
        "neighbors/k_neighbors_regressor.py",
        "(counts * found.target).sum(axis=1)",
        "((counts > 0) * found.target).sum(axis=1)",
    ),
    fault(
        "20a",
        "linear_model/test_errata.py::test_gradient_of_the_penalty_and_a_bias_that_is_not_penalised",
        "linear_model/least_squares/normal_equations.py",
        "np.array([m.weight], float), np.array([alpha], float))",
        "np.array([m.weight], float), np.array([alpha / 2], float))",
    ),
    fault(
        "20b",
        "linear_model/sgd/test_sgd.py::test_schedules_and_penalties_by_hand",
        "compiled/linear_model/descent.py",
        "                step = eta * slope[k]\n                if constant:\n                    w[k, 0] -= step\n",
        "                step = eta * slope[k]\n                if constant:\n"
        "                    w[k, 0] = keep * w[k, 0] - step\n",
    ),
    fault(
        "20c",
        "concept/test_conjunction.py::test_more_general_is_to_cover_more_rows",
        "concept/conjunction.py",
        "        return self != other and self <= other\n",
        "        return self <= other\n",
    ),
    fault(
        "21",
        "theory/test_mistakes_margins.py::test_erratum_21_the_bound_needs_half_the_width",
        "theory/bounds/margin_bound.py",
        'positive("radius", radius) / positive("margin", margin)',
        'positive("radius", radius) / positive("margin", 2 * margin)',
    ),
    fault(
        "22a",
        "concept/test_k_term_dnf.py::test_erratum_22_a_term_has_the_vertices_that_are_not_of_its_colour",
        "concept/clauses/graph_coloring.py",
        "if own != c)",
        "if own == c)",
    ),
    fault(
        "22b",
        "concept/test_k_cnf.py::test_a_disjunction_of_three_terms_is_learned_as_3_cnf",
        "tests/concept/test_k_cnf.py",
        "model = KCNF(3).fit(points[some], target[some])",
        "model = KDNF(3).fit(points[some], target[some])",
    ),
    fault(
        "22c",
        "theory/test_errata.py::test_erratum_22_the_dimension_is_that_of_the_hypotheses",
        "tests/theory/test_errata.py",
        "enough = theory.sample_size(eps, delta, vc=points)",
        "enough = theory.sample_size(eps, delta, vc=theory.vc_dimension(concepts, some))",
    ),
    fault(
        "22d",
        "concept/test_k_term_dnf.py::test_erratum_22_errors_are_symmetric_and_3_cnf_is_what_is_found",
        "concept/version_space.py",
        "(heft[truth != np.array([covers(h, row) for row in rows])]",
        "(heft[truth > np.array([covers(h, row) for row in rows])]",
    ),
    fault(
        "22e",
        "theory/test_errata.py::test_erratum_22_an_error_is_at_most_the_sum_over_literals",
        "tests/theory/test_errata.py",
        'error = VersionSpace([["a", "b"]] * 4, [h], [h]).largest_error(target, weight)\n    p =',
        'error = sum(w * (x[1] != "a") + w * (x[2] != "b") for x, w in weight.items() if x[0] == "a")\n    p =',
    ),
    fault(
        "23a",
        "theory/test_shattering.py::test_slater_asks_for_one_point_inside_all_constraints",
        "theory/duality.py",
        "return bool(found.status == 0 and found.x[-1] > 1e-9)",
        "return True",
    ),
    fault(
        "23b",
        "linear_model/glm/test_logistic_regression.py::test_separable_data_has_no_minimiser_and_it_is_said",
        "linear_model/glm/logistic_regression.py",
        "        if s.worst < 0:\n",
        "        if False:\n",
    ),
    fault(
        "23c",
        "linear_model/sgd/test_perceptron.py::test_the_bound_needs_a_plane_of_length_one",
        "linear_model/sgd/perceptron_epoch.py",
        "return np.divide(self.least, long, out=np.zeros_like(long), where=long > 0)",
        "return 1e3 * self.least",
    ),
    fault(
        "23d",
        "kernels/test_numeric.py::test_sums_and_series_need_coefficients_that_are_not_negative",
        "kernels/algebra.py",
        "return needs(str(self), not wrong, why, why_not, self.kernel.proof())",
        "return needs(str(self), True, why, why_not, self.kernel.proof())",
    ),
    fault(
        "24a",
        "tree/pruning/test_pruning.py::test_erratum_24_the_same_tree_before_and_after_the_cut",
        "tree/pruning/pruning.py",
        "if tree.feature[k] >= 0 and losses.through[k] <= below[k]:",
        "if tree.feature[k] >= 0 and losses.through[k] <= up(tree, losses.ends)[0]:",
    ),
    fault(
        "24b",
        "tree/growing/test_exact.py::test_erratum_24_equal_values_stay_together",
        "compiled/tree/tree_lists.py",
        "if left[s, channels - 1] > 0 and x > last[s]:",
        "if left[s, channels - 1] > 0:",
    ),
    fault(
        "24c",
        "tree/growing/test_exact.py::test_erratum_24_contradictory_examples_end_in_a_leaf",
        "compiled/tree/tree_lists.py",
        "if left[s, channels - 1] > 0 and x > last[s]:",
        "if left[s, channels - 1] > 0:",
    ),
    fault(
        "24d",
        "feature_extraction/test_text_features.py::test_erratum_24_set_of_words_of_documents",
        "naive_bayes/bernoulli_nb.py",
        "np.log(s.weight + 2 * self.alpha)",
        "np.log(s.weight + s.total.shape[1] * self.alpha)",
    ),
    fault(
        "25",
        "model_selection/test_tables.py::test_erratum_25_the_table_of_t_has_three_misprints",
        "tests/model_selection/test_tables.py",
        "    return (found.high - found.low) / 2 / (a.std(ddof=1) / sqrt(df + 1))",
        "    printed = {(5, 0.9995): 6.889, (19, 0.85): 1.065, (40, 0.85): 1.051}\n"
        "    return printed.get((df, probability), (found.high - found.low) / 2 / (a.std(ddof=1) / sqrt(df + 1)))",
    ),
    fault(
        "26a",
        "concept/test_bayes_optimal_classifier.py::"
        "test_erratum_2_and_26_votes_are_weighed_by_the_rows_and_no_function_errs_less",
        "concept/bayes_optimal_classifier.py",
        "share, rates = np.exp(model.log_posterior[some]), model.rates[some]",
        "share = 1.0 * (np.arange(some.sum()) == model.log_posterior[some].argmax())\n"
        "        rates = model.rates[some]",
    ),
    fault(
        "26b",
        "linear_model/inference/test_inference.py::test_equals_statsmodels",
        "linear_model/inference/standard_errors.py",
        "found = factor * (spread @ inner @ spread.T)",
        "found = 0.0 * factor * (spread @ inner @ spread.T)",
    ),
    fault(
        "26c",
        "svm/test_svm.py::test_the_offset_is_the_mean_over_rows_inside_their_bounds",
        "svm/dual/dual_problem.py",
        "    free = (beta > dual.low) & (beta < dual.high)\n    if free.any():\n        return float(v[free].mean())",
        "    free = beta != 0\n    if free.any():\n        return float(v[free].mean())",
    ),
    fault(
        "27a",
        "graphical/test_probability_table.py::test_erratum_27_of_a_loaded_die_a_number_below_four_has_two_thirds",
        "tests/graphical/test_probability_table.py",
        "assert die.probability(die=[1, 2, 3]) == pytest",
        "assert die.probability(die=[1, 2, 3, 5]) == pytest",
    ),
    fault(
        "27b",
        "graphical/test_probability_table.py::test_candy_bags_one_lime_after_another",
        "graphical/probability_table.py",
        "score = np.log(before) + np.log(given).sum(axis=0)",
        "score = np.log(before) + np.log(given[-1])",
    ),
    fault(
        "27c",
        "graphical/test_probability_table.py::test_independence_is_given_the_class",
        "graphical/probability_table.py",
        "joint = self.marginal(*given, a, b).p.reshape(-1, len(self.values[a]), len(self.values[b]))",
        "joint = self.marginal(a, b).p.reshape(-1, len(self.values[a]), len(self.values[b]))",
    ),
    fault(
        "27d",
        "stats/metrics/test_metrics.py::test_confusion",
        "stats/metrics/confusion.py",
        "return self.f_beta(0.0, average, zero_division)",
        "return self.f_beta(math.inf, average, zero_division)",
    ),
    fault(
        "27e",
        "naive_bayes/test_distributions.py::test_erratum_27_counts_in_any_order_have_the_binomial_coefficient",
        "tests/naive_bayes/test_distributions.py",
        "coin.log_likelihood(0.4) + math.log(math.comb(5, 3)) == pytest.approx(binomial, abs=1e-12)",
        "coin.log_likelihood(0.4) == pytest.approx(binomial, abs=1e-12)",
    ),
    fault(
        "28a",
        "linear_model/sgd/test_perceptron.py::test_no_step_length_changes_what_is_predicted",
        "compiled/linear_model/perceptrons.py",
        "step = eta * share * sign\n                    if constant:\n                        w[k, 0] += step\n"
        "                        late[k, 0] += clock[0] * step\n                    for j in range(p):",
        "step = min(eta, 0.5) * share * sign\n                    if constant:\n"
        "                        w[k, 0] += step\n"
        "                        late[k, 0] += clock[0] * step\n                    for j in range(p):",
    ),
    fault(
        "28b",
        "tree/rules/test_rules.py::test_erratum_28_rules_are_an_ordered_list",
        "compiled/tree/rule_covering.py",
        "            if fits:\n                found = r\n                break\n",
        "            if fits:\n                found = r\n",
    ),
    fault(
        "28c",
        "model_selection/cross_validation/test_cross_validate.py::"
        "test_erratum_28_folds_estimate_the_error_of_what_learns_from_fewer_rows",
        "engine/plan.py",
        "whole: Counted = merge([*self._ahead[max(at - 1, 0) : at], *self._behind[at + 1 : at + 2]])",
        "whole: Counted = self._ahead[-1]",
    ),
    fault(
        "28d",
        "neighbors/test_locally_weighted_regression.py::test_erratum_28_locally_weighted_regression_needs_weights",
        "neighbors/locally_weighted_regression.py",
        '"tricube": lambda u: np.maximum(1 - u**3, 0.0) ** 3,',
        '"tricube": lambda u: (u <= 1).astype(np.float64),',
    ),
    fault(
        "28e",
        "neighbors/test_k_neighbors.py::test_erratum_28_large_k_underfits",
        "neighbors/k_neighbors.py",
        "return nearest(distance, matrix(X, distance.largest), model.rows, self.n_neighbors, model.classes)",
        "return nearest(\n            distance, matrix(X, distance.largest), model.rows,\n"
        "            len(model.rows.weight) + 1 - self.n_neighbors, model.classes,\n        )",
    ),
    fault(
        "28f",
        "kernels/test_numeric.py::test_polynomial_kernels_need_coefficients_that_are_not_negative",
        "kernels/numeric.py",
        "return (inside ** int(self.degree)).proof()._replace(kernel=str(self))",
        'return Proof(str(self), True, "")',
    ),
    fault(
        "29a",
        "svm/test_svm.py::test_which_side_of_the_tube_a_variable_is_for",
        "svm/svr.py",
        "return np.asarray(self.model_.weights)\n",
        "return -np.asarray(self.model_.weights)\n",
    ),
    fault(
        "29b",
        "svm/test_svm.py::test_which_side_of_the_tube_a_variable_is_for",
        "svm/dual/dual_problem.py",
        "np.concatenate([y - epsilon, y + epsilon])",
        "np.concatenate([y - epsilon, y - epsilon])",
    ),
    fault(
        "29c",
        "kernel_ridge/test_kernel_ridge.py::test_erratum_29_half_the_sum_of_squares_and_lambda_give_twice_lambda",
        "kernel_ridge/kernel_ridge.py",
        "        K.flat[:: len(K) + 1] += self.alpha\n",
        "        K.flat[:: len(K) + 1] += self.alpha / 2\n",
    ),
    fault(
        "30a",
        "test_erratum_30.py::test_erratum_30_rows_are_polynomial_in_one_over_eps_and_delta",
        "theory/bounds/error_curves.py",
        "        lambda m, L: (size + L) / m,\n        lambda m, eps: eps * m - size,\n"
        "        lambda eps, L: (size + L) / eps,",
        "        lambda m, L: (size + L) / m**0.5,\n        lambda m, eps: eps * m**0.5 - size,\n"
        "        lambda eps, L: (size + L) / eps,",
    ),
    fault(
        "30b",
        "test_erratum_30.py::test_erratum_30_entropy_runs_over_classes",
        "tree/pruning/pruning_methods.py",
        "return np.asarray(whole * entr(share).sum(axis=1) / np.log(2.0))",
        "return np.asarray(whole * np.minimum(entr(share).sum(axis=1) / np.log(2.0), 1.0))",
    ),
    fault(
        "30c",
        "test_erratum_30.py::test_erratum_30_pruning_uses_rows_that_the_tree_has_not_seen",
        "tree/decision_tree.py",
        "self.prune_held_back(setup, model, s.back)",
        "self.prune_held_back(setup, model, s.sums)",
    ),
    fault(
        "30d",
        "test_erratum_30.py::test_erratum_30_the_margin_of_a_vote_has_no_sign_function",
        "display/evaluation/margin_distribution.py",
        "np.ones(len(truth), np.int64), own - other, weight)",
        "np.ones(len(truth), np.int64), np.sign(own - other), weight)",
    ),
    fault(
        "30e",
        "test_erratum_30.py::test_erratum_30_the_weighted_error_is_a_share",
        "ensemble/ada_boost/ada_boost_stumps.py",
        "return feature, cut, *says, float(wrong / (low.sum() + high.sum()))",
        "return feature, cut, *says, float(wrong)",
    ),
    fault(
        "31a",
        "neural_network/test_recurrent.py::test_erratum_31_backpropagation_through_time_sums_gradients_over_steps",
        "neural_network/sequences/recurrent.py",
        "if self.truncate and truncated else np.zeros_like(lengths)",
        "if self.truncate and truncated else np.maximum(lengths - 1, 0)",
    ),
    fault(
        "31b",
        "neural_network/test_network_graph.py::test_of_any_graph_gradients_are_finite_differences",
        "neural_network/graphs/network_graph.py",
        "nodes[name] = above[name] * self._slope(name, inputs[name])",
        "nodes[name] = above[name] * self._slope(name, states[name])",
    ),
    fault(
        "31c",
        "stats/optimize/test_loss_functions.py::test_hinge_counts_rows_within_the_margin",
        "compiled/linear_model/losses.py",
        "return max(0.0, 1.0 - z)",
        "return max(0.0, -z)",
    ),
    fault(
        "31d",
        "linear_model/test_errata.py::test_erratum_31_logistic_regression_is_discriminative",
        "tests/linear_model/test_errata.py",
        "(True, LogisticRegression(C=np.inf))",
        "(True, LinearDiscriminantAnalysis())",
    ),
    fault(
        "31e",
        "neural_network/mlp/test_mlp.py::test_gradients_of_all_rows_are_reset_each_round",
        "neural_network/mlp/objective.py",
        "        return Objective(w, loss, slope, mass, held, not chunk.uniform)\n",
        '        globals().setdefault("SO_FAR", []).append(slope)\n'
        '        return Objective(w, loss, sum(globals()["SO_FAR"]), mass, held, not chunk.uniform)\n',
    ),
)
"""the error of each line of `docs/errata.rst` that is not prose"""


@contextmanager
def faulty(one: Fault | None) -> Iterator[tuple[Path, Path]]:
    """Where the package is, and where the tests are, with the error in a copy of the one or of the other."""
    if one is None:
        yield ROOT / "src", ROOT
    elif not one.file.startswith("tests/"):
        with faulty_sources(one) as folder:
            yield folder, ROOT
    else:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copy(ROOT / "pyproject.toml", folder)
            for other in ("benchmarks", "docs", "src"):
                (folder / other).symlink_to(ROOT / other)
            path, text = folder / one.file, (ROOT / one.file).read_text()
            assert text.count(one.right) == 1, f"{one.file} has changed: {one.right!r}"
            path.write_text(text.replace(one.right, one.wrong))
            yield ROOT / "src", folder


def passes(one: Fault | None, *tests: str) -> bool:
    """Whether tests pass in a process of their own, with an error or without."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
    with faulty(one) as (package, folder):
        env = environment(package)
        try:
            done = subprocess.run(
                command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            print(f"{one and one.name}: not done after {PATIENCE} s", flush=True)
            return True
    if done.returncode not in (0, 1) or "error" in done.stdout.splitlines()[-1]:
        raise SystemExit(f"{one and one.name}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lines", nargs="*", help="lines of the page, such as 13a; default: all")
    parser.add_argument("--control", action="store_true", help="run the tests without an error first")
    args = parser.parse_args()
    chosen = [one for one in FAULTS if not args.lines or one.name in args.lines]
    if args.control:
        assert passes(None, *sorted({one.tests[0] for one in chosen})), "a test fails without an error"
        print("all tests pass without an error", flush=True)
    survived = []
    for one in chosen:
        began = time.perf_counter()
        survived += [one.name] if passes(one, *one.tests) else []
        outcome = "survives" if one.name in survived[-1:] else "killed"
        print(f"{one.name}: {outcome} ({time.perf_counter() - began:.0f} s): {one.tests[0]}", flush=True)
    print(f"{len(chosen) - len(survived)} of {len(chosen)} errors make their test fail")
    return int(bool(survived))


if __name__ == "__main__":
    raise SystemExit(main())
