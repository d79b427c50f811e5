"""k-DNF: disjunctions of terms of at most k literals, learned by keeping every term that no negative satisfies."""

from __future__ import annotations

from typing import ClassVar

from tenfold.concept.clauses.clause_learner import ClauseLearner


class KDNF(ClauseLearner):
    """The most general disjunction of terms of at most k literals that covers no negative; exact.

    Columns are boolean: above `binarize` they are true. Whether all positives are covered is tested in a second scan;
    the certificate reports it, or names one that is not: then no k-DNF is consistent with the rows. With k = 1 it
    learns disjunctions of literals.

    Parameters
    ----------
    k : int, default=2
        Literals of a term, at most.
    binarize : float, default=0.0
        Values above it are true.
    pos_label : optional
        The positive class. None: the last of `classes_`, `classes_[1]` of two.

    Attributes
    ----------
    classes_ : array
    hypothesis_ : list of tuples
        The terms, of which a positive satisfies one; each is a tuple of literals, which must all hold. Terms that imply
        shorter ones are left out.
    n_kept_ : int
        Terms, with those.
    pos_label_ : str
        The positive class in words.
    certificate_ : Certificate

    See Also
    --------
    KCNF : Conjunctions of clauses of at most k literals.

    Examples
    --------
    >>> from itertools import product
    >>> from tenfold import KDNF
    >>> X = list(product([0, 1], repeat=3))
    >>> KDNF(2).fit(X, [(a and b) or c for a, b, c in X]).hypothesis_
    [('x2',), ('x0', 'x1')]
    >>> KDNF(1).fit(X, [a != b for a, b, _ in X]).certificate_["consistent"].value  # no disjunction is an exclusive or
    0.0
    """

    fires_positive: ClassVar[bool] = True
    form: ClassVar[str] = "DNF"
