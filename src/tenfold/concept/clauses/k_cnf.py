"""k-CNF: conjunctions of clauses of at most k literals, learned by keeping every clause that no positive violates.

Each clause is taken for a new attribute, and Find-S is run on those: what is left is the most specific k-CNF that
covers every positive. A disjunction of three terms can be multiplied out to clauses of three literals, so concepts of
the first kind, which are hard to find as such, are learned as the second.
"""

from __future__ import annotations

from typing import ClassVar

from tenfold.concept.clauses.clause_learner import ClauseLearner


class KCNF(ClauseLearner):
    """The most specific conjunction of clauses of at most k literals that covers every positive; exact.

    Columns are boolean: above `binarize` they are true. Whether the negatives are left out is tested in a second scan;
    the certificate reports it, or names a negative that is covered: then no k-CNF is consistent with the rows. With k
    = 1 it is `FindS` for boolean columns.

    Parameters
    ----------
    k : int, default=2
        Literals of a clause, at most.
    binarize : float, default=0.0
        Values above it are true.
    pos_label : optional
        The positive class. None: the last of `classes_`, `classes_[1]` of two.

    Attributes
    ----------
    classes_ : array
    hypothesis_ : list of tuples
        The clauses, of which a positive satisfies all; each is a tuple of literals, of which one must hold. Clauses
        that follow from shorter ones are left out.
    n_kept_ : int
        Clauses, with those.
    pos_label_ : str
        The positive class in words.
    certificate_ : Certificate

    See Also
    --------
    KDNF : Disjunctions of terms of at most k literals.
    FindS : Conjunctions of values.

    Examples
    --------
    >>> from itertools import product
    >>> from tenfold import KCNF
    >>> X = list(product([0, 1], repeat=3))
    >>> y = [(a or b) and not c for a, b, c in X]
    >>> model = KCNF(2).fit(X, y)
    >>> model.hypothesis_
    [('not x2',), ('x0', 'x1')]
    >>> model.certificate_["consistent"].value
    1.0
    """

    fires_positive: ClassVar[bool] = False
    form: ClassVar[str] = "CNF"
